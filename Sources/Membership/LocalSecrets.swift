internal import CBOR
internal import RelayWire
internal import VaultCrypto
public import VaultModel

/// The contents of the local blobs "vault A" and "vault C" (Docs/Formats.md §9): what a device keeps of its own keys and the vault's.
public enum LocalSecrets {
  /// What is sealed under class A; the caller wipes it.
  public static func export(_ keys: DeviceKeysA, _ keyring: KeyringA) -> [UInt8] {
    export(keys.chainSigning.exportSeed(), keys.exchange.exportSeed(), keyring.exportContents())
  }

  /// What is sealed under class C; the caller wipes it.
  public static func export(_ keys: DeviceKeysC, _ keyring: KeyringC) -> [UInt8] {
    export(keys.pushSigning.exportSeed(), keys.exchange.exportSeed(), keyring.exportContents())
  }

  /// Reads what was sealed under class A for `device`.
  public static func readA(
    _ contents: [UInt8], device: DeviceID
  ) throws(MembershipError) -> (keys: DeviceKeysA, keyring: KeyringA) {
    var parts = try Parts<ChainSigningRole, ExchangeARole>(contents)
    defer { wipe(&parts.keyring) }
    let keyring = try KeyringA(contents: parts.keyring)
    let keys = DeviceKeysA(
      device: device, chainSigning: SigningKey(seed: parts.signing.key.duplicate()),
      exchange: ExchangeKey(seed: parts.exchange.key.duplicate()))
    return (keys, keyring)
  }

  /// Reads what was sealed under class C for `device`.
  public static func readC(
    _ contents: [UInt8], device: DeviceID
  ) throws(MembershipError) -> (keys: DeviceKeysC, keyring: KeyringC) {
    var parts = try Parts<PushSigningRole, ExchangeCRole>(contents)
    defer { wipe(&parts.keyring) }
    let keyring = try KeyringC(contents: parts.keyring)
    let keys = DeviceKeysC(
      device: device, pushSigning: SigningKey(seed: parts.signing.key.duplicate()),
      exchange: ExchangeKey(seed: parts.exchange.key.duplicate()))
    return (keys, keyring)
  }

  /// [1, signing seed, exchange seed, keyring contents]
  private struct Parts<Signing: KeyRole, Exchange: KeyRole> {
    let signing: SharedKey<Signing>
    let exchange: SharedKey<Exchange>
    var keyring: [UInt8]

    init(_ contents: [UInt8]) throws(MembershipError) {
      do {
        var reader = CBORReader(contents)
        try reader.array(4)
        guard try reader.unsigned() == 1 else { throw CBORError.outOfRange }
        signing = try reader.secret()
        exchange = try reader.secret()
        // The contents are an array inside this one, so the reader sees where they end; they are parsed again on their own.
        keyring = try reader.encodedValue()
        try reader.end()
      } catch {
        throw .malformed
      }
    }
  }

  private static func export(
    _ signing: consuming [UInt8], _ exchange: consuming [UInt8], _ keyring: consuming [UInt8]
  ) -> [UInt8] {
    var writer = CBORWriter(capacity: 96 + keyring.count)
    writer.array(4)
    writer.unsigned(1)
    writer.byteString(signing)
    writer.byteString(exchange)
    writer.encoded(keyring)
    wipe(&signing)
    wipe(&exchange)
    wipe(&keyring)
    return writer.bytes
  }
}
