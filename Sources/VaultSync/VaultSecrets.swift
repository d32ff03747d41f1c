internal import CBOR
public import Membership
public import SealedRecords
public import VaultCrypto

/// What class A protects of a vault on this device: keyring A and the keys that go with it (Docs/Formats.md §9).
public final class VaultSecretsA: Sendable {
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
  public convenience init(contents: [UInt8]) throws {
    var (chainSeed, exchangeSeed, keyring) = try splitContents(contents)
    defer { wipe(&keyring) }
    self.init(
      device: DeviceKeysA(
        chainSigning: SigningKey(seed: try SymmetricKey(consuming: &chainSeed)),
        exchange: ExchangeKey(seed: try SymmetricKey(consuming: &exchangeSeed))),
      keyring: try KeyringA(contents: keyring))
  }

  /// The contents of the local blob; the caller wipes them.
  public var contents: [UInt8] {
    joinContents(device.chainSigning.exportSeed(), device.exchange.exportSeed(), keyring.contents)
  }
}

/// What class C protects of a vault on this device: keyring C and the keys that go with it.
public final class VaultSecretsC: Sendable {
  /// The device's exchange-C key; its push-signing key is `signer`'s.
  public let device: DeviceKeysC
  /// The C keys, the slot key and the set-hash key.
  public let keyring: KeyringC
  /// Signs records, checkpoints and requests.
  public var signer: PushSigner { device.pushSigning }

  /// From their parts.
  public init(device: DeviceKeysC, keyring: KeyringC) {
    self.device = device
    self.keyring = keyring
  }

  /// From the contents of the local blob "vault C".
  public convenience init(contents: [UInt8]) throws {
    var (pushSeed, exchangeSeed, keyring) = try splitContents(contents)
    defer { wipe(&keyring) }
    self.init(
      device: DeviceKeysC(
        pushSigning: PushSigner(SigningKey(seed: try SymmetricKey(consuming: &pushSeed))),
        exchange: ExchangeKey(seed: try SymmetricKey(consuming: &exchangeSeed))),
      keyring: try KeyringC(contents: keyring))
  }

  /// The contents of the local blob; the caller wipes them.
  public var contents: [UInt8] {
    joinContents(device.pushSigning.key.exportSeed(), device.exchange.exportSeed(), keyring.contents)
  }
}

private func splitContents(_ contents: [UInt8]) throws(CBORError) -> ([UInt8], [UInt8], [UInt8]) {
  var reader = CBORReader(contents)
  try reader.array(4)
  guard try reader.unsigned() == 1 else { throw .outOfRange }
  let first = try reader.byteString(32)
  let second = try reader.byteString(32)
  let keyring = try reader.byteString()
  try reader.end()
  return (first, second, keyring)
}

private func joinContents(_ first: [UInt8], _ second: [UInt8], _ keyring: [UInt8]) -> [UInt8] {
  var writer = CBORWriter(capacity: keyring.count + 96)
  writer.array(4)
  writer.unsigned(1)
  writer.byteString(first)
  writer.byteString(second)
  writer.byteString(keyring)
  return writer.bytes
}
