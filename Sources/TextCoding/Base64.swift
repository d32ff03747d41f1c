/// Base 64 (RFC 4648 section 4): the standard alphabet, with padding, strict on reading.
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The spelling of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text = BitPacking.symbols(of: bytes, bits: 6).map { alphabet[Int($0)] }
    while !text.count.isMultiple(of: 4) { text.append(padding) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that `text` spells; nil for a foreign character (white space too), missing or surplus padding, or fill
  /// bits that are not zero.
  public static func decode(_ text: String) -> [UInt8]? {
    var characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4) else { return nil }
    for _ in 0..<2 where characters.last == padding { characters.removeLast() }
    var symbols: [UInt8] = []
    symbols.reserveCapacity(characters.count)
    for character in characters {
      guard let symbol = value(of: character) else { return nil }
      symbols.append(symbol)
    }
    return BitPacking.bytes(of: symbols, bits: 6)
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
