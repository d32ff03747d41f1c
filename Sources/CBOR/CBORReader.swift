/// Reads deterministic CBOR strictly: whatever `CBORWriter` would not have written is refused.
///
/// A length is compared with the bytes that are left before anything is allocated, so hostile input costs no more than its size.
public struct CBORReader: Sendable {
  /// The deepest nesting of arrays and maps that `CBORValue` reads.
  public static let maximumDepth = 16

  /// The type of the next value.
  public enum Kind: Sendable, Equatable {
    /// One of the types that our formats use.
    case unsigned, negative, byteString, text, array, map, bool, null
  }

  private let bytes: [UInt8]
  /// Where the next value begins.
  public private(set) var position = 0

  /// A reader at the start of `bytes`.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// How many bytes are left.
  public var remaining: Int { bytes.count - position }

  /// The type of the next value; nothing is consumed.
  public func peek() throws(CBORError) -> Kind {
    guard position < bytes.count else { throw .truncated }
    switch bytes[position] >> 5 {
    case 0: return .unsigned
    case 1: return .negative
    case 2: return .byteString
    case 3: return .text
    case 4: return .array
    case 5: return .map
    default:
      switch bytes[position] {
      case 0xF4, 0xF5: return .bool
      case 0xF6: return .null
      default: throw .unsupported
      }
    }
  }

  /// Refuses bytes after the value.
  public func end() throws(CBORError) {
    guard position == bytes.count else { throw .trailingBytes }
  }

  /// An array's head: how many elements follow. Every element takes at least a byte, so more than are left is refused.
  public mutating func array() throws(CBORError) -> Int {
    let count = try head(4)
    guard count <= UInt64(remaining) else { throw .truncated }
    return Int(count)
  }

  /// An array's head that must announce exactly `count` elements.
  public mutating func array(_ count: Int) throws(CBORError) {
    guard try array() == count else { throw .outOfRange }
  }

  /// A map's head: how many pairs follow. The caller checks the order of the keys.
  public mutating func map() throws(CBORError) -> Int {
    let count = try head(5)
    guard count <= UInt64(remaining / 2) else { throw .truncated }
    return Int(count)
  }

  /// An unsigned integer.
  public mutating func unsigned() throws(CBORError) -> UInt64 { try head(0) }

  /// An unsigned integer at most `limit`.
  public mutating func unsigned(atMost limit: UInt64) throws(CBORError) -> UInt64 {
    let value = try head(0)
    guard value <= limit else { throw .outOfRange }
    return value
  }

  /// An integer that fits Int64.
  public mutating func integer() throws(CBORError) -> Int64 {
    let negative = try peek() == .negative
    let value = try head(negative ? 1 : 0)
    guard let magnitude = Int64(exactly: value) else { throw .outOfRange }
    return negative ? ~magnitude : magnitude
  }

  /// A byte string.
  public mutating func byteString() throws(CBORError) -> [UInt8] {
    Array(try take(head(2)))
  }

  /// A byte string of exactly `count` bytes.
  public mutating func byteString(_ count: Int) throws(CBORError) -> [UInt8] {
    let length = try head(2)
    guard length == UInt64(count) else { throw .outOfRange }
    return Array(try take(length))
  }

  /// Where the contents of a byte string lie in what is read; nothing is copied.
  public mutating func byteStringRange() throws(CBORError) -> Range<Int> {
    let contents = try take(head(2))
    return contents.startIndex..<contents.endIndex
  }

  /// A text string of at most `limit` bytes.
  public mutating func text(atMost limit: Int = .max) throws(CBORError) -> String {
    let length = try head(3)
    guard length <= UInt64(limit) else { throw .outOfRange }
    guard let text = String(validating: try take(length), as: UTF8.self) else { throw .invalidText }
    return text
  }

  /// true or false.
  public mutating func bool() throws(CBORError) -> Bool {
    guard try peek() == .bool else { throw .unexpectedType }
    position += 1
    return bytes[position - 1] == 0xF5
  }

  /// Consumes a null if one is next.
  public mutating func null() throws(CBORError) -> Bool {
    guard try peek() == .null else { return false }
    position += 1
    return true
  }

  /// The encoded bytes of the next value, which is read strictly.
  public mutating func encodedValue() throws(CBORError) -> [UInt8] {
    let start = position
    _ = try CBORValue(reading: &self)
    return Array(bytes[start..<position])
  }

  private mutating func take(_ length: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
    guard length <= UInt64(remaining) else { throw .truncated }
    let start = position
    position += Int(length)
    return bytes[start..<position]
  }

  private mutating func head(_ major: UInt8) throws(CBORError) -> UInt64 {
    guard position < bytes.count else { throw .truncated }
    let first = bytes[position]
    guard first >> 5 == major else { throw .unexpectedType }
    let additional = first & 0x1F
    if additional < 24 {
      position += 1
      return UInt64(additional)
    }
    guard additional <= 27 else { throw .notDeterministic }
    let width = 1 << Int(additional - 24)
    guard remaining > width else { throw .truncated }
    var value: UInt64 = 0
    for offset in 1...width { value = value << 8 | UInt64(bytes[position + offset]) }
    let smallest: UInt64 = width == 1 ? 24 : 1 << UInt64(width * 4)
    guard value >= smallest else { throw .notDeterministic }
    position += 1 + width
    return value
  }
}
