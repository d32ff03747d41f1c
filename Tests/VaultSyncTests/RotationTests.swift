import DeviceChain
import Membership
import RelayWire
import SealedRecords
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("Rotated keys and revoked devices")
struct RotationTests {
  private func epoch(_ device: TestDevice, _ account: String) throws -> UInt64? {
    try device.row(account).flatMap { try RecordHeader.peek($0.record).keyID.epoch }
  }

  @Test("After a rotation each device fetches its keyrings, and goes on under the new keys")
  func rotation() throws {
    let world = try World(devices: 3)
    try world[0].add("ann", "old")
    try world.settle()
    try world.revoke()
    try world[0].add("bob", "new", .afterFirstUnlock)
    try world[0].add("cat", "new", .whenUnlocked)
    try world.settle()
    for device in world.devices {
      #expect(device.vault.chain.epoch == 2)
      #expect(try epoch(device, "ann") == 1)
      #expect(try epoch(device, "bob") == 2)
      #expect(try device.secret("ann") == "old")
      #expect(try device.secret("bob") == "new")
      #expect(try device.secret("cat") == "new")
      #expect(try !device.vault.store.keyrings(vault: device.vault.id).isEmpty)
    }
    try world.expectSettled()
    // The keys are on disk.
    try world[1].crash()
    #expect(try world[1].secret("cat") == "new")
    #expect(!world[1].vault.needsKeyrings)
  }

  @Test("A device that slept through several rotations opens one keyring after the other")
  func severalRotations() throws {
    let world = try World()
    try world.settle()
    for round in 0..<4 {
      try world.revoke()
      try world[0].add("user \(round)", "secret \(round)")
      try world[0].sync()
    }
    try world[1].sync()
    #expect(world[1].vault.chain.epoch == 5)
    for round in 0..<4 { #expect(try world[1].secret("user \(round)") == "secret \(round)") }
    try world.settle()
    try world.expectSettled()
  }

  @Test("A locked device takes the C keys at once, and the A keys at the unlock, before the first answer")
  func lockedRotation() throws {
    let world = try World()
    try world.settle()
    try world[1].lockNow()
    try world.revoke()
    try world[0].add("ann", "a", .whenUnlocked)
    try world[0].add("bob", "c", .afterFirstUnlock)
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].secret("bob") == "c")
    #expect(throws: VaultError.locked) { try world[1].secret("ann") }
    try world[1].add("dan", "c", .afterFirstUnlock)
    try world[1].unlock()
    #expect(try world[1].secret("ann") == "a")
    try world.settle()
    try world.expectSettled()
  }

  @Test("What was written before a rotation and not pushed yet is sealed anew before it is pushed")
  func resealing() throws {
    let world = try World()
    try world.settle()
    try world[1].add("ann", "offline", .whenUnlocked)
    try world[1].add("bob", "offline", .afterFirstUnlock)
    try world.revoke()
    try world[1].sync()
    #expect(try epoch(world[1], "ann") == 2)
    #expect(try epoch(world[1], "bob") == 2)
    try world.settle()
    #expect(try world[0].secret("ann") == "offline")
    try world.expectSettled()
  }

  @Test("A locked device's old writes of class A wait for the unlock, those of class C do not")
  func resealingWhileLocked() throws {
    let world = try World()
    try world.settle()
    try world[1].add("ann", "offline", .whenUnlocked)
    try world[1].add("bob", "offline", .afterFirstUnlock)
    try world[1].lockNow()
    try world.revoke()
    try world[1].sync()
    try world[0].sync()
    #expect(try world[0].secret("bob") == "offline")
    #expect(try world[0].item("ann") == nil)
    let counts = try world[1].vault.store.counts(vault: world[1].vault.id)
    #expect(counts.unpushed == 1 && counts.refused == 0)
    // The unlock lets it go: no full cycle has to come first.
    try world[1].unlock()
    try world[1].engine.pushAll()
    #expect(try !world[1].hasDirty)
    try world.settle()
    #expect(try world[0].secret("ann") == "offline")
    try world.expectSettled()
  }

  @Test("Of two records of one state the newer epoch's stays, whatever the relay serves last")
  func olderEpochAgain() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    let (slot, old) = (try world[1].slot("ann").bytes, try #require(try world[1].row("ann")).record)
    try world.revoke()
    try world.settle()
    // Sealed anew: the same state under the new keys.
    let row = try #require(try world[0].row("ann"))
    try world[0].vault.store.setDirty(true, item: row.id)
    try world.settle()
    #expect(try epoch(world[1], "ann") == 2)
    world[1].transport.rewritePages { page in
      page.head += 1
      page.changes.append(Change(slot: slot, sequence: page.head, content: .record(old)))
      var digest = ListingDigest()
      digest.insert(slot: slot, sequence: page.head)
      page.last?.listingDigest = digest.bytes
    }
    try world[1].pull()
    #expect(try epoch(world[1], "ann") == 2)
    #expect(try world[1].hasDirty)
    #expect(world[1].vault.alarm?.contains("older version") == true)
  }

  @Test("A rotation that happens between pull and push is heard of from the refusal, and nothing is lost")
  func refusedEpoch() throws {
    let world = try World()
    try world.settle()
    try world[1].add("ann", "two")
    let counter = Counter()
    world[1].transport.obey { request, pass throws(RelayError) in
      if request.isPush, counter.next() == 0 { try? world.revoke() }
      return try pass()
    }
    try world[1].sync()
    #expect(counter.count >= 2)
    #expect(world[1].vault.chain.epoch == 2)
    try world.settle()
    #expect(try world[0].secret("ann") == "two")
    try world.expectSettled()
  }

  @Test("While the keyrings do not come, local writes go on under the keys that are there")
  func keyringsDelayed() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world.revoke()
    try world[0].add("bob", "new")
    try world[0].sync()
    world[1].transport.obey { request, pass throws(RelayError) in
      guard request.isKeyrings else { return try pass() }
      return RelayResponse(status: 200, body: KeyringsPage(keyrings: [], next: nil).encoded)
    }
    try world[1].sync()
    #expect(world[1].vault.chain.epoch == 2)
    #expect(try world[1].counts.quarantined == 1)
    try world[1].edit("ann", secret: "two")
    try world[1].add("cat", "mine", .afterFirstUnlock)
    #expect(try world[1].secret("ann") == "two")
    try world[1].sync()
    #expect(try world[1].hasDirty)
    world[1].transport.obey(nil)
    try world[1].sync()
    try world.settle()
    #expect(try world[1].secret("bob") == "new")
    #expect(try world[0].secret("ann") == "two")
    try world.expectSettled()
  }

  @Test("A keyring with other keys than the chain commits to is refused and reported; the right one is taken later")
  func foreignKeyring() throws {
    let world = try World()
    try world.settle()
    try world.revoke()
    let vault = world[1].vault
    // Well formed, sealed to the right device under the right key, but with keys of somebody's own.
    let (oldC, device) = (
      try #require(vault.secretsC).keyring, try #require(world[0].vault.chain.activeDevice(world[1].device.bytes))
    )
    let previous = try #require(oldC.keys.key(epoch: 1))
    let forged = try Keyring.seal(oldC.rotated(), to: device, .previousEpoch(previous), world[0].vault.chain)
    world[1].transport.obey { request, pass throws(RelayError) in
      guard request.isKeyrings else { return try pass() }
      return RelayResponse(status: 200, body: KeyringsPage(keyrings: [forged.encoded], next: nil).encoded)
    }
    try world[1].sync()
    #expect(world[1].vault.alarm?.contains("keyring") == true)
    #expect(world[1].vault.secretsC?.keyring.epoch == 1)
    world[1].transport.obey(nil)
    try world[1].sync()
    #expect(world[1].vault.secretsC?.keyring.epoch == 2)
    #expect(world[1].vault.secretsA?.keyring.epoch == 2)
  }

  @Test("A crash between chain, keyrings and records loses nothing", arguments: [false, true])
  func crashes(afterwards: Bool) throws {
    var index = 0
    while true {
      let world = try World()
      try world[1].add("ann", "offline")
      try world[0].add("dan", "one")
      try world.settle()
      try world[1].edit("ann", secret: "later")
      try world.revoke()
      try world[0].edit("dan", secret: "two")
      try world[0].sync()
      let access = CrashingAccess(world[1], at: index, afterwards: afterwards)
      do {
        try SyncEngine(access: access, api: try world[1].api).cycle()
      } catch is CrashingAccess.Crash {}
      guard access.hasCrashed else { break }
      try world[1].crash()
      try world.settle()
      #expect(try world[0].secret("ann") == "later")
      #expect(try world[1].secret("dan") == "two")
      try world.expectSettled()
      index += 1
    }
    #expect(index >= 15)
  }

  @Test("A revoked device believes the 403 with the chain, stops, and keeps its data")
  func revoked() throws {
    let world = try World(devices: 3)
    try world[0].add("ann", "one")
    try world.settle()
    try world[2].edit("ann", secret: "never pushed")
    try world.revoke(world[2])
    #expect(throws: SyncError.revoked) { try world[2].sync() }
    #expect(world[2].vault.row.state == .revoked)
    #expect(try world[2].secret("ann") == "never pushed")
    try world[2].crash()
    #expect(throws: SyncError.revoked) { try world[2].sync() }
    #expect(try world[2].secret("ann") == "never pushed")
    // The others go on under keys that it does not have.
    try world[0].add("bob", "after")
    try world.settle([world[0], world[1]])
    #expect(try world[1].secret("bob") == "after")
    try world.expectSettled([world[0], world[1]])
  }

  @Test("Records of a revoked author that nobody merged before do not count")
  func lateRecord() throws {
    let world = try World(devices: 3)
    try world.settle()
    let record = try world[2].forge(try world[2].newItem("ann", "late"), in: "ann")
    try world.revoke(world[2])
    try world[0].pushRaw(try world[0].forge(try world[0].newItem("bob", "good"), in: "bob", epoch: 1), in: "bob")
    try world[0].add("cat", "good")
    try world[0].sync()
    let slot = try world[1].slot("ann").bytes
    world[1].transport.rewritePages { page in
      guard let last = page.changes.indices.last else { return }
      page.changes[last].slot = slot
      page.changes[last].content = .record(record)
      page.last?.checkpoints = []
    }
    try world[1].pull()
    #expect(try world[1].item("ann") == nil)
    #expect(try world[1].counts.quarantined == 1)
  }
}
