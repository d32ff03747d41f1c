internal import CBOR
public import DeviceChain
internal import RelayWire
public import VaultCrypto

/// What keyrings C hold: the C keys, the slot key and the set-hash key (Docs/Formats.md §3).
public struct KeyringC: Sendable {
  /// The C keys.
  public let keys: EpochKeys
  /// Derives slots; constant for the life of the vault.
  public let slotKey: SharedKey<SlotRole>
  /// Expands records into the set hash; constant for the life of the vault.
  public let setHashKey: SharedKey<SetHashRole>

  private init(keys: EpochKeys, slotKey: SharedKey<SlotRole>, setHashKey: SharedKey<SetHashRole>) {
    self.keys = keys
    self.slotKey = slotKey
    self.setHashKey = setHashKey
  }

  /// The keyring of a new vault.
  public static func fresh() -> KeyringC {
    KeyringC(keys: .fresh(), slotKey: SharedKey(.random()), setHashKey: SharedKey(.random()))
  }

  /// The newest epoch.
  public var epoch: UInt64 { keys.epoch }

  /// This keyring with a random key for the next epoch.
  public func rotated() -> KeyringC { with(keys.rotated()) }

  /// This keyring and the keys of other epochs that `other` holds.
  public func joined(_ other: KeyringC) -> KeyringC { with(keys.joined(other.keys)) }

  /// This keyring without the keys of epochs below `epoch`.
  public func dropping(below epoch: UInt64) -> KeyringC { with(keys.dropping(below: epoch)) }

  /// Whether every key matches its commitment in the chain.
  public func matches(_ state: ChainState) -> Bool {
    keys.entries.allSatisfy { entry in
      guard let commitment = state.commitments(epoch: entry.epoch)?.c else { return false }
      return constantTimeEqual(commitment, KeyCommitment.c(entry.key, salt: state.salt, epoch: entry.epoch))
    }
      && constantTimeEqual(state.slotCommitment, KeyCommitment.slot(slotKey, salt: state.salt))
      && constantTimeEqual(state.setHashCommitment, KeyCommitment.setHash(setHashKey, salt: state.salt))
  }

  /// The plaintext of a keyring C; the caller wipes it.
  public func exportContents() -> [UInt8] {
    var writer = CBORWriter(capacity: 128 + keys.entries.count * 48)
    writer.array(5)
    writer.unsigned(1)
    writer.unsigned(SealedKeyring.Kind.c.rawValue)
    keys.write(to: &writer)
    writer.secret(slotKey)
    writer.secret(setHashKey)
    return writer.bytes
  }

  /// From the plaintext of a keyring C; `malformed` for any other form. The keys are not yet known to be the vault's: `matches`.
  public init(contents: [UInt8]) throws(MembershipError) {
    do {
      var reader = CBORReader(contents)
      try reader.array(5)
      guard try reader.unsigned() == 1, try reader.unsigned() == SealedKeyring.Kind.c.rawValue else {
        throw CBORError.outOfRange
      }
      keys = try EpochKeys(reading: &reader)
      slotKey = try reader.secret()
      setHashKey = try reader.secret()
      try reader.end()
    } catch {
      throw .malformed
    }
  }

  private func with(_ keys: EpochKeys) -> KeyringC {
    KeyringC(keys: keys, slotKey: slotKey, setHashKey: setHashKey)
  }
}
