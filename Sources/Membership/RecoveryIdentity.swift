internal import CBOR
internal import DeviceChain
public import RelayWire
public import VaultCrypto

/// The keys that a recovery key stands for (Docs/Formats.md §5).
public final class RecoveryIdentity: Sendable {
  /// The recovery id.
  public let id: [UInt8]
  /// Signs chain entries.
  public let signing: SigningKey<RecoverySigningRole>
  /// Opens keyrings of both kinds.
  public let sealing: ExchangeKey<RecoverySealingRole>
  /// Stands beside the sealing key; members hold it too.
  public let preSharedKey: SharedKey<PreSharedRole>
  /// Names the vault at the relay.
  public let locator: [UInt8]

  init(_ key: borrowing SymmetricKey<RecoveryRole>) {
    let context = "lockstep/recovery/1"
    signing = SigningKey(seed: key.derive(RecoverySigningRole.self, context, ["signing"]))
    sealing = ExchangeKey(seed: key.derive(RecoverySealingRole.self, context, ["sealing"]))
    preSharedKey = SharedKey(key.derive(PreSharedRole.self, context, ["pre-shared key"]))
    locator = key.authenticate(context, ["locator"])
    id = ChainHash.recoveryID(signing: signing.publicKey, sealing: sealing.publicKey)
  }

  /// What the chain of the vault with this salt holds of it.
  public func publicKeys(salt: [UInt8], name: ChainName) -> RecoveryPublicKeys {
    RecoveryPublicKeys(
      signing: signing.publicKey, sealing: sealing.publicKey,
      commitment: KeyCommitment.recovery(preSharedKey, salt: salt), locator: locator, name: name)
  }
}
