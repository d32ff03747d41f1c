import Membership
import RelayWire
import SealedRecords
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("Records that do not count")
struct QuarantineTests {
  enum Defect: CaseIterable {
    case badSignature, wrongSlot, wrongClass, unknownHead, malformed, garbledContents

    /// A record by `author` for the slot of "ann".
    func record(by author: TestDevice) throws -> [UInt8] {
      let item = try author.newItem("ann", "bad")
      switch self {
      case .badSignature: return try author.forge(item, in: "ann", signer: .random())
      case .wrongSlot: return try author.forge(try author.newItem("bob", "bad"), in: "ann")
      case .wrongClass: return try author.forge(item, in: "ann", .whenUnlocked)
      case .unknownHead: return try author.forge(item, in: "ann", head: Randomness.bytes(32))
      case .malformed: return Array(try author.forge(item, in: "ann").dropLast(3))
      case .garbledContents:
        var record = try author.forge(item, in: "ann")
        record[record.count - 80] ^= 1
        return record
      }
    }
  }

  @Test("A record with a defect is put aside and the rest goes on", arguments: Defect.allCases)
  func defects(defect: Defect) throws {
    let world = try World()
    try world.settle()
    let record = try defect.record(by: world[0])
    if defect == .malformed {
      // The relay refuses what has no header; a hostile one serves what it likes.
      try world[0].pushRaw(try world[0].forge(try world[0].newItem("ann", "good"), in: "ann"), in: "ann")
      let slot = try world[1].slot("ann").bytes
      world[1].transport.rewritePages { page in
        for index in page.changes.indices where page.changes[index].slot == slot {
          page.changes[index].content = .record(record)
        }
        page.last?.checkpoints = []
      }
    } else {
      #expect(try world[0].pushRaw(record, in: "ann") == .stored(1))
    }
    try world[0].add("zed", "fine")
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].secret("zed") == "fine")
    #expect(try world[1].item("ann") == nil)
    #expect(try world[1].counts.quarantined == 1)
    world.expectCalm([world[0]])
  }

  @Test(
    "A record that can never count does not keep the slot: the next write goes over it",
    arguments: [Defect.badSignature, .wrongSlot, .wrongClass, .garbledContents])
  func hopelessGivesWay(defect: Defect) throws {
    let world = try World()
    try world.settle()
    try world[0].pushRaw(try defect.record(by: world[0]), in: "ann")
    try world.settle()
    for device in world.devices { #expect(try device.counts.quarantined == 1) }
    try world[1].add("ann", "good", .afterFirstUnlock)
    try world.settle()
    #expect(try world[0].secret("ann") == "good")
    try world.expectSettled()
  }

  @Test("A record that may count later keeps its slot from being pushed over")
  func pendingKeepsTheSlot() throws {
    let world = try World()
    try world.settle()
    try world[0].pushRaw(try Defect.unknownHead.record(by: world[0]), in: "ann")
    try world[1].add("ann", "mine", .afterFirstUnlock)
    try world[1].sync()
    #expect(try world[1].hasDirty)
    #expect(try world[1].counts.quarantined == 1)
    #expect(world[1].transport.requests.allSatisfy { !$0.isPush } == true)
    world.expectCalm()
  }

  @Test("A write from the future waits until its time has come, and then counts, though nothing new arrives")
  func future() throws {
    let world = try World()
    try world.settle()
    world[0].clockOffset = 3 * 24 * 3_600_000
    try world[0].add("ann", "early")
    try world[0].add("bob", "early")
    try world[0].sync()
    world[0].clockOffset = 0
    try world[1].sync()
    #expect(try world[1].item("ann") == nil)
    #expect(try world[1].counts.quarantined == 2)
    // The device may write there meanwhile; its write stays here until the other one was merged.
    try world[1].add("ann", "mine")
    try world[1].sync()
    #expect(try world[1].hasDirty)
    world.clock.advance(seconds: 24 * 3_600)
    try world[1].sync()
    #expect(try world[1].counts.quarantined == 2)
    world.clock.advance(seconds: 24 * 3_600 + 60)
    try world[1].sync()
    #expect(try world[1].secrets("ann") == ["early", "mine"])
    #expect(try world[1].secret("bob") == "early")
    try world.settle()
    try world.expectSettled()
  }

  @Test("A time beyond every clock is put aside and is no trap")
  func endOfTime() throws {
    let world = try World()
    try world.settle()
    let item = try ItemState(itemClass: .genericPassword).adding(
      [.account: .text("ann"), .service: .text("mail"), .accessGroup: .text("lockstep"), .accessible: .text("ck")],
      dot: Dot(device: world[0].device, counter: .max), clock: .max, floor: VersionVector())
    try world[0].pushRaw(try world[0].forge(item, in: "ann"), in: "ann")
    try world[1].sync()
    #expect(try world[1].counts.quarantined == 1)
    world.clock.advance(seconds: 365 * 24 * 3_600)
    try world[1].sync()
    #expect(try world[1].counts.quarantined == 1)
    #expect(try world[1].item("ann") == nil)
    world.expectCalm()
  }

  @Test("A record whose author is not in the chain yet counts when the chain has grown")
  func unknownAuthor() throws {
    let world = try World()
    try world.settle()
    let third = try world.join()
    try third.sync()
    try third.add("ann", "from the third")
    try third.sync()
    world[1].transport.rewritePages { page in
      page.chainLength -= 1
      page.last?.checkpoints = []
    }
    try world[1].pull()
    #expect(try world[1].counts.quarantined == 1)
    world[1].transport.obey(nil)
    try world[1].pull()
    #expect(try world[1].counts.quarantined == 0)
    #expect(try world[1].secret("ann") == "from the third")
    try world.settle()
    try world.expectSettled()
  }

  @Test("A reader's records do not count, unless it becomes a writer")
  func readerAsAuthor() throws {
    let world = try World()
    let reader = try world.join(.reader)
    try world.settle()
    let record = try reader.forge(try reader.newItem("ann", "by a reader"), in: "ann")
    #expect(try reader.pushRaw(record, in: "ann") == .refused(.role))
    // A hostile relay hands it on all the same, in place of a good one.
    try world[0].pushRaw(try world[0].forge(try world[0].newItem("ann", "good"), in: "ann"), in: "ann")
    world[1].transport.rewritePages { page in
      for index in page.changes.indices { page.changes[index].content = .record(record) }
      page.last?.checkpoints = []
    }
    try world[1].pull()
    world[1].transport.obey(nil)
    #expect(try world[1].item("ann") == nil)
    #expect(try world[1].counts.quarantined == 1)
    try world.setRole(reader, .writer)
    try world[1].pull()
    #expect(try world[1].secrets("ann").contains("by a reader"))
  }

  @Test("A reader writes nothing and is never behind")
  func reader() throws {
    let world = try World()
    let reader = try world.join(.reader)
    try world[0].add("ann", "one")
    try world.settle()
    #expect(try reader.secret("ann") == "one")
    #expect(throws: VaultError.readerOnly) { try reader.edit("ann", secret: "two") }
    #expect(throws: VaultError.readerOnly) { try reader.remove("ann") }
    #expect(throws: VaultError.readerOnly) { try reader.add("bob", "two") }
    try reader.add("bob", "local", scope: .device)
    try world[0].edit("ann", secret: "left")
    try world[1].edit("ann", secret: "right")
    try world.settle()
    #expect(try reader.secrets("ann") == ["left", "right"])
    try world.expectSettled()
  }

  @Test("More values than a record holds are kept apart, and the rest goes on")
  func tooLargeToMerge() throws {
    let world = try World()
    try world.settle()
    // Both sides hold nine secrets of 1 MiB in conflict: together they are more than one record may have.
    for device in world.devices {
      let item = try large(9, device)
      try device.withVault { vault in
        let slot = try vault.slot(item.primaryKey, .vault, .afterFirstUnlock)
        try vault.store.transaction {
          _ = try vault.seal(item, scope: .vault, slot: slot, replacing: nil, isDirty: true)
        }
      }
    }
    try world[0].add("zed", "fine")
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].secret("zed") == "fine")
    #expect(try world[1].counts.quarantined == 1)
    try world[1].add("yes", "fine")
    try world[1].sync()
    try world[0].sync()
    #expect(try world[0].secret("yes") == "fine")
    world.expectCalm()
  }

  private func large(_ count: Int, _ device: TestDevice) throws -> ItemState {
    var items: [ItemState] = []
    for _ in 0..<count {
      let id = try #require(DeviceID(Randomness.bytes(32)))
      let values: [AttributeName: AttributeValue] = [
        .account: .text("big"), .service: .text("mail"), .accessGroup: .text("lockstep"),
        .secret: .bytes(Randomness.bytes(1 << 20)), .accessible: .text("ck"),
      ]
      items.append(
        try ItemState(itemClass: .genericPassword).adding(
          values, dot: Dot(device: id, counter: 1), clock: device.clock, floor: VersionVector()))
    }
    return items.dropFirst().reduce(items[0]) { $0.merging($1) }
  }
}
