/// One value of deterministic CBOR (Docs/Formats.md §1), for what is small; large messages use the writer and reader directly.
public indirect enum CBORValue: Sendable, Equatable {
  /// 0 … 2⁶⁴−1.
  case unsigned(UInt64)
  /// −2⁶³ … −1.
  case negative(Int64)
  /// A byte string.
  case bytes([UInt8])
  /// A text string.
  case text(String)
  /// An array.
  case array([CBORValue])
  /// A map; any order here, sorted when written.
  case map([Pair])
  /// true or false.
  case bool(Bool)
  /// null.
  case null

  /// A key of a map and its value.
  public struct Pair: Sendable, Equatable {
    /// The key: text or an integer in our formats.
    public let key: CBORValue
    /// What it stands for.
    public let value: CBORValue

    /// A pair.
    public init(_ key: CBORValue, _ value: CBORValue) {
      self.key = key
      self.value = value
    }
  }

  /// An integer of either sign.
  public static func integer(_ value: Int64) -> CBORValue {
    value < 0 ? .negative(value) : .unsigned(UInt64(value))
  }

  /// Decodes exactly one value from `bytes`.
  public init(decoding bytes: [UInt8]) throws(CBORError) {
    var reader = CBORReader(bytes)
    self = try CBORValue(reading: &reader)
    try reader.end()
  }

  /// Reads the next value of `reader`.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    self = try CBORValue.read(&reader, depth: 0)
  }

  /// The deterministic encoding.
  public var encoded: [UInt8] {
    var writer = CBORWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Appends the deterministic encoding to `writer`.
  public func write(to writer: inout CBORWriter) {
    switch self {
    case .unsigned(let value): writer.unsigned(value)
    case .negative(let value): writer.integer(value)
    case .bytes(let value): writer.byteString(value)
    case .text(let value): writer.text(value)
    case .bool(let value): writer.bool(value)
    case .null: writer.null()
    case .array(let elements):
      writer.array(elements.count)
      for element in elements { element.write(to: &writer) }
    case .map(let pairs):
      let sorted = pairs.map { ($0.key.encoded, $0.value) }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }
      writer.map(sorted.count)
      for (key, value) in sorted {
        writer.encoded(key)
        value.write(to: &writer)
      }
    }
  }

  private static func read(_ reader: inout CBORReader, depth: Int) throws(CBORError) -> CBORValue {
    guard depth <= CBORReader.maximumDepth else { throw .tooDeep }
    switch try reader.peek() {
    case .unsigned: return .unsigned(try reader.unsigned())
    case .negative: return .negative(try reader.integer())
    case .byteString: return .bytes(try reader.byteString())
    case .text: return .text(try reader.text())
    case .bool: return .bool(try reader.bool())
    case .null:
      _ = try reader.null()
      return .null
    case .array:
      let count = try reader.array()
      var elements: [CBORValue] = []
      for _ in 0..<count { elements.append(try read(&reader, depth: depth + 1)) }
      return .array(elements)
    case .map:
      let count = try reader.map()
      var pairs: [Pair] = []
      var previous: [UInt8]?
      for _ in 0..<count {
        let key = try read(&reader, depth: depth + 1)
        let encoded = key.encoded
        if let previous, !previous.lexicographicallyPrecedes(encoded) { throw .unsortedKeys }
        previous = encoded
        pairs.append(Pair(key, try read(&reader, depth: depth + 1)))
      }
      return .map(pairs)
    }
  }
}

extension CBORValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
  /// A text string.
  public init(stringLiteral value: String) { self = .text(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// An array.
  public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
}
