import SealedRecords
import Testing
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("A locked device")
struct LockedTests {
  @Test("Records of class A wait sealed, those of class C are merged at once")
  func classes() throws {
    let world = try World()
    try world[1].sync()
    try world[1].lockNow()
    try world[0].add("ann", "a", .whenUnlocked)
    try world[0].add("bob", "c", .afterFirstUnlock)
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].secret("bob") == "c")
    #expect(try world[1].counts.waiting == 1)
    #expect(throws: VaultError.locked) { try world[1].secret("ann") }
    try world[0].edit("ann", secret: "a2")
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].counts.waiting == 2)
    // The unlock itself merges: no sync comes before the first answer.
    try world[1].unlock()
    #expect(try world[1].secret("ann") == "a2")
    #expect(try world[1].counts.waiting == 0)
    try world.settle()
    try world.expectSettled()
  }

  @Test("What waits survives a crash and is merged at the unlock after it")
  func crashWhileWaiting() throws {
    let world = try World()
    try world[0].add("ann", "a")
    try world[0].sync()
    try world[1].lockNow()
    try world[1].sync()
    try world[1].crash(locked: true)
    #expect(try world[1].counts.waiting == 1)
    try world[1].unlock()
    #expect(try world[1].secret("ann") == "a")
    try world.settle()
    try world.expectSettled()
  }

  @Test("A slot behind a waiting record answers locked, and its later records wait too")
  func slotBehindWaiting() throws {
    let world = try World()
    try world[0].add("ann", "c", .afterFirstUnlock)
    try world.settle()
    try world[1].lockNow()
    #expect(try world[1].secret("ann") == "c")
    try world[0].edit("ann", [.accessible: .text("ak")])
    try world[0].sync()
    try world[1].sync()
    #expect(throws: VaultError.locked) { try world[1].secret("ann") }
    #expect(throws: VaultError.locked) { try world[1].edit("ann", secret: "x") }
    #expect(throws: VaultError.locked) { try world[1].remove("ann") }
    #expect(throws: VaultError.locked) { try world[1].add("ann", "x", .afterFirstUnlock) }
    try world[0].edit("ann", [.accessible: .text("ck"), .secret: .bytes(Array("c2".utf8))])
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].counts.waiting == 2)
    #expect(throws: VaultError.locked) { try world[1].secret("ann") }
    try world[1].unlock()
    #expect(try world[1].secret("ann") == "c2")
    try world[1].lockNow()
    #expect(try world[1].secret("ann") == "c2")
    try world.settle()
    try world.expectSettled()
  }

  @Test("An own write is not pushed over a record that waits")
  func noPushOverWaiting() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world[1].edit("ann", secret: "mine")
    try world[1].lockNow()
    try world[0].edit("ann", secret: "theirs")
    try world[0].sync()
    try world[1].sync()
    try world[1].sync()
    // Nothing came of the locked device's write: the relay still holds what was merged with nothing.
    try world[0].sync()
    #expect(try world[0].secrets("ann") == ["theirs"])
    try world[1].unlock()
    #expect(try world[1].secrets("ann") == ["mine", "theirs"])
    try world.settle()
    #expect(try world[0].secrets("ann") == ["mine", "theirs"])
    try world.expectSettled()
  }

  @Test("A write of class A that was made before locking is pushed while locked")
  func pushWhileLocked() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world[0].lockNow()
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].secret("ann") == "one")
    try world[0].unlock()
    try world.settle()
    try world.expectSettled()
  }

  @Test("In a conflict of accessibility the strictest class seals, on both devices")
  func strictest() throws {
    let world = try World()
    try world[0].add("ann", "one", .afterFirstUnlock)
    try world.settle()
    try world[0].edit("ann", [.accessible: .text("ak")])
    try world[1].edit("ann", [.accessible: .text("dk")])
    try world.settle()
    for device in world.devices {
      #expect(try device.row("ann")?.protection == .whenUnlocked)
      #expect(try device.item("ann")?.conflicts.keys.contains(.accessible) == true)
      try device.lockNow()
      #expect(throws: VaultError.locked) { try device.secret("ann") }
      try device.unlock()
    }
    try world.expectSettled()
    try world[1].edit("ann", [.accessible: .text("ck")])
    try world.settle()
    #expect(try world[0].row("ann")?.protection == .afterFirstUnlock)
    try world.expectSettled()
  }

  @Test("A concurrent record of class C waits while what is held is of class A")
  func laxerRecordWaits() throws {
    let world = try World()
    try world[0].add("ann", "one", .whenUnlocked)
    try world.settle()
    try world[0].edit("ann", [.accessible: .text("ck")])
    try world[0].sync()
    try world[1].edit("ann", secret: "two")
    try world[1].lockNow()
    try world[1].sync()
    #expect(try world[1].counts.waiting == 1)
    try world[1].unlock()
    #expect(try world[1].secret("ann") == "two")
    #expect(try world[1].item("ann")?.visible[.accessible] == .text("ck"))
    try world.settle()
    try world.expectSettled()
  }

  @Test("Before the first unlock nothing is synced and nothing is lost")
  func beforeFirstUnlock() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world[0].sync()
    let engine = try world[1].engine
    try world[1].crash(locked: true)
    #expect(throws: SyncError.locked) { try engine.cycle() }
    try world[1].unlock()
    try world.settle()
    try world.expectSettled()
  }
}
