/// Base 32 in Crockford's alphabet: no I, L, O, U, so that a person can copy it from paper. Written in upper case and
/// without padding, most significant bit first; what is read may be lower case, grouped with `-`, and spell 0 as O and
/// 1 as I or L.
public enum CrockfordBase32 {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The spelling of `bytes`; the last character is filled with zero bits.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: BitPacking.symbols(of: bytes, bits: 5).map(ascii), as: UTF8.self)
  }

  /// The bytes that `text` spells; nil for a foreign character, an impossible length, or fill bits that are not zero.
  public static func decode(_ text: String) -> [UInt8]? {
    var symbols: [UInt8] = []
    symbols.reserveCapacity(text.utf8.count)
    for character in text.utf8 where character != UInt8(ascii: "-") {
      guard let symbol = value(of: character) else { return nil }
      symbols.append(symbol)
    }
    return BitPacking.bytes(of: symbols, bits: 5)
  }

  /// The five bits that one ASCII character stands for; nil if it stands for none.
  public static func value(of ascii: UInt8) -> UInt8? {
    // Upper case differs from lower case in bit 5 only; clearing it would also turn some signs into others, so only
    // letters are folded.
    let isLowerCase = ascii >= UInt8(ascii: "a") && ascii <= UInt8(ascii: "z")
    let folded = isLowerCase ? ascii & 0xdf : ascii
    switch folded {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default: return alphabet.firstIndex(of: folded).map { UInt8($0) }
    }
  }

  /// The character for the low five bits of `value`.
  public static func character(_ value: UInt8) -> Character {
    Character(Unicode.Scalar(ascii(value)))
  }

  private static func ascii(_ value: UInt8) -> UInt8 {
    alphabet[Int(value & 31)]
  }
}
