internal import CBOR
internal import VaultCrypto
public import VaultModel

/// A writer's statement that a tombstone, stored at one relay sequence, is held by all and may go (Docs/Formats.md §7).
public struct PurgeEvent: Hashable, Sendable {
  /// The longest event.
  public static let maximumLength = 1024

  /// Where the tombstone was.
  public let slot: SlotID
  /// The relay sequence at which it was stored.
  public let sequence: UInt64
  /// Its record's hash.
  public let recordHash: [UInt8]
  /// The relay's incarnation, 16 bytes.
  public let incarnation: [UInt8]
  /// The chain head that the author knew.
  public let head: [UInt8]
  /// Who purges.
  public let author: DeviceID
  /// Over all the rest but the author, whose key it takes to check it.
  public let signature: [UInt8]

  /// A signed event.
  public init(
    vault: VaultID, slot: SlotID, sequence: UInt64, recordHash: [UInt8], incarnation: [UInt8], author: RecordAuthor
  ) throws(RecordError) {
    guard recordHash.count == 32, incarnation.count == 16, author.head.count == 32 else { throw .malformed }
    self.slot = slot
    self.sequence = sequence
    self.recordHash = recordHash
    self.incarnation = incarnation
    head = author.head
    self.author = author.device
    signature = author.signer.key.sign(
      Self.signatureContext,
      Self.signatureInputs(vault, slot, sequence, recordHash, incarnation, author.head))
  }

  /// Reads an event strictly; its signature is not checked.
  public init(decoding bytes: [UInt8]) throws(RecordError) {
    self = try decodingStrictly(bytes, atMost: Self.maximumLength) { reader in try PurgeEvent(reading: &reader) }
  }

  private init(reading reader: inout CBORReader) throws {
    try reader.message(8)
    guard let slot = SlotID(try reader.byteString(32)) else { throw RecordError.malformed }
    self.slot = slot
    sequence = try reader.unsigned()
    recordHash = try reader.byteString(32)
    incarnation = try reader.byteString(16)
    head = try reader.byteString(32)
    guard let author = DeviceID(try reader.byteString(32)) else { throw RecordError.malformed }
    self.author = author
    signature = try reader.byteString(Signature.length)
  }

  /// The event's bytes.
  public var encoded: [UInt8] {
    CBORValue.array([
      1, .bytes(slot.bytes), .unsigned(sequence), .bytes(recordHash), .bytes(incarnation), .bytes(head),
      .bytes(author.bytes), .bytes(signature),
    ]).encoded
  }

  /// Checks that the author's push-signing key signed the event for this vault.
  public func verifySignature(vault: VaultID, pushSigningKey: [UInt8]) throws(RecordError) {
    let inputs = Self.signatureInputs(vault, slot, sequence, recordHash, incarnation, head)
    guard Signature.isValid(signature, by: pushSigningKey, Self.signatureContext, inputs) else {
      throw .wrongSignature
    }
  }

  private static let signatureContext = "lockstep/purge/1"

  private static func signatureInputs(
    _ vault: VaultID, _ slot: SlotID, _ sequence: UInt64, _ recordHash: [UInt8], _ incarnation: [UInt8],
    _ head: [UInt8]
  ) -> [CBORValue] {
    [
      .bytes(vault.bytes), .bytes(slot.bytes), .unsigned(sequence), .bytes(recordHash), .bytes(incarnation),
      .bytes(head),
    ]
  }
}
