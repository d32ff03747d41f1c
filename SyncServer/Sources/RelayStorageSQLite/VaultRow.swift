internal import RelayCore
internal import RelayWire
internal import SQLiteKit

/// A row of `vaults`, read and written inside one transaction.
struct VaultRow {
  let key: Int64
  let incarnation: [UInt8]
  var feed: FeedState
  var chainLength: UInt64
  var chainBytes: UInt64
  var checkpointCount: UInt64

  /// The row of a vault id.
  static func find(_ vault: [UInt8], _ connection: Connection) throws(SQLiteError) -> VaultRow? {
    let sql = """
      SELECT vault, incarnation, head, digest, bytes, chain_length, chain_bytes, checkpoint_count FROM vaults WHERE id = ?
      """
    return try connection.first(sql, [.blob(vault)]) { row throws(SQLiteError) in
      VaultRow(
        key: try row.integer(0), incarnation: try row.blob(1),
        feed: FeedState(head: try row.unsigned(2), digest: try row.blob(3), bytes: try row.unsigned(4)),
        chainLength: try row.unsigned(5), chainBytes: try row.unsigned(6), checkpointCount: try row.unsigned(7))
    }
  }

  /// Writes what changes.
  func save(_ connection: Connection) throws(SQLiteError) {
    let sql = """
      UPDATE vaults SET head = ?, digest = ?, bytes = ?, chain_length = ?, chain_bytes = ?, checkpoint_count = ? WHERE vault = ?
      """
    try connection.run(
      sql,
      [
        .unsigned(feed.head), .blob(feed.digest), .unsigned(feed.bytes), .unsigned(chainLength), .unsigned(chainBytes),
        .unsigned(checkpointCount), .integer(key),
      ])
  }

  var status: VaultStatus {
    VaultStatus(
      incarnation: incarnation, head: feed.head, chainLength: chainLength, checkpointCount: checkpointCount)
  }

  /// Why a guarded write does not happen; nil if it may. A chain that grew comes first: then the caller decides anew.
  func refusal<Value>(_ guarded: WriteGuard, adding bytes: Int = 0, as type: Value.Type) -> WriteOutcome<Value>? {
    if guarded.chainLength != chainLength { return .chainMoved }
    if let incarnation = guarded.incarnation, incarnation != self.incarnation { return .incarnation }
    if let head = guarded.head, head != feed.head { return .feedMoved }
    if bytes > 0, feed.bytes + UInt64(bytes) > guarded.quota { return .quota }
    return nil
  }
}
