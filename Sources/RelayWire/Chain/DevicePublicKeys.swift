public import CBOR

/// The four public keys of a device: `device` of Docs/Formats.md §4.
public struct DevicePublicKeys: Sendable, Hashable {
  /// Ed25519; signs chain entries.
  public let chainSigning: [UInt8]
  /// X25519; keyrings A are sealed to it.
  public let exchangeA: [UInt8]
  /// Ed25519; signs records, checkpoints and requests.
  public let pushSigning: [UInt8]
  /// X25519; keyrings C are sealed to it.
  public let exchangeC: [UInt8]

  /// Four keys; `decode` refuses any that has not 32 bytes.
  public init(chainSigning: [UInt8], exchangeA: [UInt8], pushSigning: [UInt8], exchangeC: [UInt8]) {
    self.chainSigning = chainSigning
    self.exchangeA = exchangeA
    self.pushSigning = pushSigning
    self.exchangeC = exchangeC
  }

  /// Reads [chain-signing, exchange-A, push-signing, exchange-C].
  public init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(4)
    chainSigning = try reader.byteString(ChainLimits.idBytes)
    exchangeA = try reader.byteString(ChainLimits.idBytes)
    pushSigning = try reader.byteString(ChainLimits.idBytes)
    exchangeC = try reader.byteString(ChainLimits.idBytes)
  }

  /// The keys in the order in which they are hashed into the device id.
  public var elements: [CBORValue] { [chainSigning, exchangeA, pushSigning, exchangeC].map(CBORValue.bytes) }

  /// The array, as it is signed and sent.
  public var value: CBORValue { .array(elements) }
}
