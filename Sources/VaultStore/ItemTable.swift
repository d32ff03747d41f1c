public import SQLiteKit
public import SealedRecords
public import VaultModel

/// Where an item lives.
public enum ItemScope: Int64, Sendable {
  /// In the vault: synchronizable.
  case vault = 0
  /// On this device alone.
  case device = 1
}

/// A sealed item and what the store must know of it without opening it.
public struct ItemRow: Sendable {
  /// The row id; 0 before it is stored.
  public var id: Int64
  /// Vault or device.
  public let scope: ItemScope
  /// Its slot.
  public let slot: SlotID
  /// Under which class of key the record is sealed.
  public var protection: ProtectionClass
  /// The item class.
  public let itemClass: ItemClass
  /// A tombstone.
  public var isDeleted: Bool
  /// An attribute has two or more open values.
  public var hasConflict: Bool
  /// The relay does not hold these bytes yet. Never true of a device-only item: the table refuses it.
  public var isDirty: Bool
  /// Why the relay refused the record; empty if it did not.
  public var refused: String
  /// 16 bytes that name the item on this device for as long as it lives.
  public var persistentReference: [UInt8]
  /// The sealed record.
  public var record: [UInt8]

  /// An item.
  public init(
    id: Int64 = 0, scope: ItemScope, slot: SlotID, protection: ProtectionClass, itemClass: ItemClass, isDeleted: Bool,
    hasConflict: Bool, isDirty: Bool, persistentReference: [UInt8], record: [UInt8]
  ) {
    self.id = id
    self.scope = scope
    self.slot = slot
    self.protection = protection
    self.itemClass = itemClass
    self.isDeleted = isDeleted
    self.hasConflict = hasConflict
    self.isDirty = isDirty
    self.refused = ""
    self.persistentReference = persistentReference
    self.record = record
  }

  init(_ row: Statement) throws(SQLiteError) {
    guard let scope = ItemScope(rawValue: try row.integer(1)), let slot = SlotID(try row.blob(2)),
      let protection = UInt8(exactly: try row.integer(3)).flatMap({ ProtectionClass(rawValue: $0) }),
      let itemClass = UInt8(exactly: try row.integer(4)).flatMap({ ItemClass(rawValue: $0) })
    else { throw .unexpected("an item's row") }
    id = try row.integer(0)
    self.scope = scope
    self.slot = slot
    self.protection = protection
    self.itemClass = itemClass
    isDeleted = try row.bool(5)
    hasConflict = try row.bool(6)
    isDirty = try row.bool(7)
    refused = try row.text(8)
    persistentReference = try row.blob(9)
    record = try row.blob(10)
  }
}

extension VaultStore {
  private static let itemColumns =
    "id, scope, slot, class, item_class, deleted, conflict, dirty, refused, persistent_reference, record"

  /// The item in a slot, tombstones too.
  public func item(vault: Int64, scope: ItemScope, slot: SlotID) throws(SQLiteError) -> ItemRow? {
    try connection.first(
      "SELECT \(Self.itemColumns) FROM item WHERE vault = ? AND scope = ? AND slot = ?",
      [.integer(vault), .integer(scope.rawValue), .blob(slot.bytes)]
    ) { row throws(SQLiteError) in try ItemRow(row) }
  }

  /// The live items that carry all of `tags`, by row id.
  public func items(vault: Int64, tags: [[UInt8]]) throws(SQLiteError) -> [ItemRow] {
    guard let first = tags.first else { return [] }
    var sql =
      "SELECT \(Self.itemColumns) FROM item WHERE vault = ? AND deleted = 0 AND id IN (SELECT item FROM tag WHERE tag = ?)"
    var values: [SQLiteValue] = [.integer(vault), .blob(first)]
    for tag in tags.dropFirst() {
      sql += " AND EXISTS (SELECT 1 FROM tag WHERE tag = ? AND item = item.id)"
      values.append(.blob(tag))
    }
    return try connection.rows(sql + " ORDER BY id", values) { row throws(SQLiteError) in try ItemRow(row) }
  }

  /// Up to `limit` live items with row ids above `after`.
  public func liveItems(vault: Int64, after: Int64, limit: Int) throws(SQLiteError) -> [ItemRow] {
    try connection.rows(
      "SELECT \(Self.itemColumns) FROM item WHERE vault = ? AND deleted = 0 AND id > ? ORDER BY id LIMIT ?",
      [.integer(vault), .integer(after), .integer(Int64(limit))]
    ) { row throws(SQLiteError) in try ItemRow(row) }
  }

  /// Items with a conflict; a deleted one has none.
  public func conflictedItems(vault: Int64) throws(SQLiteError) -> [ItemRow] {
    try connection.rows(
      "SELECT \(Self.itemColumns) FROM item WHERE vault = ? AND conflict = 1 ORDER BY id",
      [.integer(vault)]
    ) { row throws(SQLiteError) in try ItemRow(row) }
  }

  /// Stores an item with its tags in place of what the slot held; answers its row id.
  @discardableResult
  public func put(_ item: ItemRow, tags: [[UInt8]], vault: Int64) throws(SQLiteError) -> Int64 {
    let id = try connection.first(
      """
      INSERT INTO item (vault, scope, slot, class, item_class, deleted, conflict, dirty, refused, persistent_reference, record)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (vault, scope, slot) DO UPDATE SET class = excluded.class, deleted = excluded.deleted,
        conflict = excluded.conflict, dirty = excluded.dirty, refused = excluded.refused, record = excluded.record,
        persistent_reference = excluded.persistent_reference
      RETURNING id
      """,
      [
        .integer(vault), .integer(item.scope.rawValue), .blob(item.slot.bytes),
        .integer(Int64(item.protection.rawValue)), .integer(Int64(item.itemClass.rawValue)), .bool(item.isDeleted),
        .bool(item.hasConflict), .bool(item.isDirty), .text(item.refused), .blob(item.persistentReference),
        .blob(item.record),
      ]
    ) { row throws(SQLiteError) in try row.integer(0) }
    guard let id else { throw .unexpected("an item's row") }
    try setTags(tags, item: id, isNew: item.id == 0)
    return id
  }

  private func setTags(_ tags: [[UInt8]], item: Int64, isNew: Bool) throws(SQLiteError) {
    if !isNew {
      let held = try connection.rows("SELECT tag FROM tag WHERE item = ?", [.integer(item)]) {
        row throws(SQLiteError) in try row.blob(0)
      }
      if Set(held) == Set(tags) { return }
      try connection.run("DELETE FROM tag WHERE item = ?", [.integer(item)])
    }
    for tag in tags {
      try connection.run("INSERT OR IGNORE INTO tag (tag, item) VALUES (?, ?)", [.blob(tag), .integer(item)])
    }
  }

  /// Takes an item off this device. For device-only items: an item of the vault leaves a tombstone instead.
  public func removeDeviceItem(_ id: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM item WHERE id = ? AND scope = 1", [.integer(id)])
  }

  /// Takes away all device-only items of a class, for a class key that was destroyed.
  @discardableResult
  public func removeDeviceItems(_ protection: ProtectionClass) throws(SQLiteError) -> Int {
    try connection.run("DELETE FROM item WHERE scope = 1 AND class = ?", [.integer(Int64(protection.rawValue))])
  }

  /// The items after row `after` that the relay does not hold yet and that nothing holds back, oldest row first: as many as
  /// `count` and `bytes` allow, and at least one if there is any. Larger ones than fit are not read into memory.
  public func dirtyItems(
    vault: Int64, after: Int64 = 0, count: Int, bytes: Int = .max
  ) throws(SQLiteError) -> [ItemRow] {
    let statement = try connection.statement(
      """
      SELECT \(Self.itemColumns), length(record) FROM item
      WHERE vault = ? AND id > ? AND dirty = 1 AND scope = 0 AND refused = '' ORDER BY id LIMIT ?
      """)
    defer { statement.reset() }
    try statement.bind([.integer(vault), .integer(after), .integer(Int64(count))])
    var items: [ItemRow] = []
    var room = bytes
    while try statement.step() {
      let length = Int(clamping: try statement.integer(11))
      guard items.isEmpty || length <= room else { break }
      room -= length
      items.append(try ItemRow(statement))
    }
    return items
  }

  /// True if there is a write that the relay does not hold, held back or not.
  public func hasDirty(vault: Int64) throws(SQLiteError) -> Bool {
    try exists(
      """
      SELECT 1 FROM (SELECT 1 FROM item WHERE vault = ?1 AND dirty = 1 AND refused = '' LIMIT 1)
      UNION ALL SELECT 1 FROM (SELECT 1 FROM item WHERE vault = ?1 AND refused <> '' LIMIT 1)
      """, [.integer(vault)])
  }

  /// Sets or clears the mark that the relay does not hold these bytes. `refused` says why they are not to be pushed now.
  public func setDirty(_ isDirty: Bool, refused: String = "", item: Int64) throws(SQLiteError) {
    try connection.run(
      "UPDATE item SET dirty = ?, refused = ? WHERE id = ? AND scope = 0",
      [.bool(isDirty), .text(refused), .integer(item)])
  }

  /// Lets items be pushed again that were held back for `reason`, or for any.
  public func clearRefusals(vault: Int64, _ reason: String? = nil) throws(SQLiteError) {
    if let reason {
      try connection.run(
        "UPDATE item SET refused = '' WHERE vault = ? AND refused = ? AND refused <> ''",
        [.integer(vault), .text(reason)])
    } else {
      try connection.run("UPDATE item SET refused = '' WHERE vault = ? AND refused <> ''", [.integer(vault)])
    }
  }

  /// What stands in `refused` of an item that this device itself holds back: until it can be sealed anew, or until what the
  /// relay has in its slot is merged.
  public static let waits = "waits"

  /// Marks every item of the vault that the relay does not serve as to be pushed: what it lost, it gets again.
  @discardableResult
  public func markUnservedDirty(vault: Int64) throws(SQLiteError) -> Int {
    try connection.run(
      """
      UPDATE item SET dirty = 1, refused = '' WHERE vault = ?1 AND scope = 0 AND dirty = 0
        AND NOT EXISTS (SELECT 1 FROM served WHERE served.vault = ?1 AND served.slot = item.slot)
      """, [.integer(vault)])
  }

  /// How many items there are, for reports. Each number comes from an index: no record is read.
  public func counts(vault: Int64) throws(SQLiteError) -> ItemCounts {
    try connection.first(
      """
      SELECT (SELECT count(*) FROM item WHERE vault = ?1 AND scope IN (0, 1) AND deleted = 0),
        (SELECT count(*) FROM item WHERE vault = ?1 AND scope = 1 AND deleted = 0),
        (SELECT count(*) FROM item WHERE vault = ?1 AND dirty = 1 AND refused = '')
          + (SELECT count(*) FROM item WHERE vault = ?1 AND refused <> ''),
        (SELECT count(*) FROM item WHERE vault = ?1 AND conflict = 1),
        (SELECT count(*) FROM item WHERE vault = ?1 AND scope IN (0, 1) AND deleted = 0 AND class IN (1, 2)),
        (SELECT count(*) FROM item WHERE vault = ?1 AND refused <> '' AND refused <> ?2)
      """, [.integer(vault), .text(Self.waits)]
    ) { row throws(SQLiteError) in
      ItemCounts(
        live: Int(try row.integer(0)), deviceOnly: Int(try row.integer(1)), unpushed: Int(try row.integer(2)),
        conflicts: Int(try row.integer(3)), whenUnlocked: Int(try row.integer(4)), refused: Int(try row.integer(5)))
    } ?? ItemCounts(live: 0, deviceOnly: 0, unpushed: 0, conflicts: 0, whenUnlocked: 0, refused: 0)
  }
}

/// Numbers of items of a vault.
public struct ItemCounts: Sendable, Equatable {
  /// Not deleted.
  public let live: Int
  /// Of these, on this device alone.
  public let deviceOnly: Int
  /// Not yet at the relay, tombstones included.
  public let unpushed: Int
  /// With a conflict.
  public let conflicts: Int
  /// Readable only when unlocked.
  public let whenUnlocked: Int
  /// Refused by the relay.
  public let refused: Int
}
