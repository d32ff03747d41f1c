internal import CBOR
internal import VaultCrypto

/// A sealed item: the same bytes at rest and on the wire (Docs/Formats.md §2). Well formed, but nothing in it is verified
/// until `RecordOpener` did so.
public struct SealedRecord: Hashable, Sendable {
  /// The longest record.
  public static let maximumLength = 16 << 20
  static let elementCount = 9
  /// A part holds at least the smallest padded plaintext.
  private static let minimumPartLength = Padding.minimum + 16

  /// The record's bytes.
  public let bytes: [UInt8]
  /// Its header.
  public let header: RecordHeader
  private let attributesRange: Range<Int>
  private let secretRange: Range<Int>
  private let signatureRange: Range<Int>

  /// Reads a record strictly.
  public init(decoding bytes: [UInt8]) throws(RecordError) {
    let fields = try decodingStrictly(bytes, atMost: Self.maximumLength) { reader in
      (
        header: try RecordHeader(reading: &reader), attributes: try reader.byteStringRange(),
        secret: try reader.byteStringRange(), signature: try reader.byteStringRange()
      )
    }
    let signatureLength = fields.header.author == nil ? 0 : Signature.length
    guard fields.attributes.count >= Self.minimumPartLength, fields.secret.count >= Self.minimumPartLength,
      fields.signature.count == signatureLength
    else { throw .malformed }
    self.bytes = bytes
    header = fields.header
    attributesRange = fields.attributes
    secretRange = fields.secret
    signatureRange = fields.signature
  }

  /// The hash by which checkpoints and purge events name this record (Docs/Formats.md §7).
  public var recordHash: [UInt8] { Self.recordHash(bytes) }

  /// The same of any bytes: what a relay serves has such a hash before anybody knows whether it is a record.
  public static func recordHash(_ bytes: [UInt8]) -> [UInt8] { Digest.hash("lockstep/record-hash/1", [.bytes(bytes)]) }

  var attributesPart: [UInt8] { Array(bytes[attributesRange]) }
  var secretPart: [UInt8] { Array(bytes[secretRange]) }
  var signature: [UInt8] { Array(bytes[signatureRange]) }

  /// Equal bytes are equal records.
  public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

  /// Feeds the commitment, which no two honest records share.
  public func hash(into hasher: inout Hasher) { hasher.combine(header.commitment) }
}
