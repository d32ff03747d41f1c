internal import CBOR
internal import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// One record on its way to the relay.
struct PushedRecord: Sendable {
  /// Its row in the item table.
  let item: Int64
  /// Its slot.
  let slot: SlotID
  /// The sequence that it replaces; 0 for an empty slot.
  let base: UInt64
  /// The sealed record: a retry sends the same bytes.
  let bytes: [UInt8]
  /// The greatest own counter in it that the relay has not acknowledged; 0 if none.
  let ownCounter: UInt64
}

/// What is pushed with one request.
struct PushBatch: Sendable {
  /// When it was made: answers count only as long as nothing was started over.
  let generation: UInt64
  /// The relay's incarnation that the bases belong to.
  let incarnation: [UInt8]
  var records: [PushedRecord] = []
}

/// What the answers to a batch led to.
struct PushResult: Sendable {
  /// How many items need not be sent again as they are.
  var settled = 0
  /// Something must be pulled before these items are sent again.
  var needsPull = false
}

extension OpenVault {
  /// What is to be pushed next, at most a batch; empty if there is nothing, or if no complete pull was made since the start.
  /// Records of another author or of an older epoch are sealed anew first; what cannot be now is held back.
  func nextBatch() throws -> PushBatch {
    var batch = PushBatch(generation: generation, incarnation: row.incarnation)
    guard pulledSinceStart, row.state == .active, mayWrite else { return batch }
    var size = 0
    var last: Int64 = 0
    while batch.records.count < RelayLimits.batchCount {
      let room = RelayLimits.batchBytes - size
      let items = try store.dirtyItems(
        vault: id, after: last, count: RelayLimits.batchCount - batch.records.count, bytes: max(room, 0))
      guard let end = items.last else { break }
      last = end.id
      let prepared = try store.transaction { try items.compactMap { try prepare($0) } }
      for record in prepared {
        size += record.bytes.count
        if !batch.records.isEmpty, size > RelayLimits.batchBytes { return batch }
        batch.records.append(record)
      }
    }
    return batch
  }

  /// The record of a dirty item as it can be pushed; nil if it is held back.
  private func prepare(_ item: ItemRow) throws -> PushedRecord? {
    let served = try store.served(vault: id, slot: item.slot)
    // A record that is not merged yet must not be written over (it could be all that is left of its author).
    if let served, try store.isPending(vault: id, slot: item.slot, recordHash: served.recordHash) {
      return try hold(item)
    }
    var item = item
    if let header = try? RecordHeader.peek(item.record),
      header.author != row.deviceID || header.keyID.epoch != chain.epoch
    {
      // The relay takes only what the sending device signed, under the newest epoch. The same state in new bytes.
      guard let state = try? open(item), newestKeyID(.vault, state.strictestAccessibility).epoch == chain.epoch,
        let sealed = try? seal(state, scope: .vault, slot: item.slot, replacing: item, isDirty: true)
      else { return try hold(item) }
      item = sealed
    }
    return PushedRecord(
      item: item.id, slot: item.slot, base: served?.sequence ?? 0, bytes: item.record,
      ownCounter: try store.unstored(vault: id, slot: item.slot).last ?? 0)
  }

  private func hold(_ item: ItemRow) throws -> PushedRecord? {
    try store.setDirty(true, refused: VaultStore.waits, item: item.id)
    return nil
  }

  /// Lets be pushed again what this device held back: after an unlock, and when keys came.
  func releaseHeld() throws { try store.clearRefusals(vault: id, VaultStore.waits) }

  /// Lets everything be tried again, at the start of a full cycle: a quota may have room, a role may have changed.
  func retryRefused() throws { try store.clearRefusals(vault: id) }

  /// Takes in the relay's answers to a batch, in one transaction.
  func apply(_ answers: [PushAnswer], to batch: PushBatch, clock: UInt64) throws -> PushResult {
    guard batch.generation == generation else { return PushResult(settled: 0, needsPull: true) }
    return try changing {
      var result = PushResult()
      for (pushed, answer) in zip(batch.records, answers) {
        if try apply(answer, to: pushed, clock: clock) { result.settled += 1 } else { result.needsPull = true }
      }
      return result
    }
  }

  /// True if the item need not be sent again as it is.
  private func apply(_ answer: PushAnswer, to pushed: PushedRecord, clock: UInt64) throws -> Bool {
    switch answer {
    case .stored(let sequence): return try stored(pushed, sequence: sequence)
    case .conflict(let sequence, let bytes?):
      guard sequence > pushed.base, sequence <= Int64.max else { return false }
      try receive(openingKeys.open(bytes, slot: pushed.slot), slot: pushed.slot, sequence: sequence, clock: clock)
      return true
    case .conflict(_, nil):
      // The answer had no room for the record: the next pull brings it.
      return false
    case .gone:
      // The slot is empty at the relay, for a reason that stands in the feed. Set hash and digest follow the feed alone.
      return false
    case .refused(.epoch):
      // The relay's chain is another than the one here. When that is known, the item is sealed anew.
      return false
    case .refused(let code):
      try store.setDirty(true, refused: code.rawValue, item: pushed.item)
      return code != .role
    }
  }

  private func stored(_ pushed: PushedRecord, sequence: UInt64) throws -> Bool {
    let item = try store.item(vault: id, scope: .vault, slot: pushed.slot)
    let isUnchanged = item?.record == pushed.bytes && item?.isDirty == true
    // An answer at or below the cursor is late: the pull that went there has seen this record or a newer one. If the item is
    // dirty all the same, it has not, and the relay does not hold what it says.
    guard sequence > row.cursor, sequence <= Int64.max else { return !isUnchanged }
    let hash = SealedRecord.recordHash(pushed.bytes)
    let before = try store.served(vault: id, slot: pushed.slot)
    if let before, before.sequence >= sequence {
      guard before.sequence == sequence, before.recordHash == hash else { return !isUnchanged }
    } else {
      try noteServed(before, slot: pushed.slot, sequence: sequence, recordHash: hash, ownCounter: pushed.ownCounter)
    }
    if pushed.ownCounter > 0 { try store.removeUnstored(upTo: pushed.ownCounter, vault: id, slot: pushed.slot) }
    try store.removeInbox(vault: id, slot: pushed.slot, recordHash: hash, withHopeless: true)
    // Only what was sent is clean: an edit that came meanwhile is pushed next.
    if let item, item.record == pushed.bytes { try store.setDirty(false, item: item.id) }
    return true
  }
}
