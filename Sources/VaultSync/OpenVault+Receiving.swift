internal import CBOR
internal import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// Records that come from the relay. Nothing of them is believed before signature, key, place and class were checked.
extension OpenVault {
  /// A counter or a time further ahead than this is quarantined until then (design/sync.md, "Item state").
  static let tolerance: UInt64 = 24 * 60 * 60 * 1000

  enum Judgement {
    case merged
    /// Sealed for class A while locked, or behind such a record in its slot.
    case waits
    /// Does not count now; looked at again from `retryAfter` (ms, 0: when something changes).
    case quarantined(String, retryAfter: UInt64)
  }

  /// Takes in one record of the relay at `sequence`. Part of a transaction of the caller.
  func receive(_ bytes: [UInt8], slot: SlotID, sequence: UInt64, clock: UInt64) throws {
    let before = try store.served(vault: id, slot: slot)
    if let before, before.sequence >= sequence { return }
    guard let record = try? SealedRecord(decoding: bytes) else {
      let hash = Digest.hash("lockstep/record-hash/1", [.bytes(bytes)])
      try noteServed(before, slot: slot, sequence: sequence, recordHash: hash, ownCounter: 0)
      try store.insert(
        InboxRow(
          sequence: sequence, slot: slot, record: bytes, reason: "it does not have the form of a record", retryAfter: 0),
        vault: id)
      return
    }
    try noteServed(before, slot: slot, sequence: sequence, recordHash: record.recordHash, ownCounter: 0)
    switch try merge(record, slot: slot, clock: clock) {
    case .merged: break
    case .waits:
      try store.insert(
        InboxRow(sequence: sequence, slot: slot, record: bytes, reason: "", retryAfter: 0), vault: id)
    case .quarantined(let reason, let retryAfter):
      try store.insert(
        InboxRow(sequence: sequence, slot: slot, record: bytes, reason: reason, retryAfter: retryAfter), vault: id)
    }
  }

  /// Merges what waits in the inbox, as far as the keys that are there and the clock allow. After an unlock this comes before
  /// the first answer; after a longer chain or once a day it looks at the quarantine again.
  public func mergeInbox(clock: UInt64, includingQuarantine: Bool = false) throws {
    let rows = try store.inbox(vault: id)
    guard !rows.isEmpty else { return }
    try store.transaction {
      for waiting in rows {
        let isDue =
          waiting.reason.isEmpty || includingQuarantine || (waiting.retryAfter > 0 && waiting.retryAfter <= clock)
        guard isDue, let record = try? SealedRecord(decoding: waiting.record) else { continue }
        // Out of the inbox first: the record must not wait behind itself.
        try store.removeInbox(sequence: waiting.sequence, vault: id)
        switch try merge(record, slot: waiting.slot, clock: clock) {
        case .merged: break
        case .waits:
          try store.insert(
            InboxRow(sequence: waiting.sequence, slot: waiting.slot, record: waiting.record, reason: "", retryAfter: 0),
            vault: id)
        case .quarantined(let reason, let retryAfter):
          try store.insert(
            InboxRow(
              sequence: waiting.sequence, slot: waiting.slot, record: waiting.record, reason: reason,
              retryAfter: retryAfter), vault: id)
        }
      }
    }
  }

  /// Verifies, opens and merges one record into its slot.
  func merge(_ record: SealedRecord, slot: SlotID, clock: UInt64) throws -> Judgement {
    let header = record.header
    guard let author = header.author, case .vault(let epoch, let protection) = header.keyID else {
      return .quarantined("it is sealed under a key of some device alone", retryAfter: 0)
    }
    guard let device = chain.device(author.bytes) else {
      return .quarantined("its author is not in the device chain", retryAfter: 0)
    }
    guard chain.isWriter(author.bytes) else {
      return .quarantined("its author may not write in this vault", retryAfter: 0)
    }
    guard knownHeads.contains(header.head) else {
      return .quarantined("it names a chain entry that the relay does not serve", retryAfter: 0)
    }
    do {
      try RecordOpener.verifySignature(
        record, vault: row.vaultID, slot: slot, pushSigningKey: device.keys.pushSigning)
    } catch {
      return .quarantined("its signature is not its author's", retryAfter: 0)
    }
    if try store.hasWaiting(vault: id, slot: slot) { return .waits }
    guard let key = sealingKey(header.keyID) else {
      if protection == .whenUnlocked, secretsA == nil { return .waits }
      return .quarantined("the keys of epoch \(epoch) are not here", retryAfter: 0)
    }
    let incoming: ItemState
    do {
      incoming = try RecordOpener.open(record, vault: row.vaultID, slot: slot, key: key.key)
    } catch {
      return .quarantined("it does not open", retryAfter: 0)
    }
    if let finding = misplaced(incoming, header.keyID, slot) { return .quarantined(finding, retryAfter: 0) }
    if let due = dueTime(incoming, clock: clock) {
      return .quarantined("its clock runs more than a day ahead", retryAfter: due)
    }
    return try merge(incoming, record, slot: slot)
  }

  /// The slot and the class follow from what is inside: a mismatch means that the author's agent lies or is broken.
  private func misplaced(_ item: ItemState, _ keyID: SealingKeyID, _ slot: SlotID) -> String? {
    guard let expected = try? self.slot(item.primaryKey, .vault, item.strictestAccessibility), expected == slot else {
      return "it lies in the slot of another item"
    }
    return keyID.suits(item.strictestAccessibility) ? nil : "it is sealed under another class than its own"
  }

  /// When a record whose counters or times lie more than a day ahead may be merged; nil if it may be now.
  private func dueTime(_ item: ItemState, clock: UInt64) -> UInt64? {
    let counters = item.vector.entries.map { $0.counter >> 20 }.max() ?? 0
    let times = item.registers.values.map(\.shown.time).max() ?? 0
    let latest = max(counters, times)
    return latest > clock &+ Self.tolerance ? latest - Self.tolerance : nil
  }

  private func merge(_ incoming: ItemState, _ record: SealedRecord, slot: SlotID) throws -> Judgement {
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
    let own = incoming.vector[row.deviceID]
    if own > 0 {
      if let served = try store.served(vault: id, slot: slot) {
        try store.setServed(
          ServedRow(sequence: served.sequence, recordHash: served.recordHash, ownCounter: own), vault: id, slot: slot)
      }
      try store.removeUnstored(upTo: own, vault: id, slot: slot)
    }
    let merged = held.map { $0.merging(incoming) } ?? incoming
    if merged == incoming {
      // The relay's bytes take the place of ours: the same state must not lie in two records.
      if existing?.record != record.bytes || existing?.isDirty == true {
        try put(
          incoming, record.bytes, record.header.keyID.protectionClass, .vault, slot, replacing: existing, isDirty: false
        )
      }
    } else if merged == held, let existing {
      try store.setDirty(true, item: existing.id)
    } else if sealingKey(newestKeyID(.vault, merged.strictestAccessibility)) == nil {
      return .waits
    } else {
      do {
        try seal(merged, scope: .vault, slot: slot, replacing: existing, isDirty: true)
      } catch VaultError.invalid {
        // Two contents under one dot (a copied store), or more open values than a record holds: both stay, apart.
        return .quarantined("it cannot be merged with what is here", retryAfter: 0)
      }
    }
    return .merged
  }

  /// Keeps `served`, set hash and listing digest in step with what the relay holds.
  func noteServed(
    _ before: ServedRow?, slot: SlotID, sequence: UInt64, recordHash: [UInt8], ownCounter: UInt64
  ) throws {
    guard let setHashKey = secretsC?.keyring.setHashKey else { throw VaultError.locked }
    if let before {
      setHash.remove(slot: slot.bytes, recordHash: before.recordHash, setHashKey.key)
      listingDigest.remove(slot: slot.bytes, sequence: before.sequence)
    }
    setHash.insert(slot: slot.bytes, recordHash: recordHash, setHashKey.key)
    listingDigest.insert(slot: slot.bytes, sequence: sequence)
    try store.setServed(
      ServedRow(sequence: sequence, recordHash: recordHash, ownCounter: ownCounter), vault: id, slot: slot)
    greatestServed = max(greatestServed, sequence)
  }
}
