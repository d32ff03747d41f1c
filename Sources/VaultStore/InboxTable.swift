public import SQLiteKit
public import VaultModel

/// A received record that is not merged yet: it waits for unlock (no reason), or is in quarantine.
public struct InboxRow: Sendable {
  /// The row id; 0 before it is stored.
  public let id: Int64
  /// Its slot.
  public let slot: SlotID
  /// Hash of the record's bytes.
  public let recordHash: [UInt8]
  /// The sealed record.
  public let record: [UInt8]
  /// Why it is in quarantine; empty if it only waits for unlock.
  public let reason: String
  /// When to look at it again, ms; 0 = when the chain or the keys change.
  public let retryAfter: UInt64
  /// Nothing can make it count.
  public let isHopeless: Bool

  /// A record to be put aside.
  public init(
    slot: SlotID, recordHash: [UInt8], record: [UInt8], reason: String = "", retryAfter: UInt64 = 0,
    isHopeless: Bool = false
  ) {
    self.id = 0
    self.slot = slot
    self.recordHash = recordHash
    self.record = record
    self.reason = reason
    self.retryAfter = retryAfter
    self.isHopeless = isHopeless
  }

  init(_ row: Statement) throws(SQLiteError) {
    guard let slot = SlotID(try row.blob(1)) else { throw .unexpected("an inbox row") }
    id = try row.integer(0)
    self.slot = slot
    recordHash = try row.blob(2)
    record = try row.blob(3)
    reason = try row.text(4)
    retryAfter = try row.unsigned(5)
    isHopeless = try row.bool(6)
  }
}

/// Which records of the inbox are looked at.
public enum InboxSelection: Sendable {
  /// Those that wait for unlock.
  case waiting
  /// Those in quarantine whose time has come.
  case due(clock: UInt64)
  /// All that can ever count.
  case everything
}

extension VaultStore {
  /// Puts a record aside. One that is there already keeps its place in the order, with today's reason.
  public func insert(_ row: InboxRow, vault: Int64) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO inbox (vault, slot, record_hash, record, reason, retry_after, hopeless) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (vault, slot, record_hash) DO UPDATE SET reason = excluded.reason, retry_after = excluded.retry_after,
        hopeless = excluded.hopeless
      """,
      [
        .integer(vault), .blob(row.slot.bytes), .blob(row.recordHash), .blob(row.record), .text(row.reason),
        // A time that SQLite would take for negative lies beyond every clock.
        .integer(Int64(clamping: row.retryAfter)), .bool(row.isHopeless),
      ])
  }

  /// Up to `limit` records of the inbox after row `after`, in the order in which they came.
  public func inbox(
    vault: Int64, _ selection: InboxSelection = .everything, after: Int64 = 0, limit: Int
  ) throws(SQLiteError) -> [InboxRow] {
    let condition: String
    var values: [SQLiteValue] = [.integer(vault), .integer(after), .integer(Int64(limit))]
    switch selection {
    case .waiting: condition = "reason = ''"
    case .due(let clock):
      condition = "retry_after > 0 AND retry_after <= ?4"
      values.append(.integer(Int64(clamping: clock)))
    case .everything: condition = "hopeless = 0"
    }
    return try connection.rows(
      """
      SELECT id, slot, record_hash, record, reason, retry_after, hopeless FROM inbox
      WHERE vault = ?1 AND id > ?2 AND \(condition) ORDER BY id LIMIT ?3
      """, values
    ) { row throws(SQLiteError) in try InboxRow(row) }
  }

  /// True if a record of this slot waits for unlock; with `before`, one that came before that row.
  public func hasWaiting(vault: Int64, slot: SlotID, before id: Int64? = nil) throws(SQLiteError) -> Bool {
    try exists(
      "SELECT 1 FROM inbox WHERE vault = ? AND slot = ? AND reason = '' AND id < ? LIMIT 1",
      [.integer(vault), .blob(slot.bytes), .integer(id ?? .max)])
  }

  /// True if a record of any slot waits for unlock.
  public func hasWaiting(vault: Int64) throws(SQLiteError) -> Bool {
    try exists("SELECT 1 FROM inbox WHERE vault = ? AND reason = '' LIMIT 1", [.integer(vault)])
  }

  /// True if the time of a record in quarantine has come.
  public func hasDue(vault: Int64, clock: UInt64) throws(SQLiteError) -> Bool {
    try exists(
      "SELECT 1 FROM inbox WHERE vault = ? AND retry_after > 0 AND retry_after <= ? LIMIT 1",
      [.integer(vault), .integer(Int64(clamping: clock))])
  }

  /// True if a record with this hash lies aside and may still count: its slot is not to be pushed over it.
  public func isPending(vault: Int64, slot: SlotID, recordHash: [UInt8]) throws(SQLiteError) -> Bool {
    try exists(
      "SELECT 1 FROM inbox WHERE vault = ? AND slot = ? AND record_hash = ? AND hopeless = 0",
      [.integer(vault), .blob(slot.bytes), .blob(recordHash)])
  }

  /// Why the oldest record in quarantine is there; nil if none is.
  public func quarantineReason(vault: Int64) throws(SQLiteError) -> String? {
    try connection.first(
      "SELECT reason FROM inbox WHERE vault = ? AND reason <> '' ORDER BY id LIMIT 1", [.integer(vault)]
    ) { row throws(SQLiteError) in try row.text(0) }
  }

  /// How many slots have records that wait for unlock.
  public func waitingSlots(vault: Int64) throws(SQLiteError) -> Int {
    try connection.first(
      "SELECT count(DISTINCT slot) FROM inbox WHERE vault = ? AND reason = ''", [.integer(vault)]
    ) { row throws(SQLiteError) in Int(try row.integer(0)) } ?? 0
  }

  /// The slots with records in quarantine, ascending, at most `limit`.
  public func quarantinedSlots(vault: Int64, limit: Int) throws(SQLiteError) -> [SlotID] {
    try connection.rows(
      "SELECT DISTINCT slot FROM inbox WHERE vault = ? AND reason <> '' ORDER BY slot LIMIT ?",
      [.integer(vault), .integer(Int64(limit))]
    ) { row throws(SQLiteError) in
      guard let slot = SlotID(try row.blob(0)) else { throw .unexpected("an inbox row") }
      return slot
    }
  }

  /// Takes a record out that was merged. `withHopeless`: the relay holds it now, so what lay in its slot before and could
  /// never count is of no interest any more.
  public func removeInbox(
    vault: Int64, slot: SlotID, recordHash: [UInt8], withHopeless: Bool
  ) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM inbox WHERE vault = ? AND slot = ? AND (record_hash = ? OR hopeless >= ?)",
      [.integer(vault), .blob(slot.bytes), .blob(recordHash), .integer(withHopeless ? 1 : 2)])
  }

  /// What lies in quarantine: how many records, and their bytes together.
  public func quarantine(vault: Int64) throws(SQLiteError) -> (count: Int, bytes: Int) {
    try connection.first(
      "SELECT count(*), coalesce(sum(length(record)), 0) FROM inbox WHERE vault = ? AND reason <> ''", [.integer(vault)]
    ) { row throws(SQLiteError) in (Int(try row.integer(0)), Int(try row.integer(1))) } ?? (0, 0)
  }

  /// Takes out what lies in quarantine and can never count.
  public func removeHopeless(vault: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM inbox WHERE vault = ? AND reason <> '' AND hopeless = 1", [.integer(vault)])
  }

  /// How many wait for unlock and how many are in quarantine.
  public func inboxCounts(vault: Int64) throws(SQLiteError) -> (waiting: Int, quarantined: Int) {
    try connection.first(
      "SELECT count(*) FILTER (WHERE reason = ''), count(*) FILTER (WHERE reason <> '') FROM inbox WHERE vault = ?",
      [.integer(vault)]
    ) { row throws(SQLiteError) in (Int(try row.integer(0)), Int(try row.integer(1))) } ?? (0, 0)
  }

  func exists(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> Bool {
    try connection.first(sql, values) { row throws(SQLiteError) in try row.integer(0) } != nil
  }
}
