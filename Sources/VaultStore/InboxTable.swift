public import SQLiteKit
public import VaultModel

/// A received record that waits: for unlock (no reason), or in quarantine.
public struct InboxRow: Sendable {
  /// The relay's sequence.
  public let sequence: UInt64
  /// Its slot.
  public let slot: SlotID
  /// The sealed record.
  public let record: [UInt8]
  /// Why it is in quarantine; empty if it only waits for unlock.
  public let reason: String
  /// When to look at it again, ms; 0 = whenever something changes.
  public let retryAfter: UInt64

  /// A waiting record.
  public init(sequence: UInt64, slot: SlotID, record: [UInt8], reason: String, retryAfter: UInt64) {
    self.sequence = sequence
    self.slot = slot
    self.record = record
    self.reason = reason
    self.retryAfter = retryAfter
  }

  init(_ row: Statement) throws(SQLiteError) {
    guard let slot = SlotID(try row.blob(1)) else { throw .unexpected("an inbox row") }
    sequence = try row.unsigned(0)
    self.slot = slot
    record = try row.blob(2)
    reason = try row.text(3)
    retryAfter = try row.unsigned(4)
  }
}

extension VaultStore {
  /// Puts a record aside.
  public func insert(_ row: InboxRow, vault: Int64) throws(SQLiteError) {
    try connection.run(
      "INSERT OR REPLACE INTO inbox (vault, sequence, slot, record, reason, retry_after) VALUES (?, ?, ?, ?, ?, ?)",
      [
        .integer(vault), .unsigned(row.sequence), .blob(row.slot.bytes), .blob(row.record), .text(row.reason),
        .unsigned(row.retryAfter),
      ])
  }

  /// All waiting records, in the relay's order.
  public func inbox(vault: Int64) throws(SQLiteError) -> [InboxRow] {
    try connection.rows(
      "SELECT sequence, slot, record, reason, retry_after FROM inbox WHERE vault = ? ORDER BY sequence",
      [.integer(vault)]
    ) { row throws(SQLiteError) in try InboxRow(row) }
  }

  /// True if a record of this slot waits for unlock.
  public func hasWaiting(vault: Int64, slot: SlotID) throws(SQLiteError) -> Bool {
    try connection.first(
      "SELECT 1 FROM inbox WHERE vault = ? AND slot = ? AND reason = '' LIMIT 1",
      [.integer(vault), .blob(slot.bytes)]
    ) { row throws(SQLiteError) in try row.integer(0) } != nil
  }

  /// How many slots have records that wait for unlock.
  public func waitingSlots(vault: Int64) throws(SQLiteError) -> Int {
    try connection.first(
      "SELECT count(DISTINCT slot) FROM inbox WHERE vault = ? AND reason = ''", [.integer(vault)]
    ) { row throws(SQLiteError) in Int(try row.integer(0)) } ?? 0
  }

  /// Takes a waiting record out.
  public func removeInbox(sequence: UInt64, vault: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM inbox WHERE vault = ? AND sequence = ?", [.integer(vault), .unsigned(sequence)])
  }

  /// How many wait for unlock and how many are in quarantine.
  public func inboxCounts(vault: Int64) throws(SQLiteError) -> (waiting: Int, quarantined: Int) {
    try connection.first(
      "SELECT count(*) FILTER (WHERE reason = ''), count(*) FILTER (WHERE reason <> '') FROM inbox WHERE vault = ?",
      [.integer(vault)]
    ) { row throws(SQLiteError) in (Int(try row.integer(0)), Int(try row.integer(1))) } ?? (0, 0)
  }
}
