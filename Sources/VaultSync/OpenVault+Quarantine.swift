internal import DeviceChain
internal import Membership
internal import SealedRecords
internal import VaultModel
internal import VaultStore

/// The quarantine has bounds: a relay can send junk without end, and this device's disk has one.
extension OpenVault {
  /// As many slots as a checkpoint names.
  static let mostQuarantined = CheckpointContents.maximumQuarantined
  /// Their records together.
  static let mostQuarantinedBytes = 256 << 20

  /// Before more is received. A full quarantine is first cleared of what nobody vouches for and the relay serves no longer: what
  /// has not the form of a record, and whose signature is not of a device of the chain. If the relay serves it still, it is the
  /// relay that is stopped.
  func makeRoomInQuarantine() throws {
    guard try isQuarantineFull() else { return }
    try store.transaction {
      try store.removeHopeless(vault: id)
      var last: Int64 = 0
      while true {
        let rows = try store.inbox(vault: id, .everything, after: last, limit: Self.recordsPerTransaction)
        guard let end = rows.last else { break }
        last = end.id
        for row in rows where !row.reason.isEmpty {
          if try isVouchedFor(row) { continue }
          try store.removeInbox(vault: id, slot: row.slot, recordHash: row.recordHash, withHopeless: false)
        }
      }
    }
    guard try isQuarantineFull() else { return }
    throw SyncError.misbehaved("it serves more records that do not verify than this device sets aside")
  }

  private func isQuarantineFull() throws -> Bool {
    let held = try store.quarantine(vault: id)
    return held.count >= Self.mostQuarantined || held.bytes >= Self.mostQuarantinedBytes
  }

  private func isVouchedFor(_ row: InboxRow) throws -> Bool {
    if try store.served(vault: id, slot: row.slot)?.recordHash == row.recordHash { return true }
    // Once its author is in the chain, a record whose signature is not the author's is hopeless.
    guard let author = (try? SealedRecord(decoding: row.record))?.header.author else { return false }
    return chain.device(author.bytes) != nil
  }
}
