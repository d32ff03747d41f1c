import DeviceChain
import Membership
import RelayWire
import SealedRecords
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

/// Records opened ahead of the agent's lock: in order, once each, and never believed longer than the keys that opened them.
@Suite("Opening a page's records on all cores")
struct PageOpeningTests {
  /// `count` changes that device 0 made; every seventh slot was purged.
  private func changes(_ count: Int, of world: World) throws -> [Change] {
    let slot = try world[0].slot("ann")
    let bytes = try world[0].forge(world[0].newItem("ann", "one"), in: "ann")
    return (0..<count).map { number in
      Change(
        slot: slot.bytes, sequence: UInt64(number) + 1, content: number % 7 == 6 ? .purge([0]) : .record(bytes))
    }
  }

  @Test("Every change comes once, in order and opened", arguments: [0, 1, 49, 50, 51, 100, 733], [0, 1, 7])
  func order(count: Int, threads: Int) throws {
    let world = try World(devices: 1)
    let changes = try changes(count, of: world)
    let opening = PageOpening(changes, with: world[0].vault.openingKeys, threads: threads)
    defer { opening.end() }
    var seen: [OpenedChange] = []
    while let part = opening.next(120) {
      #expect(!part.isEmpty)
      seen += part
    }
    #expect(seen.map(\.sequence) == changes.map(\.sequence))
    for (change, opened) in zip(changes, seen) {
      guard case .record(let bytes) = change.content else {
        #expect(opened.opening == nil)
        continue
      }
      #expect(opened.opening?.bytes == bytes)
      #expect(opened.opening?.hash == SealedRecord.recordHash(bytes))
      #expect(opened.opening?.isSigned == true)
    }
  }

  @Test("It can be left at any point")
  func left() throws {
    let world = try World(devices: 1)
    let changes = try changes(400, of: world)
    for parts in 0..<4 {
      let opening = PageOpening(changes, with: world[0].vault.openingKeys, threads: 3)
      for _ in 0..<parts { _ = opening.next(50) }
      opening.end()
    }
  }

  @Test("A signature that was found good counts for that signer alone")
  func signer() throws {
    let world = try World()
    let vault = world[0].vault
    let slot = try world[0].slot("ann")
    var opening = vault.openingKeys.open(try world[0].forge(world[0].newItem("ann", "one"), in: "ann"), slot: slot)
    let signers = try [world[0], world[1]].map { try #require(vault.chain.device($0.device)).keys.pushSigning }
    for _ in 0..<2 {
      let byAuthor = opening.isSigned(by: signers[0], vault: vault.row.vaultID, slot: slot)
      let byOther = opening.isSigned(by: signers[1], vault: vault.row.vaultID, slot: slot)
      #expect(byAuthor && !byOther)
    }
  }

  @Test("What one key opened is not what another key opens")
  func key() throws {
    let world = try World()
    let vault = world[0].vault
    let slot = try world[0].slot("ann")
    let item = try world[0].newItem("ann", "one")
    var opening = vault.openingKeys.open(try world[0].forge(item, in: "ann"), slot: slot)
    let right = try #require(vault.sealingKey(.vault(epoch: 1, .afterFirstUnlock)))
    let wrong = SharedKey<SealingRole>(.random())
    for _ in 0..<2 {
      let opened = try opening.item(right, vault: vault.row.vaultID, slot: slot)
      #expect(opened == item)
      #expect(throws: RecordError.notAuthentic) { try opening.item(wrong, vault: vault.row.vaultID, slot: slot) }
    }
  }

  @Test("An author who was revoked while a page was opened does not count")
  func revoked() throws {
    let world = try World(devices: 3)
    try world[1].add("ann", "one")
    try world[1].sync()
    let observer = world[2]
    var point = observer.vault.syncPoint
    let page = try observer.api.changes(since: point.cursor)
    let opened = page.changes.map { OpenedChange($0, with: observer.vault.openingKeys) }
    #expect(opened.count == 1 && opened[0].opening?.isSigned == true)
    try world.revoke(world[1])
    let entries = try world.admin.vault.store.chain(vault: world.admin.vault.id)
    try observer.vault.extendChain([try #require(entries.last)])
    #expect(try observer.vault.take(opened, at: &point, clock: observer.clock))
    #expect(try observer.item("ann") == nil)
  }

  @Test("A vault that was locked while a page was opened takes nothing of class A in")
  func locked() throws {
    let world = try World()
    try world[1].add("ann", "one")
    try world[1].sync()
    var point = world[0].vault.syncPoint
    let page = try world[0].api.changes(since: point.cursor)
    let opened = page.changes.map { OpenedChange($0, with: world[0].vault.openingKeys) }
    try world[0].lockNow()
    #expect(try world[0].vault.take(opened, at: &point, clock: world[0].clock))
    #expect(try world[0].counts.waiting == 1)
    try world[0].unlock()
    #expect(try world[0].secret("ann") == "one")
  }
}
