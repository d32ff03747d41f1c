import DeviceChain
import RelayWire
import Testing
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("A relay that lost something")
struct RelayLossTests {
  /// Two devices with three items, of which the relay's backup knows one.
  private func worldWithBackup() throws -> World {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world.relay.backUp()
    try world[0].edit("ann", secret: "two")
    try world[0].add("bob", "by the first")
    try world[1].add("cat", "by the second")
    try world.settle()
    return world
  }

  private func expectRepaired(_ world: World) throws {
    for device in world.devices {
      #expect(try device.secret("ann") == "two")
      #expect(try device.secret("bob") == "by the first")
      #expect(try device.secret("cat") == "by the second")
      #expect(device.vault.row.state == .active)
      #expect(try !device.hasDirty)
    }
    // The relay has everything again: a new device needs no other one.
    let late = try world.join()
    try late.sync()
    #expect(try late.secret("ann") == "two")
    #expect(try late.secret("bob") == "by the first")
    #expect(try late.secret("cat") == "by the second")
    #expect(late.vault.alarm == nil)
    #expect(try late.records() == world[0].records())
  }

  @Test("A relay put back to an older copy is reported and repaired, whoever comes first", arguments: [0, 1])
  func olderCopy(first: Int) throws {
    let world = try worldWithBackup()
    try world.relay.restore()
    try world[first].sync()
    #expect(world[first].vault.alarm?.contains("went back") == true)
    #expect(try !world[first].hasDirty)
    try world.settle()
    try expectRepaired(world)
  }

  @Test("A new incarnation is reported, and everything is given to it")
  func newIncarnation() throws {
    let world = try worldWithBackup()
    try world.relay.restore(newIncarnation: true)
    try world[1].sync()
    #expect(world[1].vault.alarm?.contains("incarnation") == true)
    try world.settle()
    #expect(world[0].vault.alarm != nil)
    try expectRepaired(world)
  }

  @Test("An incarnation that was left is not accepted again")
  func leftIncarnation() throws {
    let world = try worldWithBackup()
    try world.relay.backUp("now")
    try world.relay.restore(newIncarnation: true)
    try world.settle()
    let incarnation = world[0].vault.row.incarnation
    try world.relay.restore("now")
    for device in world.devices {
      #expect(throws: SyncError.self) { try device.sync() }
      #expect(device.vault.row.incarnation == incarnation)
      #expect(try device.secret("bob") == "by the first")
      try device.crash()
      #expect(throws: SyncError.self) { try device.sync() }
    }
  }

  @Test("A push to a relay that went back behind the last pull is noticed, not repeated for ever")
  func pushAfterLoss() throws {
    let world = try worldWithBackup()
    try world.relay.restore()
    try world[0].edit("ann", secret: "three")
    try world[0].engine.pushAll()
    #expect(world[0].vault.alarm != nil)
    try world.settle()
    #expect(try world[1].secret("ann") == "three")
    #expect(try world[1].secret("bob") == "by the first")
  }

  @Test("A relay that went back by what was pushed last, before anybody pulled it, is noticed")
  func lossOfOwnPush() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world.relay.backUp()
    try world[0].add("bob", "two")
    let batch = try world[0].vault.nextBatch()
    let items = batch.records.map { PushItem(slot: $0.slot.bytes, base: $0.base, content: .record($0.bytes)) }
    let answers = try world[0].api.push(incarnation: batch.incarnation, items)
    _ = try world[0].vault.apply(answers, to: batch, clock: world[0].clock)
    try world.relay.restore()
    try world[0].sync()
    #expect(world[0].vault.alarm?.contains("went back") == true)
    try world[1].sync()
    #expect(try world[1].secret("bob") == "two")
  }

  @Test("A record that only a locked device's inbox still has goes to the relay after the unlock")
  func onlyInTheInbox() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world[0].add("bob", "one")
    try world.settle()
    try world.relay.backUp()
    try world[0].edit("ann", secret: "two")
    try world[0].add("cat", "new")
    try world[0].sync()
    try world[1].lockNow()
    try world[1].sync()
    #expect(try world[1].counts.waiting == 2)
    try world.relay.restore()
    try world[1].sync()
    // Other records come at the same sequences, and wait beside those that are here already.
    let third = try world.join()
    try third.sync()
    try third.edit("bob", secret: "other")
    try third.sync()
    try world[1].sync()
    try world[1].unlock()
    #expect(try world[1].secret("ann") == "two")
    #expect(try world[1].secret("cat") == "new")
    try world[1].sync()
    try third.sync()
    #expect(try third.secret("ann") == "two")
    #expect(try third.secret("cat") == "new")
    #expect(try world[1].secret("bob") == "other")
  }

  @Test("What a locked device cannot sign anew goes to the relay with the unlock, before any full cycle")
  func lockedRepair() throws {
    let world = try World()
    try world.settle()
    try world.relay.backUp()
    try world[0].add("ann", "by the other one", .whenUnlocked)
    try world.settle()
    try world.relay.restore()
    try world[1].lockNow()
    try world[1].sync()
    #expect(try world[1].hasDirty)
    try world[1].unlock()
    try world[1].engine.pushAll()
    #expect(try !world[1].hasDirty)
    let late = try world.join()
    try late.sync()
    #expect(try late.secret("ann") == "by the other one")
  }

  @Test("A digest that does not match makes everything be received again, and costs nothing else")
  func digestMismatch() throws {
    let world = try worldWithBackup()
    let counter = Counter()
    world[1].transport.rewritePages { page in
      if page.last != nil, counter.next() == 0 { page.last?.listingDigest[7] ^= 1 }
    }
    try world[1].sync()
    world[1].transport.obey(nil)
    #expect(counter.count > 1)
    try world.settle()
    try world.expectSettled(startedOver: true)
  }

  @Test("A digest that never matches is reported, and syncing goes on")
  func digestNeverMatches() throws {
    let world = try worldWithBackup()
    world[1].transport.rewritePages { page in page.last?.listingDigest = [UInt8](repeating: 9, count: 32) }
    try world[0].add("dan", "new")
    try world[0].sync()
    try world[1].sync()
    #expect(world[1].vault.alarm?.contains("listing") == true)
    #expect(try world[1].secret("dan") == "new")
    try world[1].sync()
    #expect(world[1].vault.row.state == .active)
  }

  @Test("Chain entries and keyrings that the relay lost are given to it again")
  func lostChain() throws {
    let world = try World()
    try world.settle()
    try world.relay.backUp()
    let third = try world.join()
    try third.sync()
    try world.revoke()
    try world[0].add("ann", "under the new keys")
    try world.settle()
    try world.relay.restore()
    try world[0].sync()
    #expect(world[0].vault.alarm != nil)
    try world.settle()
    #expect(world[1].vault.chain.epoch == 2)
    #expect(try third.secret("ann") == "under the new keys")
    // The keyrings are there too: a device that had not got them yet finds them.
    let late = try world.join()
    try late.sync()
    #expect(try late.secret("ann") == "under the new keys")
  }

  @Test("A device that the relay forgot gives back the entry that added it")
  func forgottenDevice() throws {
    let world = try World()
    try world.settle()
    try world.relay.backUp()
    let third = try world.join()
    try third.sync()
    try third.add("ann", "one")
    try world.relay.restore()
    #expect(throws: SyncError.self) { try third.sync() }
    try third.sync()
    #expect(third.vault.alarm?.contains("forgotten") == true)
    try world[1].sync()
    #expect(try world[1].secret("ann") == "one")
  }

  @Test("An older version of one item is reported and overwritten")
  func olderVersion() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    let old = try #require(try world[0].row("ann")).record
    try world[0].edit("ann", secret: "two")
    try world.settle()
    // The relay, or a device with an old backup, puts the old record in its place.
    try world[0].pushRaw(old, in: "ann", base: try world[0].base("ann"))
    try world[1].sync()
    #expect(world[1].vault.alarm?.contains("older version") == true)
    try world.settle()
    #expect(try world[0].secret("ann") == "two")
    #expect(try world[0].records() == world[1].records())
  }

  @Test("A purge that nobody asked for deletes nothing: the item goes to the relay again")
  func unaskedPurge() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    let slot = try world[1].slot("ann").bytes
    world[1].transport.rewritePages { page in
      page.head += 1
      page.changes.append(Change(slot: slot, sequence: page.head, content: .purge([UInt8](repeating: 0, count: 64))))
      page.last?.listingDigest = ListingDigestOfNothing.bytes
    }
    try world[1].pull()
    world[1].transport.obey(nil)
    #expect(try world[1].secret("ann") == "one")
    #expect(try world[1].hasDirty)
    try world.settle()
    #expect(try world[0].secret("ann") == "one")
    #expect(try world[1].secret("ann") == "one")
  }
}

enum ListingDigestOfNothing {
  static let bytes = [UInt8](repeating: 0, count: 32)
}
