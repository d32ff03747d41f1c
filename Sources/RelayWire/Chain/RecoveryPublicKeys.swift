public import CBOR

/// What the chain holds of a recovery key: `recovery` of Docs/Formats.md §4.
public struct RecoveryPublicKeys: Sendable, Hashable {
  /// Ed25519; signs chain entries for the recovery key.
  public let signing: [UInt8]
  /// X25519; keyrings of both kinds are sealed to it.
  public let sealing: [UInt8]
  /// The commitment to its pre-shared key.
  public let commitment: [UInt8]
  /// Finds the vault at the relay.
  public let locator: [UInt8]
  /// Its name, for members.
  public let name: ChainName

  /// The public half of a recovery key.
  public init(signing: [UInt8], sealing: [UInt8], commitment: [UInt8], locator: [UInt8], name: ChainName) {
    self.signing = signing
    self.sealing = sealing
    self.commitment = commitment
    self.locator = locator
    self.name = name
  }

  /// Reads [signing public key, sealing public key, commitment, locator, name].
  public init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(5)
    signing = try reader.byteString(ChainLimits.idBytes)
    sealing = try reader.byteString(ChainLimits.idBytes)
    commitment = try reader.byteString(ChainLimits.idBytes)
    locator = try reader.byteString(ChainLimits.idBytes)
    name = try ChainName(reading: &reader)
  }

  /// The array, as it is sent.
  public var value: CBORValue {
    [.bytes(signing), .bytes(sealing), .bytes(commitment), .bytes(locator), name.value]
  }
}
