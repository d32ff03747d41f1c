public import CBOR

/// A name that only members can read: `name` of Docs/Formats.md §4.
public struct ChainName: Sendable, Hashable {
  /// Commits to the text under a salt that is sealed beside it.
  public let commitment: [UInt8]
  /// The epoch of the C key that seals the name.
  public let epoch: UInt64
  /// The nonce of the sealed name.
  public let nonce: [UInt8]
  /// The sealed salt and text.
  public let sealed: [UInt8]

  /// A sealed name.
  public init(commitment: [UInt8], epoch: UInt64, nonce: [UInt8], sealed: [UInt8]) {
    self.commitment = commitment
    self.epoch = epoch
    self.nonce = nonce
    self.sealed = sealed
  }

  /// Reads [name commitment, epoch, nonce, sealed name].
  public init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(4)
    commitment = try reader.byteString(ChainLimits.idBytes)
    epoch = try reader.unsigned()
    nonce = try reader.byteString(ChainLimits.nonceBytes)
    sealed = try reader.byteString(ChainLimits.sealedNameBytes)
  }

  /// The array, as it is sent.
  public var value: CBORValue { [.bytes(commitment), .unsigned(epoch), .bytes(nonce), .bytes(sealed)] }
}
