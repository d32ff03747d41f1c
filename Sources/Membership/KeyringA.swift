internal import CBOR
public import DeviceChain
internal import RelayWire
public import VaultCrypto

/// What keyrings A hold: the A keys, and the recovery keys' pre-shared keys so that members can seal to them (Docs/Formats.md §3).
public struct KeyringA: Sendable {
  /// The pre-shared key of a recovery key.
  public struct Recovery: Sendable {
    /// The recovery id.
    public let id: [UInt8]
    /// Its pre-shared key.
    public let key: SharedKey<PreSharedRole>
  }

  /// The A keys.
  public let keys: EpochKeys
  /// The pre-shared keys, by ascending recovery id.
  public let recovery: [Recovery]

  private init(keys: EpochKeys, recovery: [Recovery]) {
    self.keys = keys
    self.recovery = recovery
  }

  /// The keyring of a new vault.
  public static func fresh(recovery: [RecoveryIdentity] = []) -> KeyringA {
    recovery.reduce(KeyringA(keys: .fresh(), recovery: [])) { $0.adding($1) }
  }

  /// The newest epoch.
  public var epoch: UInt64 { keys.epoch }

  /// The pre-shared key of a recovery key, if it is held.
  public func preSharedKey(of recoveryID: [UInt8]) -> SharedKey<PreSharedRole>? {
    recovery.first { $0.id == recoveryID }?.key
  }

  /// This keyring and a recovery key.
  public func adding(_ identity: RecoveryIdentity) -> KeyringA {
    joining([Recovery(id: identity.id, key: identity.preSharedKey)])
  }

  /// This keyring with a random key for the next epoch and without these recovery keys.
  public func rotated(removing recoveryIDs: [[UInt8]] = []) -> KeyringA {
    KeyringA(keys: keys.rotated(), recovery: recovery.filter { !recoveryIDs.contains($0.id) })
  }

  /// This keyring and what `other` holds beside it: how a device keeps what it knew when it opens a newer keyring.
  /// Recovery keys that `state` does not count as active are left out.
  public func joined(_ other: KeyringA, _ state: ChainState) -> KeyringA {
    let all = KeyringA(keys: keys.joined(other.keys), recovery: recovery).joining(other.recovery)
    return KeyringA(keys: all.keys, recovery: all.recovery.filter { state.activeRecoveryKey($0.id) != nil })
  }

  /// This keyring without the keys of epochs below `epoch`.
  public func dropping(below epoch: UInt64) -> KeyringA {
    KeyringA(keys: keys.dropping(below: epoch), recovery: recovery)
  }

  /// Whether every key matches its commitment in the chain. A recovery key that was removed since still matches.
  public func matches(_ state: ChainState) -> Bool {
    keys.entries.allSatisfy { entry in
      guard let commitment = state.commitments(epoch: entry.epoch)?.a else { return false }
      return constantTimeEqual(commitment, KeyCommitment.a(entry.key, salt: state.salt, epoch: entry.epoch))
    }
      && recovery.allSatisfy { recovery in
        guard let commitment = state.recoveryKeys[recovery.id]?.keys.commitment else { return false }
        return constantTimeEqual(commitment, KeyCommitment.recovery(recovery.key, salt: state.salt))
      }
  }

  /// The plaintext of a keyring A; the caller wipes it.
  public func exportContents() -> [UInt8] {
    var writer = CBORWriter(capacity: 32 + keys.entries.count * 48 + recovery.count * 80)
    writer.array(4)
    writer.unsigned(1)
    writer.unsigned(SealedKeyring.Kind.a.rawValue)
    keys.write(to: &writer)
    writer.array(recovery.count)
    for recovery in recovery {
      writer.array(2)
      writer.byteString(recovery.id)
      writer.secret(recovery.key)
    }
    return writer.bytes
  }

  /// From the plaintext of a keyring A; `malformed` for any other form. The keys are not yet known to be the vault's: `matches`.
  public init(contents: [UInt8]) throws(MembershipError) {
    do {
      var reader = CBORReader(contents)
      try reader.array(4)
      guard try reader.unsigned() == 1, try reader.unsigned() == SealedKeyring.Kind.a.rawValue else {
        throw CBORError.outOfRange
      }
      keys = try EpochKeys(reading: &reader)
      let count = try reader.array()
      guard count <= ChainLimits.recoveryKeys else { throw CBORError.outOfRange }
      var recovery: [Recovery] = []
      for _ in 0..<count {
        try reader.array(2)
        let id = try reader.byteString(ChainLimits.idBytes)
        if let last = recovery.last, !last.id.lexicographicallyPrecedes(id) { throw CBORError.outOfRange }
        recovery.append(Recovery(id: id, key: try reader.secret()))
      }
      self.recovery = recovery
      try reader.end()
    } catch {
      throw .malformed
    }
  }

  private func joining(_ others: [Recovery]) -> KeyringA {
    let added = others.filter { preSharedKey(of: $0.id) == nil }
    return KeyringA(keys: keys, recovery: (recovery + added).sorted { $0.id.lexicographicallyPrecedes($1.id) })
  }
}
