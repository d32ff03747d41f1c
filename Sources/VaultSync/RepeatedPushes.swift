/// Notices a relay that acknowledges records and then serves something else: the pull after each push makes the same bytes dirty
/// again, and a cycle would never end.
struct RepeatedPushes {
  /// Once for a lost answer, once for each conflict that taught nothing, and as often again.
  private static let most: UInt8 = 4

  /// How often a record was sent in this cycle, by the end of its signature: that names the bytes, and no relay chooses it.
  private var counts: [UInt64: UInt8] = [:]

  /// Counts a batch that is about to be sent.
  mutating func note(_ records: [PushedRecord]) throws(SyncError) {
    for record in records {
      let name = record.bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
      let count = counts[name, default: 0]
      guard count < Self.most else {
        throw .misbehaved("what it says that it stored is not what it serves")
      }
      counts[name] = count + 1
    }
  }
}
