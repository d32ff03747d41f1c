import CBOR
import Testing
import TextCoding

/// RFC 8949, Appendix A: every example of the table, in its order.
struct RFC8949Tests {
  static let accepted: [(String, CBORValue)] = [
    ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100), ("1903e8", 1000),
    ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000),
    ("1bffffffffffffffff", .unsigned(.max)),
    ("20", .negative(-1)), ("29", .negative(-10)), ("3863", .negative(-100)), ("3903e7", .negative(-1000)),
    ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null),
    ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
    ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"), ("62c3bc", "\u{fc}"),
    ("63e6b0b4", "\u{6c34}"),
    ("64f0908591", "\u{10151}"),
    ("80", []), ("83010203", [1, 2, 3]), ("8301820203820405", [1, [2, 3], [4, 5]]),
    (
      "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
      .array((1...25).map { .unsigned(UInt64($0)) })
    ),
    ("a0", .map([])), ("a201020304", .map([.init(1, 2), .init(3, 4)])),
    ("a26161016162820203", .map([.init("a", 1), .init("b", [2, 3])])),
    ("826161a161626163", ["a", .map([.init("b", "c")])]),
    (
      "a56161614161626142616361436164614461656145",
      .map([.init("a", "A"), .init("b", "B"), .init("c", "C"), .init("d", "D"), .init("e", "E")])
    ),
  ]

  @Test("What our formats use is read and written as the RFC has it", arguments: accepted)
  func accepts(hex: String, value: CBORValue) throws {
    let bytes = try #require(Hex.decode(hex))
    #expect(try CBORValue(decoding: bytes) == value)
    #expect(value.encoded == bytes)
  }

  static let refused: [(String, CBORError)] = [
    // Bignums and other tags.
    ("c249010000000000000000", .unsupported), ("c349010000000000000000", .unsupported),
    ("c074323031332d30332d32315432303a30343a30305a", .unsupported), ("c11a514b67b0", .unsupported),
    ("c1fb41d452d9ec200000", .unsupported), ("d74401020304", .unsupported), ("d818456449455446", .unsupported),
    ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .unsupported),
    // −2⁶⁴ fits CBOR and no Int64.
    ("3bffffffffffffffff", .outOfRange),
    // Floats.
    ("f90000", .unsupported), ("f98000", .unsupported), ("f93c00", .unsupported), ("fb3ff199999999999a", .unsupported),
    ("f93e00", .unsupported), ("f97bff", .unsupported), ("fa47c35000", .unsupported), ("fa7f7fffff", .unsupported),
    ("fb7e37e43c8800759c", .unsupported), ("f90001", .unsupported), ("f90400", .unsupported), ("f9c400", .unsupported),
    ("fbc010666666666666", .unsupported), ("f97c00", .unsupported), ("f97e00", .unsupported), ("f9fc00", .unsupported),
    ("fa7f800000", .unsupported), ("fa7fc00000", .unsupported), ("faff800000", .unsupported),
    ("fb7ff0000000000000", .unsupported), ("fb7ff8000000000000", .unsupported), ("fbfff0000000000000", .unsupported),
    // Undefined and other simple values.
    ("f7", .unsupported), ("f0", .unsupported), ("f8ff", .unsupported),
    // Indefinite lengths.
    ("5f42010243030405ff", .notDeterministic), ("7f657374726561646d696e67ff", .notDeterministic),
    ("9fff", .notDeterministic), ("9f018202039f0405ffff", .notDeterministic), ("9f01820203820405ff", .notDeterministic),
    ("83018202039f0405ff", .notDeterministic), ("83019f0203ff820405", .notDeterministic),
    ("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", .notDeterministic),
    ("bf61610161629f0203ffff", .notDeterministic), ("826161bf61626163ff", .notDeterministic),
    ("bf6346756ef563416d7421ff", .notDeterministic),
  ]

  @Test("What our formats do not use is refused", arguments: refused)
  func refuses(hex: String, error: CBORError) throws {
    let bytes = try #require(Hex.decode(hex))
    #expect(throws: error) { try CBORValue(decoding: bytes) }
  }
}
