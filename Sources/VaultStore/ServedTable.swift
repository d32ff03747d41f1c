public import SQLiteKit
public import VaultModel

/// What the relay holds in a slot, as far as this device knows.
public struct ServedRow: Sendable, Equatable {
  /// The relay's sequence.
  public let sequence: UInt64
  /// Hash of the record's bytes.
  public let recordHash: [UInt8]
  /// The greatest own counter that was ever stored there.
  public let ownCounter: UInt64

  /// A served record.
  public init(sequence: UInt64, recordHash: [UInt8], ownCounter: UInt64) {
    self.sequence = sequence
    self.recordHash = recordHash
    self.ownCounter = ownCounter
  }
}

extension VaultStore {
  /// What the relay holds in a slot; nil if nothing.
  public func served(vault: Int64, slot: SlotID) throws(SQLiteError) -> ServedRow? {
    try connection.first(
      "SELECT sequence, record_hash, own_counter FROM served WHERE vault = ? AND slot = ?",
      [.integer(vault), .blob(slot.bytes)]
    ) { row throws(SQLiteError) in
      ServedRow(sequence: try row.unsigned(0), recordHash: try row.blob(1), ownCounter: try row.unsigned(2))
    }
  }

  /// The greatest sequence of any served record; 0 if there is none.
  public func greatestServed(vault: Int64) throws(SQLiteError) -> UInt64 {
    try connection.first("SELECT coalesce(max(sequence), 0) FROM served WHERE vault = ?", [.integer(vault)]) {
      row throws(SQLiteError) in try row.unsigned(0)
    } ?? 0
  }

  /// Notes what the relay holds in a slot.
  public func setServed(_ served: ServedRow, vault: Int64, slot: SlotID) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO served (vault, slot, sequence, record_hash, own_counter) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (vault, slot) DO UPDATE SET sequence = excluded.sequence, record_hash = excluded.record_hash,
        own_counter = max(own_counter, excluded.own_counter)
      """,
      [
        .integer(vault), .blob(slot.bytes), .unsigned(served.sequence), .blob(served.recordHash),
        .unsigned(served.ownCounter),
      ])
  }

  /// Notes that the relay holds nothing in a slot.
  public func removeServed(vault: Int64, slot: SlotID) throws(SQLiteError) {
    try connection.run("DELETE FROM served WHERE vault = ? AND slot = ?", [.integer(vault), .blob(slot.bytes)])
  }

  /// Forgets all that the relay holds, before everything is pulled again.
  public func removeAllServed(vault: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM served WHERE vault = ?", [.integer(vault)])
  }

  /// Notes an own write that the relay has not acknowledged.
  public func insertUnstored(counter: UInt64, vault: Int64, slot: SlotID) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO unstored (vault, slot, counter) VALUES (?, ?, ?)",
      [.integer(vault), .blob(slot.bytes), .unsigned(counter)])
  }

  /// The relay holds this slot's own writes up to `counter`.
  public func removeUnstored(upTo counter: UInt64, vault: Int64, slot: SlotID) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM unstored WHERE vault = ? AND slot = ? AND counter <= ?",
      [.integer(vault), .blob(slot.bytes), .unsigned(counter)])
  }

  /// The own writes in a slot that the relay has not acknowledged.
  public func unstored(vault: Int64, slot: SlotID) throws(SQLiteError) -> [UInt64] {
    try connection.rows(
      "SELECT counter FROM unstored WHERE vault = ? AND slot = ? ORDER BY counter",
      [.integer(vault), .blob(slot.bytes)]
    ) { row throws(SQLiteError) in try row.unsigned(0) }
  }

  /// True if some own write is not acknowledged.
  public func hasUnstored(vault: Int64) throws(SQLiteError) -> Bool {
    try exists("SELECT 1 FROM unstored WHERE vault = ? LIMIT 1", [.integer(vault)])
  }

  /// Notes this device's set hash at a sequence; the newest thousand are kept.
  public func insertSetHash(_ hash: [UInt8], sequence: UInt64, incarnation: [UInt8], vault: Int64) throws(SQLiteError) {
    try connection.run(
      "INSERT OR REPLACE INTO set_hash_history (vault, incarnation, sequence, set_hash) VALUES (?, ?, ?, ?)",
      [.integer(vault), .blob(incarnation), .unsigned(sequence), .blob(hash)])
    try connection.run(
      """
      DELETE FROM set_hash_history WHERE vault = ?1 AND incarnation = ?2 AND sequence <
        (SELECT sequence FROM set_hash_history WHERE vault = ?1 AND incarnation = ?2 ORDER BY sequence DESC LIMIT 1 OFFSET 999)
      """, [.integer(vault), .blob(incarnation)])
  }

  /// This device's set hash at a sequence, if it made one there.
  public func setHash(sequence: UInt64, incarnation: [UInt8], vault: Int64) throws(SQLiteError) -> [UInt8]? {
    try connection.first(
      "SELECT set_hash FROM set_hash_history WHERE vault = ? AND incarnation = ? AND sequence = ?",
      [.integer(vault), .blob(incarnation), .unsigned(sequence)]
    ) { row throws(SQLiteError) in try row.blob(0) }
  }

  /// Forgets all set hashes: the relay went back, or began a new incarnation, and gives the same sequences again.
  public func removeSetHashes(vault: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM set_hash_history WHERE vault = ?", [.integer(vault)])
  }

  /// The relay has left this incarnation behind.
  public func insertLeft(incarnation: [UInt8], vault: Int64) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO left_incarnation (vault, incarnation) VALUES (?, ?)",
      [.integer(vault), .blob(incarnation)])
  }

  /// Whether the relay has left this incarnation behind.
  public func hasLeft(incarnation: [UInt8], vault: Int64) throws(SQLiteError) -> Bool {
    try exists(
      "SELECT 1 FROM left_incarnation WHERE vault = ? AND incarnation = ?", [.integer(vault), .blob(incarnation)])
  }
}
