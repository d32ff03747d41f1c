import CBOR
import Testing
import TextCoding

struct StrictnessTests {
  static let cases: [(String, CBORError)] = [
    // Heads that are longer than they need be.
    ("1800", .notDeterministic), ("1817", .notDeterministic), ("1900ff", .notDeterministic),
    ("1a0000ffff", .notDeterministic), ("1b00000000ffffffff", .notDeterministic), ("3817", .notDeterministic),
    ("580101", .notDeterministic), ("780161", .notDeterministic), ("980101", .notDeterministic),
    ("b8010101", .notDeterministic), ("1c", .notDeterministic), ("1d", .notDeterministic), ("1e", .notDeterministic),
    ("1f", .notDeterministic), ("f800", .unsupported), ("f814", .unsupported), ("ff", .unsupported),
    // Bytes that are not there.
    ("", .truncated), ("18", .truncated), ("1903", .truncated), ("1b00000001000000", .truncated), ("41", .truncated),
    ("61", .truncated), ("81", .truncated), ("a1", .truncated), ("a101", .truncated), ("8201", .truncated),
    ("5affffffff00", .truncated), ("5bffffffffffffffff", .truncated), ("7b7fffffffffffffff", .truncated),
    ("7bffffffffffffffff", .outOfRange),
    ("9bffffffffffffffff", .truncated), ("bbffffffffffffffff", .truncated), ("bb7fffffffffffffff0000", .truncated),
    // Bytes that should not be there.
    ("0000", .trailingBytes), ("8000", .trailingBytes), ("a000", .trailingBytes),
    // Text that is not UTF-8: lone continuation, overlong, surrogate, beyond U+10FFFF, cut short.
    ("6180", .invalidText), ("62c080", .invalidText), ("63eda080", .invalidText), ("64f4908080", .invalidText),
    ("62e282", .invalidText),
    // Keys: unsorted, repeated, the longer before the shorter.
    ("a2616201616101", .unsortedKeys), ("a2616101616102", .unsortedKeys), ("a26261610161620 1", .unsortedKeys),
    ("a203010201", .unsortedKeys), ("a2200101 01", .unsortedKeys),
    // Numbers below −2⁶³.
    ("3b8000000000000000", .outOfRange),
  ]

  @Test("Each departure from the deterministic form is refused for its own reason", arguments: cases)
  func refuses(hex: String, error: CBORError) throws {
    let bytes = try #require(Hex.decode(hex.filter { $0 != " " }))
    #expect(throws: error) { try CBORValue(decoding: bytes) }
  }

  @Test("The least and greatest numbers go both ways")
  func extremes() throws {
    for value in [Int64.min, -1, 0, .max] {
      let encoded = CBORValue.integer(value).encoded
      var reader = CBORReader(encoded)
      #expect(try reader.integer() == value)
      #expect(try CBORValue(decoding: encoded) == .integer(value))
    }
    var reader = CBORReader(CBORValue.unsigned(1 << 63).encoded)
    #expect(throws: CBORError.outOfRange) { try reader.integer() }
  }

  @Test("Nesting is read to its limit and not beyond")
  func depth() throws {
    let deepest = [UInt8](repeating: 0x81, count: CBORReader.maximumDepth) + [0]
    #expect(throws: Never.self) { try CBORValue(decoding: deepest) }
    #expect(throws: CBORError.tooDeep) { try CBORValue(decoding: [0x81] + deepest) }
    // Deep enough to exhaust a stack, if depth were not counted.
    let bottomless = [UInt8](repeating: 0x81, count: 1_000_000)
    #expect(throws: CBORError.tooDeep) { try CBORValue(decoding: bottomless) }
  }

  @Test("Maps are sorted by their encoded keys, whatever order they are given in")
  func sorting() {
    let map = CBORValue.map([
      .init("aa", 1), .init("b", 2), .init(.integer(-1), 3), .init(10, 4), .init(100, 5), .init("", 6),
    ])
    #expect(Hex.encode(map.encoded) == "a60a04186405200360066162026261 6101".filter { $0 != " " })
  }

  @Test("Every width of a length is written and read")
  func widths() throws {
    for count in [0, 23, 24, 255, 256, 65_535, 65_536] {
      let bytes = [UInt8](repeating: 0x61, count: count)
      #expect(try CBORValue(decoding: CBORValue.bytes(bytes).encoded) == .bytes(bytes))
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(try CBORValue(decoding: CBORValue.text(text).encoded) == .text(text))
      let array = CBORValue.array(Array(repeating: .null, count: count))
      #expect(try CBORValue(decoding: array.encoded) == array)
    }
  }
}
