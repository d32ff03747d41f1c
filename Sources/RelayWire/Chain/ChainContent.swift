public import CBOR

/// What is signed and hashed of a chain entry: `content` of Docs/Formats.md §4. Its form is right; nothing else is known of it.
public struct ChainContent: Sendable, Hashable {
  /// The vault; empty in genesis, whose hash is the vault id.
  public let vaultID: [UInt8]
  /// The place in the chain; genesis is 0.
  public let number: UInt64
  /// The hash of the entry before; empty in genesis.
  public let previous: [UInt8]
  /// When the author made it, in milliseconds since 1970, by the author's clock.
  public let time: UInt64
  /// The device id or recovery id of who signs first. It stands here because signatures stand outside the hash: whoever
  /// knows a head knows who did what.
  public let author: [UInt8]
  /// What it does.
  public let body: ChainBody

  /// A content.
  public init(
    vaultID: [UInt8], number: UInt64, previous: [UInt8], time: UInt64, author: [UInt8], body: ChainBody
  ) {
    self.vaultID = vaultID
    self.number = number
    self.previous = previous
    self.time = time
    self.author = author
    self.body = body
  }

  /// Reads exactly one content; genesis has number 0 and no vault id, every other entry has both.
  public init(decoding bytes: [UInt8]) throws(CBORError) {
    var reader = CBORReader(bytes)
    try reader.array(8)
    guard try reader.unsigned() == 1 else { throw .outOfRange }
    let type = try reader.unsigned()
    let idLength = type == 1 ? 0 : ChainLimits.idBytes
    vaultID = try reader.byteString(idLength)
    number = try reader.unsigned(atMost: ChainLimits.entries - 1)
    guard (type == 1) == (number == 0) else { throw .outOfRange }
    previous = try reader.byteString(idLength)
    time = try reader.unsigned()
    author = try reader.byteString(ChainLimits.idBytes)
    body = try ChainBody(type: type, reading: &reader)
    try reader.end()
  }

  /// The bytes that are signed and hashed.
  public var encoded: [UInt8] {
    let value: CBORValue = [
      1, .unsigned(body.type), .bytes(vaultID), .unsigned(number), .bytes(previous), .unsigned(time), .bytes(author),
      body.value,
    ]
    return value.encoded
  }
}
