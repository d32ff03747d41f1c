public import CBOR

/// One signature of a chain entry.
public struct ChainSignature: Sendable, Hashable {
  /// Whose key signs, and what.
  public enum Kind: UInt64, Sendable, Hashable {
    /// A device of the chain, over the content.
    case device = 0
    /// A recovery key, over the content.
    case recoveryKey = 1
    /// The joining device, over the vault id, its keys, its name commitment and the mailbox.
    case joiningDevice = 2
  }

  /// What kind of signature it is.
  public let kind: Kind
  /// The device id or recovery id of the signer.
  public let signer: [UInt8]
  /// 64 bytes.
  public let signature: [UInt8]

  /// A signature.
  public init(kind: Kind, signer: [UInt8], signature: [UInt8]) {
    self.kind = kind
    self.signer = signer
    self.signature = signature
  }
}

/// A chain entry whose form is right and of which nothing is verified: only `ChainState` of DeviceChain makes it count.
public struct ChainEntry: Sendable, Hashable {
  /// The bytes that are signed and hashed.
  public let contentBytes: [UInt8]
  /// What they say.
  public let content: ChainContent
  /// The signatures; they stand outside the hash.
  public let signatures: [ChainSignature]

  /// An entry of a content and its signatures.
  public init(content: ChainContent, signatures: [ChainSignature]) {
    self.contentBytes = content.encoded
    self.content = content
    self.signatures = signatures
  }

  /// Reads [1, content, [[signer kind, signer, signature], …]] within the limits of `ChainLimits`.
  public init(decoding bytes: [UInt8]) throws(CBORError) {
    guard bytes.count <= ChainLimits.entryBytes else { throw .outOfRange }
    var reader = CBORReader(bytes)
    try reader.array(3)
    guard try reader.unsigned() == 1 else { throw .outOfRange }
    contentBytes = try reader.byteString()
    content = try ChainContent(decoding: contentBytes)
    let count = try reader.array()
    guard count <= ChainLimits.signatures else { throw .outOfRange }
    var signatures: [ChainSignature] = []
    for _ in 0..<count {
      try reader.array(3)
      guard let kind = ChainSignature.Kind(rawValue: try reader.unsigned()) else { throw .outOfRange }
      let signer = try reader.byteString(ChainLimits.idBytes)
      let signature = try reader.byteString(ChainLimits.signatureBytes)
      signatures.append(ChainSignature(kind: kind, signer: signer, signature: signature))
    }
    self.signatures = signatures
    try reader.end()
  }

  /// The entry, as it is sent and stored.
  public var encoded: [UInt8] {
    let list = signatures.map { signature -> CBORValue in
      [.unsigned(signature.kind.rawValue), .bytes(signature.signer), .bytes(signature.signature)]
    }
    let value: CBORValue = [1, .bytes(contentBytes), .array(list)]
    return value.encoded
  }
}
