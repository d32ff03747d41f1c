internal import CBOR
public import VaultModel

/// The part of a record that nothing hides (Docs/Formats.md §2).
public struct RecordHeader: Hashable, Sendable {
  /// The key that seals it.
  public let keyID: SealingKeyID
  /// Who wrote it; nil under a key of this device.
  public let author: DeviceID?
  /// The hash of the newest chain entry that the author knew, 32 bytes; empty under a key of this device.
  public let head: [UInt8]
  /// Fresh at every sealing.
  public let nonce: [UInt8]
  /// Binds the record to its key: XChaCha20-Poly1305 alone does not.
  public let commitment: [UInt8]

  /// Reads a record's header and nothing after it, for those who must find its key or its author's chain entry first.
  public static func peek(_ bytes: [UInt8]) throws(RecordError) -> RecordHeader {
    guard bytes.count <= SealedRecord.maximumLength else { throw .tooLarge }
    do {
      var reader = CBORReader(bytes)
      return try RecordHeader(reading: &reader)
    } catch let error as RecordError {
      throw error
    } catch {
      throw .malformed
    }
  }

  init(keyID: SealingKeyID, author: DeviceID?, head: [UInt8], nonce: [UInt8], commitment: [UInt8]) {
    self.keyID = keyID
    self.author = author
    self.head = head
    self.nonce = nonce
    self.commitment = commitment
  }

  init(reading reader: inout CBORReader) throws {
    try reader.message(SealedRecord.elementCount)
    keyID = try SealingKeyID(reading: &reader)
    if keyID.epoch == nil {
      author = nil
      _ = try reader.byteString(0)
      head = try reader.byteString(0)
    } else {
      author = DeviceID(try reader.byteString(32))
      head = try reader.byteString(32)
    }
    nonce = try reader.byteString(24)
    commitment = try reader.byteString(32)
  }

  /// What stands between a record's first byte and its attributes part, and after the first byte of the header.
  func writeElements(to writer: inout CBORWriter) {
    writer.unsigned(1)
    keyID.write(to: &writer)
    writer.byteString(author?.bytes ?? [])
    writer.byteString(head)
    writer.byteString(nonce)
    writer.byteString(commitment)
  }

  /// `header` of Docs/Formats.md §2: the encoding that is authenticated.
  var encoded: [UInt8] {
    var writer = CBORWriter(capacity: 192)
    writer.array(6)
    writeElements(to: &writer)
    return writer.bytes
  }
}
