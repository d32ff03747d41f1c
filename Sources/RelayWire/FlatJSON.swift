/// Reads the strings and whole numbers of a JSON object's first level (RFC 8259), which is all that a problem needs.
///
/// Reading stops at the first thing of another kind or that is not JSON; what stood before it counts. Nothing nests, so no input is deep.
enum FlatJSON {
  enum Value: Equatable {
    case text(String)
    case number(UInt64)
    case other
  }

  static func members(of bytes: [UInt8]) -> [String: Value] {
    var scanner = Scanner(bytes: bytes)
    var members: [String: Value] = [:]
    guard scanner.take("{") else { return members }
    repeat {
      guard let name = scanner.string(), scanner.take(":"), let value = scanner.value() else { return members }
      members[name] = value
    } while scanner.take(",")
    return members
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
      while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    mutating func take(_ character: Character) -> Bool {
      skipSpace()
      guard let byte = next, byte == character.asciiValue else { return false }
      position += 1
      return true
    }

    mutating func value() -> Value? {
      skipSpace()
      guard let byte = next else { return nil }
      if byte == UInt8(ascii: "\"") { return string().map(Value.text) }
      if byte >= 0x30 && byte <= 0x39 { return number() }
      for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
        position += word.utf8.count
        return .other
      }
      return nil
    }

    private mutating func number() -> Value? {
      var value: UInt64 = 0
      while let byte = next, byte >= 0x30 && byte <= 0x39 {
        let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, carried) = tens.addingReportingOverflow(UInt64(byte - 0x30))
        guard !tooLarge, !carried else { return nil }
        value = sum
        position += 1
      }
      if let byte = next, byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") { return nil }
      return .number(value)
    }

    mutating func string() -> String? {
      guard take("\"") else { return nil }
      var utf8: [UInt8] = []
      while let byte = next {
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return String(validating: utf8, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let scalar = escape() else { return nil }
          utf8.append(contentsOf: Array(String(Character(scalar)).utf8))
        case 0..<0x20: return nil
        default: utf8.append(byte)
        }
      }
      return nil
    }

    /// What follows a backslash; a surrogate is refused, since nothing that we write lies outside the basic plane.
    private mutating func escape() -> Unicode.Scalar? {
      guard let byte = next else { return nil }
      position += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
      case UInt8(ascii: "b"): return "\u{08}"
      case UInt8(ascii: "f"): return "\u{0C}"
      case UInt8(ascii: "n"): return "\n"
      case UInt8(ascii: "r"): return "\r"
      case UInt8(ascii: "t"): return "\t"
      case UInt8(ascii: "u"):
        guard position + 4 <= bytes.count,
          let digits = String(validating: bytes[position..<position + 4], as: UTF8.self),
          digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
          let value = UInt32(digits, radix: 16)
        else { return nil }
        position += 4
        return Unicode.Scalar(value)
      default: return nil
      }
    }
  }
}
