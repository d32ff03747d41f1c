/// Text of others, made safe to print: names in a vault can come from a lying member, and a terminal obeys what it is
/// sent (Docs/ThreatModel.md).
public enum TerminalText {
  /// `text` with every character that could drive a terminal, or show text in another order than it is stored, written
  /// as `\u{XX}`.
  public static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHostile) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if isHostile(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\u{" + (digits.count < 2 ? "0" : "") + digits + "}"
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// C0, DEL and C1 controls, line and paragraph separators, and the bidirectional controls of Unicode UAX #9.
  static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1f, 0x7f...0x9f: true
    case 0x2028, 0x2029: true
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
