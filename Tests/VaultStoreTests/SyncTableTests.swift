import SQLiteKit
import SealedRecords
import Testing
import VaultModel

@testable import VaultStore

@Suite("The tables of sync")
struct SyncTableTests {
  let test: TestStore
  let vault: Int64

  init() throws {
    test = try TestStore()
    vault = try test.addVault()
  }

  private var store: VaultStore { test.store }

  private func row(_ slot: SlotID, _ hash: UInt8, reason: String = "", retry: UInt64 = 0, hopeless: Bool = false)
    -> InboxRow
  {
    InboxRow(
      slot: slot, recordHash: [hash], record: [hash, hash], reason: reason, retryAfter: retry, isHopeless: hopeless)
  }

  @Test("A record lies in the inbox once, keeps its place, and has today's reason")
  func inboxOnce() throws {
    let slot = TestStore.slot()
    try store.insert(row(slot, 1), vault: vault)
    try store.insert(row(slot, 2), vault: vault)
    try store.insert(row(slot, 1, reason: "late", retry: 5), vault: vault)
    let rows = try store.inbox(vault: vault, limit: 10)
    #expect(rows.map(\.recordHash) == [[1], [2]])
    #expect(rows[0].reason == "late" && rows[0].retryAfter == 5)
    #expect(try store.inboxCounts(vault: vault) == (1, 1))
    #expect(try store.waitingSlots(vault: vault) == 1)
    #expect(try store.quarantinedSlots(vault: vault, limit: 10) == [slot])
  }

  @Test("Selections of the inbox find what they name, page by page")
  func selections() throws {
    for number in 0..<10 {
      let reason = number % 2 == 0 ? "" : "odd"
      try store.insert(
        row(TestStore.slot(), UInt8(number), reason: reason, retry: number == 3 ? 100 : 0, hopeless: number == 5),
        vault: vault)
    }
    #expect(try store.inbox(vault: vault, .waiting, limit: 100).count == 5)
    #expect(try store.inbox(vault: vault, .everything, limit: 100).count == 9)
    #expect(try store.inbox(vault: vault, .due(clock: 99), limit: 100).isEmpty)
    #expect(try store.inbox(vault: vault, .due(clock: 100), limit: 100).map(\.recordHash) == [[3]])
    #expect(try !store.hasDue(vault: vault, clock: 99))
    #expect(try store.hasDue(vault: vault, clock: 100))
    let first = try store.inbox(vault: vault, .waiting, limit: 2)
    let second = try store.inbox(vault: vault, .waiting, after: first[1].id, limit: 2)
    #expect((first + second).map(\.recordHash) == [[0], [2], [4], [6]])
  }

  @Test("A time beyond SQLite's numbers is never due")
  func endOfTime() throws {
    try store.insert(row(TestStore.slot(), 1, reason: "far", retry: .max), vault: vault)
    #expect(try !store.hasDue(vault: vault, clock: 1 << 62))
    #expect(try store.inbox(vault: vault, .due(clock: 1 << 62), limit: 1).isEmpty)
  }

  @Test("Waiting records are looked for by slot, and by what came before")
  func waiting() throws {
    let (slot, other) = (TestStore.slot(), TestStore.slot())
    try store.insert(row(slot, 1, reason: "bad"), vault: vault)
    #expect(try !store.hasWaiting(vault: vault))
    try store.insert(row(slot, 2), vault: vault)
    let id = try #require(try store.inbox(vault: vault, .waiting, limit: 1).first).id
    #expect(try store.hasWaiting(vault: vault))
    #expect(try store.hasWaiting(vault: vault, slot: slot))
    #expect(try !store.hasWaiting(vault: vault, slot: other))
    #expect(try !store.hasWaiting(vault: vault, slot: slot, before: id))
    #expect(try store.hasWaiting(vault: vault, slot: slot, before: id + 1))
  }

  @Test("What can never count holds no slot back, and goes when something better is merged")
  func hopeless() throws {
    let slot = TestStore.slot()
    try store.insert(row(slot, 1, reason: "bad", hopeless: true), vault: vault)
    try store.insert(row(slot, 2, reason: "early", retry: 9), vault: vault)
    #expect(try !store.isPending(vault: vault, slot: slot, recordHash: [1]))
    #expect(try store.isPending(vault: vault, slot: slot, recordHash: [2]))
    try store.removeInbox(vault: vault, slot: slot, recordHash: [3], withHopeless: false)
    #expect(try store.inboxCounts(vault: vault).quarantined == 2)
    try store.removeInbox(vault: vault, slot: slot, recordHash: [3], withHopeless: true)
    #expect(try store.inbox(vault: vault, limit: 9).map(\.recordHash) == [[2]])
    try store.removeInbox(vault: vault, slot: slot, recordHash: [2], withHopeless: false)
    #expect(try store.inboxCounts(vault: vault) == (0, 0))
  }

  @Test("What the relay holds is noted by slot; the greatest own counter stays")
  func served() throws {
    let slot = TestStore.slot()
    try store.setServed(ServedRow(sequence: 3, recordHash: [1], ownCounter: 7), vault: vault, slot: slot)
    try store.setServed(ServedRow(sequence: 9, recordHash: [2], ownCounter: 0), vault: vault, slot: slot)
    #expect(
      try store.served(vault: vault, slot: slot) == ServedRow(sequence: 9, recordHash: [2], ownCounter: 7))
    #expect(try store.greatestServed(vault: vault) == 9)
    try store.removeServed(vault: vault, slot: slot)
    #expect(try store.served(vault: vault, slot: slot) == nil)
    #expect(try store.greatestServed(vault: vault) == 0)
  }

  @Test("Dots that are not acknowledged are taken away up to a counter")
  func unstored() throws {
    let slot = TestStore.slot()
    for counter: UInt64 in [5, 6, 9] { try store.insertUnstored(counter: counter, vault: vault, slot: slot) }
    try store.insertUnstored(counter: 5, vault: vault, slot: slot)
    try store.removeUnstored(upTo: 6, vault: vault, slot: slot)
    #expect(try store.unstored(vault: vault, slot: slot) == [9])
    #expect(try store.hasUnstored(vault: vault))
    try store.removeUnstored(upTo: 9, vault: vault, slot: slot)
    #expect(try !store.hasUnstored(vault: vault))
  }

  @Test("The history of set hashes keeps the newest thousand")
  func setHashes() throws {
    try store.transaction {
      for sequence: UInt64 in 1...1_100 {
        try store.insertSetHash([UInt8(sequence & 255)], sequence: sequence * 3, incarnation: [1], vault: vault)
      }
    }
    #expect(try store.setHash(sequence: 3_300, incarnation: [1], vault: vault) == [UInt8(1_100 & 255)])
    #expect(try store.setHash(sequence: 303, incarnation: [1], vault: vault) != nil)
    #expect(try store.setHash(sequence: 300, incarnation: [1], vault: vault) == nil)
    #expect(try store.setHash(sequence: 3_300, incarnation: [2], vault: vault) == nil)
    try store.removeSetHashes(vault: vault)
    #expect(try store.setHash(sequence: 3_300, incarnation: [1], vault: vault) == nil)
  }

  @Test("A vault's row comes back as it was written")
  func vaultRow() throws {
    var row = try #require(try store.vaults().first)
    #expect(row.complete == nil && row.checkpointSequence == nil && row.state == .active)
    row.incarnation = [9]
    row.cursor = 12
    row.complete = 11
    row.counter = .max
    row.cleanCounter = 1 << 63
    row.checkpointNumber = 4
    row.checkpointMade = 11
    row.checkpointSequence = 10
    row.checkpointChain = 2
    row.setHash = [1, 2]
    row.listingDigest = [3]
    row.state = .forked
    row.evidence = "seen"
    row.lastSuccess = 77
    try store.update(row)
    let read = try #require(try VaultStore(path: test.path).vaults().first)
    #expect(String(reflecting: read) == String(reflecting: row))
  }

  @Test("Chain entries and keyrings come back in order; a keyring that is there stays")
  func chainAndKeyrings() throws {
    for number: UInt64 in 0..<3 { try store.appendChain([UInt8(number)], number: number, vault: vault) }
    #expect(try store.chain(vault: vault) == [[0], [1], [2]])
    #expect(try store.chain(vault: vault, from: 2) == [[2]])
    #expect(throws: SQLiteError.self) { try store.appendChain([7], number: 1, vault: vault) }
    let keyring = StoredKeyring(kind: 3, epoch: 2, recipient: [1], bytes: [1])
    try store.insert(keyring, vault: vault)
    try store.insert(StoredKeyring(kind: 3, epoch: 2, recipient: [1], bytes: [2]), vault: vault)
    #expect(try store.keyring(kind: 3, epoch: 2, recipient: [1], vault: vault) == [1])
    #expect(try store.keyrings(vault: vault) == [keyring])
    try store.removeKeyring(kind: 3, epoch: 2, recipient: [1], vault: vault)
    #expect(try store.keyring(kind: 3, epoch: 2, recipient: [1], vault: vault) == nil)
  }

  @Test("Settings are set, replaced and removed; left incarnations are remembered")
  func settings() throws {
    #expect(try store.setting("a") == nil)
    try store.setSetting("a", [1])
    try store.setSetting("a", [2])
    #expect(try store.setting("a") == [2])
    try store.setSetting("a", nil)
    #expect(try store.setting("a") == nil)
    try store.insertLeft(incarnation: [5], vault: vault)
    try store.insertLeft(incarnation: [5], vault: vault)
    #expect(try store.hasLeft(incarnation: [5], vault: vault))
    #expect(try !store.hasLeft(incarnation: [6], vault: vault))
  }

  @Test("A damaged row is an error that says so, and no trap")
  func damage() throws {
    try store.put(TestStore.item(), tags: [], vault: vault)
    try store.connection.execute("UPDATE item SET class = 9")
    #expect(throws: SQLiteError.self) { try store.liveItems(vault: vault, after: 0, limit: 1) }
    try store.connection.execute("UPDATE item SET class = 1, item_class = 300")
    #expect(throws: SQLiteError.self) { try store.liveItems(vault: vault, after: 0, limit: 1) }
    try store.connection.execute("UPDATE vault SET state = 'elsewhere'")
    #expect(throws: SQLiteError.self) { try store.vaults() }
    #expect(try store.damage().isEmpty)
  }
}
