internal import CBOR
public import RelayWire
public import VaultCrypto

/// The key that a keyring is encrypted under outside the sealed box, so that nothing rests on X25519 alone (Docs/Formats.md §3).
public enum KeyringWrap: Sendable {
  /// For an active device: the A key (of a keyring A) or C key (of a keyring C) of the epoch before the keyring's.
  case previousEpoch(SharedKey<SealingRole>)
  /// For a joining device: the secret of its pairing.
  case pairing(PairingSecret)
  /// For a recovery key: its pre-shared key.
  case recoveryKey(SharedKey<PreSharedRole>)

  /// How the format calls it.
  public var kind: SealedKeyring.Wrap {
    switch self {
    case .previousEpoch: .previousEpoch
    case .pairing: .pairing
    case .recoveryKey: .recoveryKey
    }
  }

  func wrappingKey(vaultID: [UInt8], epoch: UInt64, recipient: [UInt8]) -> SymmetricKey<EncryptionRole> {
    let context = "lockstep/keyring-wrap/1"
    let inputs: [CBORValue] = [.bytes(vaultID), .unsigned(epoch), .bytes(recipient)]
    switch self {
    case .previousEpoch(let key): return key.key.derive(EncryptionRole.self, context, inputs)
    case .pairing(let secret): return secret.key("keyring")
    case .recoveryKey(let key): return key.key.derive(EncryptionRole.self, context, inputs)
    }
  }
}
