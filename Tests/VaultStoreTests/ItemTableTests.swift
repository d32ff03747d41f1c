import SQLiteKit
import SealedRecords
import Testing
import VaultModel

@testable import VaultStore

@Suite("The table of items")
struct ItemTableTests {
  let test: TestStore
  let vault: Int64

  init() throws {
    test = try TestStore()
    vault = try test.addVault()
  }

  private var store: VaultStore { test.store }

  @Test("An item is found in its slot, and a second one in that slot takes its place under the same row id")
  func putReplaces() throws {
    let slot = TestStore.slot()
    let id = try store.put(TestStore.item(slot), tags: [[1], [2]], vault: vault)
    var second = TestStore.item(slot, isDirty: true)
    second.id = id
    #expect(try store.put(second, tags: [[2], [3]], vault: vault) == id)
    let found = try #require(try store.item(vault: vault, scope: .vault, slot: slot))
    #expect(found.record == second.record && found.isDirty && found.persistentReference == second.persistentReference)
    #expect(try store.items(vault: vault, tags: [[1]]).isEmpty)
    #expect(try store.items(vault: vault, tags: [[2], [3]]).map(\.id) == [id])
    #expect(try store.items(vault: vault, tags: []).isEmpty)
  }

  @Test("Twins of the two kinds, and two vaults, do not touch each other")
  func separate() throws {
    let slot = TestStore.slot()
    let other = try test.addVault("second")
    try store.put(TestStore.item(slot), tags: [[1]], vault: vault)
    try store.put(TestStore.item(slot, scope: .device), tags: [[1]], vault: vault)
    try store.put(TestStore.item(slot), tags: [[1]], vault: other)
    #expect(try store.items(vault: vault, tags: [[1]]).count == 2)
    #expect(try store.items(vault: other, tags: [[1]]).count == 1)
    #expect(try store.counts(vault: vault).live == 2)
    #expect(try store.counts(vault: vault).deviceOnly == 1)
    #expect(try store.counts(vault: other).live == 1)
  }

  @Test("Tombstones are found in their slot and nowhere else")
  func tombstones() throws {
    let slot = TestStore.slot()
    try store.put(TestStore.item(slot, isDeleted: true, isDirty: true), tags: [], vault: vault)
    #expect(try store.item(vault: vault, scope: .vault, slot: slot)?.isDeleted == true)
    #expect(try store.liveItems(vault: vault, after: 0, limit: 10).isEmpty)
    #expect(try store.counts(vault: vault).live == 0)
    #expect(try store.counts(vault: vault).unpushed == 1)
  }

  @Test("A device-only item can be marked dirty by no way there is")
  func deviceOnlyNeverDirty() throws {
    #expect(throws: SQLiteError.self) {
      try store.put(TestStore.item(scope: .device, isDirty: true), tags: [], vault: vault)
    }
    let id = try store.put(TestStore.item(scope: .device), tags: [], vault: vault)
    try store.setDirty(true, item: id)
    try store.markUnservedDirty(vault: vault)
    #expect(try store.dirtyItems(vault: vault, count: 10).isEmpty)
    #expect(try !store.hasDirty(vault: vault))
    #expect(throws: SQLiteError.self) { try store.connection.run("UPDATE item SET dirty = 1 WHERE id = \(id)") }
    #expect(throws: SQLiteError.self) { try store.connection.run("UPDATE item SET scope = 1, dirty = 1") }
  }

  @Test("Dirty items come oldest first, as many as fit, and at least one")
  func dirtyItems() throws {
    var ids: [Int64] = []
    for _ in 0..<6 { ids.append(try store.put(TestStore.item(size: 1000, isDirty: true), tags: [], vault: vault)) }
    #expect(try store.dirtyItems(vault: vault, count: 4).map(\.id) == Array(ids.prefix(4)))
    #expect(try store.dirtyItems(vault: vault, count: 10, bytes: 2_500).map(\.id) == Array(ids.prefix(2)))
    #expect(try store.dirtyItems(vault: vault, count: 10, bytes: 10).map(\.id) == [ids[0]])
    #expect(try store.dirtyItems(vault: vault, after: ids[3], count: 10).map(\.id) == Array(ids.suffix(2)))
    try store.setDirty(false, item: ids[0])
    try store.setDirty(true, refused: "quota", item: ids[1])
    try store.setDirty(true, refused: VaultStore.waits, item: ids[2])
    #expect(try store.dirtyItems(vault: vault, count: 10).map(\.id) == Array(ids.suffix(3)))
    let counts = try store.counts(vault: vault)
    #expect(counts.unpushed == 5 && counts.refused == 1)
  }

  @Test("What was refused or held back is dirty all the same, until it is let go")
  func refusals() throws {
    let id = try store.put(TestStore.item(isDirty: true), tags: [], vault: vault)
    try store.setDirty(true, refused: "quota", item: id)
    #expect(try store.hasDirty(vault: vault))
    try store.clearRefusals(vault: vault, VaultStore.waits)
    #expect(try store.dirtyItems(vault: vault, count: 1).isEmpty)
    try store.clearRefusals(vault: vault)
    #expect(try store.dirtyItems(vault: vault, count: 1).map(\.id) == [id])
    try store.setDirty(false, item: id)
    #expect(try !store.hasDirty(vault: vault))
  }

  @Test("What the relay does not serve is dirty after a loss, and nothing else")
  func unserved() throws {
    let (served, lost) = (TestStore.slot(), TestStore.slot())
    try store.put(TestStore.item(served), tags: [], vault: vault)
    try store.put(TestStore.item(lost), tags: [], vault: vault)
    try store.put(TestStore.item(scope: .device), tags: [], vault: vault)
    try store.setServed(ServedRow(sequence: 3, recordHash: [1], ownCounter: 0), vault: vault, slot: served)
    #expect(try store.markUnservedDirty(vault: vault) == 1)
    #expect(try store.dirtyItems(vault: vault, count: 9).map(\.slot) == [lost])
  }

  @Test("A destroyed class takes its device-only items with it, and their tags")
  func destroyedClass() throws {
    try store.put(TestStore.item(scope: .device, .passcodeSet), tags: [[7]], vault: vault)
    try store.put(TestStore.item(scope: .device, .always), tags: [[7]], vault: vault)
    #expect(try store.removeDeviceItems(.passcodeSet) == 1)
    #expect(try store.items(vault: vault, tags: [[7]]).count == 1)
    let tags = try store.connection.first("SELECT count(*) FROM tag") { row throws(SQLiteError) in try row.integer(0) }
    #expect(tags == 1)
  }

  @Test("A failed transaction leaves nothing of what it did")
  func transactions() throws {
    struct Failure: Error {}
    let slot = TestStore.slot()
    #expect(throws: Failure.self) {
      try store.transaction {
        try store.put(TestStore.item(slot), tags: [[1]], vault: vault)
        try store.transaction { try store.setCounter(99, vault: vault) }
        throw Failure()
      }
    }
    #expect(try store.item(vault: vault, scope: .vault, slot: slot) == nil)
    #expect(try store.vaults().first?.counter == 0)
  }

  @Test("The hot paths use an index: none looks at every row")
  func indexes() throws {
    let queries = [
      "SELECT record FROM item WHERE vault = 1 AND scope = 0 AND slot = x'00'",
      "SELECT id FROM item WHERE vault = 1 AND deleted = 0 AND id IN (SELECT item FROM tag WHERE tag = x'00')",
      "SELECT id FROM item WHERE vault = 1 AND id > 0 AND dirty = 1 AND scope = 0 AND refused = '' ORDER BY id LIMIT 9",
      "SELECT 1 FROM item WHERE vault = 1 AND refused <> '' LIMIT 1",
      "UPDATE item SET refused = '' WHERE vault = 1 AND refused <> ''",
      "SELECT id FROM item WHERE vault = 1 AND conflict = 1 ORDER BY id",
      "SELECT count(*) FROM item WHERE vault = 1 AND scope IN (0, 1) AND deleted = 0",
      "SELECT 1 FROM inbox WHERE vault = 1 AND slot = x'00' AND reason = '' AND id < 9 LIMIT 1",
      "SELECT 1 FROM inbox WHERE vault = 1 AND reason = '' LIMIT 1",
      "SELECT 1 FROM inbox WHERE vault = 1 AND retry_after > 0 AND retry_after <= 9 LIMIT 1",
      "SELECT 1 FROM inbox WHERE vault = 1 AND slot = x'00' AND record_hash = x'00' AND hopeless = 0",
      "SELECT sequence FROM served WHERE vault = 1 AND slot = x'00'",
      "SELECT counter FROM unstored WHERE vault = 1 AND slot = x'00' ORDER BY counter",
      "SELECT set_hash FROM set_hash_history WHERE vault = 1 AND incarnation = x'00' AND sequence = 9",
    ]
    for query in queries {
      let plan = try store.connection.rows("EXPLAIN QUERY PLAN " + query) { row throws(SQLiteError) in
        try row.text(3)
      }
      for line in plan { #expect(!line.hasPrefix("SCAN"), "\(query): \(line)") }
    }
  }
}
