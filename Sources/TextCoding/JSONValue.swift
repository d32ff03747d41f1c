/// A JSON value (RFC 8259) to be written. Members stay in the order in which they were given, so that the same value
/// is always the same text.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number; beyond 2⁵³ some readers lose digits (RFC 8259 section 6).
  case int(Int64)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object; the caller keeps the names distinct.
  case object([(String, JSONValue)])

  /// The value as text, without a final line break. `pretty` puts every element on a line of its own, indented by two
  /// spaces a level.
  public func text(pretty: Bool) -> String {
    var text = ""
    write(to: &text, indentation: pretty ? 0 : nil)
    return text
  }

  private func write(to text: inout String, indentation: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .string(let value): Self.writeString(value, to: &text)
    case .array(let elements):
      Self.writeSequence(elements, between: ("[", "]"), to: &text, indentation: indentation) { element, text, inner in
        element.write(to: &text, indentation: inner)
      }
    case .object(let members):
      Self.writeSequence(members, between: ("{", "}"), to: &text, indentation: indentation) { member, text, inner in
        Self.writeString(member.0, to: &text)
        text += inner == nil ? ":" : ": "
        member.1.write(to: &text, indentation: inner)
      }
    }
  }

  private static func writeSequence<Element>(
    _ elements: [Element], between brackets: (open: String, close: String), to text: inout String, indentation: Int?,
    element write: (Element, inout String, Int?) -> Void
  ) {
    let inner = indentation.map { $0 + 2 }
    text += brackets.open
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      breakLine(inner, in: &text)
      write(element, &text, inner)
    }
    if !elements.isEmpty { breakLine(indentation, in: &text) }
    text += brackets.close
  }

  private static func breakLine(_ indentation: Int?, in text: inout String) {
    guard let indentation else { return }
    text += "\n" + String(repeating: " ", count: indentation)
  }

  private static func writeString(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{08}": text += "\\b"
      case "\u{0c}": text += "\\f"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // RFC 8259 section 7 asks for this below U+0020 only. The others are escaped because JSON is printed to terminals
      // too; all of them lie in the basic plane, so four digits are enough.
      case _ where TerminalText.isHostile(scalar):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
