internal import DeviceChain
internal import Membership
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// Merging a verified record into its slot, and keeping in step with what the relay holds.
extension OpenVault {
  /// Merges `incoming`, which is `record` opened. The item is dirty afterwards if the relay holds something else than the result.
  func merge(_ incoming: ItemState, _ record: SealedRecord, slot: SlotID, isServed: Bool) throws -> Judgement {
    let existing = try store.item(vault: id, scope: .vault, slot: slot)
    let held: ItemState?
    do {
      held = try existing.map { row throws(VaultError) in try open(row) }
    } catch VaultError.locked {
      return .waits
    } catch {
      // What is here does not open any more; what the relay has is sound and takes its place.
      held = nil
    }
    let merged = held.map { $0.merging(incoming) } ?? incoming
    if merged != incoming, merged != held {
      guard sealingKey(newestKeyID(.vault, merged.strictestAccessibility)) != nil else { return .waits }
      do {
        try seal(merged, scope: .vault, slot: slot, replacing: existing, isDirty: mayWrite)
      } catch VaultError.invalid {
        // Two contents under one dot (a copied store), or more open values than a record holds: both stay, apart.
        return .quarantined("it cannot be merged with what is here")
      }
    } else if let existing, merged == held {
      try keep(existing, against: record, isEqual: merged == incoming, isServed: isServed)
    } else {
      try put(
        incoming, record.bytes, record.header.keyID.protectionClass, .vault, slot, replacing: existing,
        isDirty: !isServed && mayWrite)
    }
    if isServed { try noteOwn(incoming.vector[row.deviceID], slot) }
    return .merged
  }

  /// What is held has seen everything that came. `isEqual`: and nothing more.
  private func keep(_ existing: ItemRow, against record: SealedRecord, isEqual: Bool, isServed: Bool) throws {
    guard isServed else { return }
    if isEqual, existing.record == record.bytes {
      if existing.isDirty { try store.setDirty(false, item: existing.id) }
    } else if isEqual, epoch(of: existing) <= record.header.keyID.epoch ?? 0 {
      // The relay's bytes take the place of ours: the same state must not lie in two records. A newer epoch's bytes replace
      // those of an older one.
      let state = try open(existing)
      try put(
        state, record.bytes, record.header.keyID.protectionClass, .vault, existing.slot, replacing: existing,
        isDirty: false)
    } else {
      // Devices write over the newest version only, so a relay that goes on has none that is older than what it took before.
      if !existing.isDirty, mayWrite { report("the relay returned an older version of an item, which is pushed again") }
      try store.setDirty(mayWrite, item: existing.id)
    }
  }

  private func epoch(of item: ItemRow) -> UInt64 {
    (try? RecordHeader.peek(item.record))?.keyID.epoch ?? 0
  }

  /// The relay holds own writes up to `counter` in a slot.
  private func noteOwn(_ counter: UInt64, _ slot: SlotID) throws {
    guard counter > 0 else { return }
    if let served = try store.served(vault: id, slot: slot), served.ownCounter < counter {
      try store.setServed(
        ServedRow(sequence: served.sequence, recordHash: served.recordHash, ownCounter: counter), vault: id, slot: slot)
    }
    try store.removeUnstored(upTo: counter, vault: id, slot: slot)
  }

  /// Keeps `served`, set hash and listing digest in step with what the relay holds.
  func noteServed(
    _ before: ServedRow?, slot: SlotID, sequence: UInt64, recordHash: [UInt8], ownCounter: UInt64
  ) throws {
    guard let setHashKey = secretsC?.keyring.setHashKey else { throw VaultError.locked }
    takeOut(before, slot, setHashKey)
    setHash.insert(slot: slot.bytes, recordHash: recordHash, setHashKey.key)
    listingDigest.insert(slot: slot.bytes, sequence: sequence)
    try store.setServed(
      ServedRow(sequence: sequence, recordHash: recordHash, ownCounter: ownCounter), vault: id, slot: slot)
    greatestServed = max(greatestServed, sequence)
  }

  /// A purge event took the slot's record out of the relay at `sequence`. Purging is not built yet: so no honest device made it,
  /// and what is held goes to the relay again.
  func noteEmpty(_ slot: SlotID, sequence: UInt64) throws {
    guard let setHashKey = secretsC?.keyring.setHashKey else { throw VaultError.locked }
    let before = try store.served(vault: id, slot: slot)
    if let before, before.sequence >= sequence { return }
    takeOut(before, slot, setHashKey)
    try store.removeServed(vault: id, slot: slot)
    greatestServed = max(greatestServed, sequence)
    if let item = try store.item(vault: id, scope: .vault, slot: slot) { try store.setDirty(mayWrite, item: item.id) }
  }

  private func takeOut(_ served: ServedRow?, _ slot: SlotID, _ setHashKey: SharedKey<SetHashRole>) {
    guard let served else { return }
    setHash.remove(slot: slot.bytes, recordHash: served.recordHash, setHashKey.key)
    listingDigest.remove(slot: slot.bytes, sequence: served.sequence)
  }
}
