public import CBOR

/// A body of Docs/RelayProtocol.md: a deterministic CBOR array that begins with the version.
///
/// Records, purges, chain entries, keyrings and checkpoints stand in bodies as byte strings: what is inside one of them is judged
/// by who opens it, so that one bad element does not spoil the others.
public protocol WireMessage: Sendable, Equatable {
  /// How many elements follow the version.
  static var elementCount: Int { get }
  /// Writes the elements after the version.
  func write(to writer: inout CBORWriter)
  /// Reads the elements after the version.
  init(reading reader: inout CBORReader) throws(CBORError)
}

extension WireMessage {
  /// The version of every body.
  private static var version: UInt64 { 1 }

  /// The body.
  public var encoded: [UInt8] {
    var writer = CBORWriter()
    writer.array(Self.elementCount + 1)
    writer.unsigned(Self.version)
    write(to: &writer)
    return writer.bytes
  }

  /// Reads a body strictly: unknown version, wrong type, missing or extra element, trailing byte are all refused.
  public init(decoding bytes: [UInt8]) throws(CBORError) {
    guard bytes.count <= RelayLimits.bodyBytes else { throw .outOfRange }
    var reader = CBORReader(bytes)
    try reader.array(Self.elementCount + 1)
    guard try reader.unsigned() == Self.version else { throw .outOfRange }
    try self.init(reading: &reader)
    try reader.end()
  }
}

extension CBORWriter {
  /// An array of byte strings.
  mutating func byteStrings(_ values: [[UInt8]]) {
    array(values.count)
    for value in values { byteString(value) }
  }
}

extension CBORReader {
  /// A byte string of 1 to `limit` bytes.
  mutating func blob(atMost limit: Int) throws(CBORError) -> [UInt8] {
    let bytes = try byteString()
    guard !bytes.isEmpty, bytes.count <= limit else { throw .outOfRange }
    return bytes
  }

  /// An array of at most `count` byte strings of 1 to `limit` bytes.
  mutating func blobs(atMost count: Int, each limit: Int) throws(CBORError) -> [[UInt8]] {
    let announced = try array()
    guard announced <= count else { throw .outOfRange }
    var values: [[UInt8]] = []
    for _ in 0..<announced { values.append(try blob(atMost: limit)) }
    return values
  }

  /// A 32-byte id.
  mutating func identifier() throws(CBORError) -> [UInt8] { try byteString(RelayLimits.identifierBytes) }

  /// An incarnation.
  mutating func incarnation() throws(CBORError) -> [UInt8] { try byteString(RelayLimits.incarnationBytes) }
}
