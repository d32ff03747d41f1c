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
  /// A counter or a time further ahead than this is quarantined until then (Docs/Sync.md, "Quarantine").
  public static let tolerance: UInt64 = 24 * 60 * 60 * 1000

  /// What becomes of a record.
  enum Judgement {
    case merged
    /// Sealed for class A while locked, or behind such a record in its slot.
    case waits
    /// Does not count now; looked at again from `retryAfter` (ms, 0: when chain or keys change).
    case quarantined(String, retryAfter: UInt64 = 0)
    /// Can never count.
    case hopeless(String)
  }

  /// What opens records now, for `RecordOpening`.
  var openingKeys: OpeningKeys {
    OpeningKeys(vault: row.vaultID, chain: chain, keysA: secretsA?.keyring.keys, keysC: secretsC?.keyring.keys)
  }

  /// Takes in one record of the relay at `sequence`. Part of a transaction of the caller.
  func receive(_ opening: RecordOpening, slot: SlotID, sequence: UInt64, clock: UInt64) throws {
    let before = try store.served(vault: id, slot: slot)
    if let before, before.sequence >= sequence { return }
    try noteServed(before, slot: slot, sequence: sequence, recordHash: opening.hash, ownCounter: 0)
    let judgement = try merge(opening, slot: slot, isServed: true, clock: clock)
    try setAside(opening.bytes, opening.hash, slot, judgement, isServed: true)
  }

  private func setAside(_ bytes: [UInt8], _ hash: [UInt8], _ slot: SlotID, _ judgement: Judgement, isServed: Bool)
    throws
  {
    let row: InboxRow
    switch judgement {
    case .merged:
      return try store.removeInbox(vault: id, slot: slot, recordHash: hash, withHopeless: isServed)
    case .waits: row = InboxRow(slot: slot, recordHash: hash, record: bytes)
    case .quarantined(let reason, let retryAfter):
      row = InboxRow(slot: slot, recordHash: hash, record: bytes, reason: reason, retryAfter: retryAfter)
    case .hopeless(let reason):
      row = InboxRow(slot: slot, recordHash: hash, record: bytes, reason: reason, isHopeless: true)
    }
    try store.insert(row, vault: id)
  }

  /// After an unlock and before the first answer: opens the keyrings that came while class A was away, and merges what waited.
  public func mergeWaiting(clock: UInt64) throws {
    try openKeyrings(clock: clock)
    try releaseHeld()
    try mergeInbox(.waiting, clock: clock)
  }

  /// Merges what lies aside, as far as the keys that are there and the clock allow.
  func mergeInbox(_ selection: InboxSelection, clock: UInt64) throws {
    var last: Int64 = 0
    while true {
      let rows = try store.inbox(vault: id, selection, after: last, limit: Self.recordsPerTransaction)
      guard let end = rows.last else { return }
      last = end.id
      try store.transaction {
        for waiting in rows { try mergeAgain(waiting, clock: clock) }
      }
    }
  }

  /// What can be merged now for another reason than that it just came: what waited for an unlock, and what was due.
  func mergeDue(clock: UInt64) throws {
    if isUnlocked, try store.hasWaiting(vault: id) { try mergeInbox(.waiting, clock: clock) }
    if try store.hasDue(vault: id, clock: clock) { try mergeInbox(.due(clock: clock), clock: clock) }
  }

  private func mergeAgain(_ waiting: InboxRow, clock: UInt64) throws {
    let opening = openingKeys.open(waiting.record, slot: waiting.slot)
    let isServed = try store.served(vault: id, slot: waiting.slot)?.recordHash == waiting.recordHash
    let judgement = try merge(
      opening, slot: waiting.slot, isServed: isServed, from: waiting.id, clock: clock)
    try setAside(waiting.record, waiting.recordHash, waiting.slot, judgement, isServed: isServed)
  }

  /// Verifies, opens and merges one record into its slot. `isServed`: it is what the relay holds there now. `place`: where
  /// it lies in the inbox, if it comes from there.
  private func merge(
    _ opening: RecordOpening, slot: SlotID, isServed: Bool, from place: Int64? = nil, clock: UInt64
  ) throws -> Judgement {
    // Not hopeless: it may be a form of the future, which others read.
    guard let record = opening.record else { return .quarantined("it does not have the form of a record") }
    var opening = opening
    let header = record.header
    guard let author = header.author, case .vault(let epoch, let protection) = header.keyID else {
      return .hopeless("it is sealed under a key of some device alone")
    }
    guard let device = chain.device(author.bytes) else { return .quarantined("its author is not in the device chain") }
    // Before everything else: who is not its author cannot make it count.
    guard opening.isSigned(by: device.keys.pushSigning, vault: row.vaultID, slot: slot) else {
      return .hopeless("its signature is not its author's")
    }
    guard !chain.isRevoked(author.bytes) else { return .hopeless("its author was revoked") }
    guard chain.isWriter(author.bytes) else { return .quarantined("its author may not write in this vault") }
    guard chain.number(ofHead: header.head) != nil else {
      return .quarantined("it names a chain entry that the relay does not serve")
    }
    if try store.hasWaiting(vault: id, slot: slot, before: place) { return .waits }
    guard let key = sealingKey(header.keyID) else {
      if protection == .whenUnlocked, secretsA == nil { return .waits }
      return .quarantined("the keys of epoch \(epoch) are not here")
    }
    let incoming: ItemState
    do {
      incoming = try opening.item(key, vault: row.vaultID, slot: slot)
    } catch RecordError.notAuthentic {
      return .hopeless("it does not open")
    } catch {
      return .quarantined("its contents do not have the form of an item")
    }
    if let finding = misplaced(incoming, header.keyID, slot) { return .hopeless(finding) }
    if let due = dueTime(incoming, clock: clock) {
      return .quarantined("its clock runs more than a day ahead", retryAfter: due)
    }
    return try merge(incoming, record, slot: slot, isServed: isServed)
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
    let latest = max(counters, item.modificationTime)
    return latest > clock &+ Self.tolerance ? latest - Self.tolerance : nil
  }
}
