public import Membership
public import SealedRecords
public import VaultCrypto
internal import VaultModel

/// What class A protects of a vault on this device: keyring A and the keys that go with it (Docs/Formats.md §9).
public struct VaultSecretsA: Sendable {
  /// The device's chain-signing and exchange-A keys.
  public let device: DeviceKeysA
  /// The A keys and the recovery keys' pre-shared keys.
  public let keyring: KeyringA

  /// From their parts.
  public init(device: DeviceKeysA, keyring: KeyringA) {
    self.device = device
    self.keyring = keyring
  }

  /// From the contents of the local blob "vault A".
  init(contents: [UInt8], device: DeviceID) throws {
    let (keys, keyring) = try LocalSecrets.readA(contents, device: device)
    self.init(device: keys, keyring: keyring)
  }
}

/// What class C protects of a vault on this device: keyring C and the keys that go with it.
public struct VaultSecretsC: Sendable {
  /// The device's push-signing and exchange-C keys.
  public let device: DeviceKeysC
  /// The C keys, the slot key and the set-hash key.
  public let keyring: KeyringC
  /// Signs records, checkpoints and requests.
  public let signer: PushSigner

  /// From their parts.
  public init(device: DeviceKeysC, keyring: KeyringC) {
    self.device = device
    self.keyring = keyring
    signer = device.signer
  }

  /// From the contents of the local blob "vault C".
  init(contents: [UInt8], device: DeviceID) throws {
    let (keys, keyring) = try LocalSecrets.readC(contents, device: device)
    self.init(device: keys, keyring: keyring)
  }
}

extension DeviceKeysC {
  /// The push-signing key as those hold it who sign with it.
  var signer: PushSigner {
    var seed = pushSigning.exportSeed()
    defer { wipe(&seed) }
    do {
      return PushSigner(SigningKey(seed: try SymmetricKey(consuming: &seed)))
    } catch {
      fatalError("an Ed25519 seed has 32 bytes")
    }
  }
}
