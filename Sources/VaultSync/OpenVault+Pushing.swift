internal import CBOR
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
public import VaultModel
internal import VaultStore

/// One record on its way to the relay.
public struct PushedRecord: Sendable {
  /// Its row in the item table.
  public let item: Int64
  /// Its slot.
  public let slot: SlotID
  /// The sequence that it replaces; 0 for an empty slot.
  public let base: UInt64
  /// The sealed record: a retry sends the same bytes.
  public let bytes: [UInt8]
  /// The greatest own counter in it that the relay has not acknowledged; 0 if none.
  let ownCounter: UInt64
}

extension OpenVault {
  /// What is to be pushed next, at most a batch; empty if there is nothing, or if no complete pull was made since the start.
  public func nextBatch() throws -> [PushedRecord] {
    guard pulledSinceStart, row.state == .active, mayWrite else { return [] }
    var batch: [PushedRecord] = []
    var size = 0
    for item in try store.dirtyItems(vault: id, limit: RelayLimits.batchCount) {
      size += item.record.count
      if !batch.isEmpty && size > RelayLimits.batchBytes { break }
      batch.append(
        PushedRecord(
          item: item.id, slot: item.slot, base: try store.served(vault: id, slot: item.slot)?.sequence ?? 0,
          bytes: item.record, ownCounter: try store.unstored(vault: id, slot: item.slot).last ?? 0))
    }
    return batch
  }

  /// Takes in the relay's answers to a batch, in one transaction.
  func apply(_ answers: [PushAnswer], to batch: [PushedRecord], clock: UInt64) throws {
    try changing {
      for (pushed, answer) in zip(batch, answers) { try apply(answer, to: pushed, clock: clock) }
    }
  }

  private func apply(_ answer: PushAnswer, to pushed: PushedRecord, clock: UInt64) throws {
    switch answer {
    case .stored(let sequence):
      try stored(pushed, sequence: sequence)
    case .conflict(let sequence, let bytes?):
      try receive(bytes, slot: pushed.slot, sequence: sequence, clock: clock)
    case .conflict(_, nil):
      // The answer had no room for the record: the next pull brings it.
      break
    case .gone:
      // The slot is empty at the relay: what is held here goes there again, as an add.
      if let before = try store.served(vault: id, slot: pushed.slot), let setHashKey = secretsC?.keyring.setHashKey {
        setHash.remove(slot: pushed.slot.bytes, recordHash: before.recordHash, setHashKey.key)
        listingDigest.remove(slot: pushed.slot.bytes, sequence: before.sequence)
        try store.removeServed(vault: id, slot: pushed.slot)
      }
    case .refused(let code):
      try store.setDirty(true, refused: code.rawValue, item: pushed.item)
    }
  }

  private func stored(_ pushed: PushedRecord, sequence: UInt64) throws {
    // An answer at or below the cursor is late: the pull that went there has seen this record or a newer one.
    guard sequence > row.cursor else { return }
    let before = try store.served(vault: id, slot: pushed.slot)
    if let before, before.sequence >= sequence { return }
    let hash = Digest.hash("lockstep/record-hash/1", [.bytes(pushed.bytes)])
    try noteServed(before, slot: pushed.slot, sequence: sequence, recordHash: hash, ownCounter: pushed.ownCounter)
    if pushed.ownCounter > 0 { try store.removeUnstored(upTo: pushed.ownCounter, vault: id, slot: pushed.slot) }
    // Only what was sent is clean: an edit that came meanwhile is pushed next.
    if let item = try store.item(vault: id, scope: .vault, slot: pushed.slot), item.record == pushed.bytes {
      try store.setDirty(false, item: item.id)
    }
  }
}
