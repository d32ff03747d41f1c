internal import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel

/// What it takes to verify and open records, as it was at one moment: it can be used without the agent's lock.
struct OpeningKeys: Sendable {
  let vault: VaultID
  let chain: ChainState
  let keysA: EpochKeys?
  let keysC: EpochKeys?

  /// The key that a vault's record names; nil if it is not there.
  private func key(_ id: SealingKeyID) -> SharedKey<SealingRole>? {
    switch id {
    case .device: nil
    case .vault(let epoch, .whenUnlocked): keysA?.key(epoch: epoch)
    case .vault(let epoch, _): keysC?.key(epoch: epoch)
    }
  }

  /// Verifies and opens `bytes`, as far as the keys allow.
  func open(_ bytes: [UInt8], slot: SlotID) -> RecordOpening {
    var opening = RecordOpening(bytes: bytes)
    guard let record = opening.record, let author = record.header.author, let device = chain.device(author.bytes)
    else { return opening }
    opening.verify(by: device.keys.pushSigning, vault: vault, slot: slot)
    if opening.isSigned, let key = key(record.header.keyID) { opening.open(with: key, vault: vault, slot: slot) }
    return opening
  }
}

/// A record with what is dear to find out about it: whether its signature is good and what it holds. Each finding names the key that
/// led to it and depends on nothing else, so it may be made on any thread, ahead of time: it counts exactly as long as that key does.
struct RecordOpening: Sendable {
  let bytes: [UInt8]
  /// `SealedRecord.recordHash`, also of bytes that are no record.
  let hash: [UInt8]
  /// nil: it does not have the form of a record.
  let record: SealedRecord?
  private var signer: [UInt8]?
  private(set) var isSigned = false
  private var key: SharedKey<SealingRole>?
  private var contents: Result<ItemState, RecordError>?

  init(bytes: [UInt8]) {
    self.bytes = bytes
    hash = SealedRecord.recordHash(bytes)
    record = try? SealedRecord(decoding: bytes)
  }

  /// Whether the owner of the push-signing key `signer` signed it for this slot.
  mutating func isSigned(by signer: [UInt8], vault: VaultID, slot: SlotID) -> Bool {
    if self.signer != signer { verify(by: signer, vault: vault, slot: slot) }
    return isSigned
  }

  /// What it holds under `key`. To be asked only after `isSigned`.
  mutating func item(
    _ key: SharedKey<SealingRole>, vault: VaultID, slot: SlotID
  ) throws(RecordError) -> ItemState {
    if self.key !== key { open(with: key, vault: vault, slot: slot) }
    guard let contents else { throw .malformed }
    return try contents.get()
  }

  fileprivate mutating func verify(by signer: [UInt8], vault: VaultID, slot: SlotID) {
    self.signer = signer
    guard let record else { return isSigned = false }
    do {
      try RecordOpener.verifySignature(record, vault: vault, slot: slot, pushSigningKey: signer)
      isSigned = true
    } catch {
      isSigned = false
    }
  }

  fileprivate mutating func open(with key: SharedKey<SealingRole>, vault: VaultID, slot: SlotID) {
    self.key = key
    guard let record else { return contents = nil }
    do {
      contents = .success(try RecordOpener.open(record, vault: vault, slot: slot, key: key.key))
    } catch {
      contents = .failure(error)
    }
  }
}
