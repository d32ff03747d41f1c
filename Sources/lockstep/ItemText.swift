import AgentWire
import TextCoding
import VaultModel

/// Attributes as text and as JSON.
enum ItemText {
  /// An attribute for a person; empty if it is absent.
  static func text(_ item: FoundItem, _ name: AttributeName) -> String {
    text(item.attributes[name] ?? .absent)
  }

  static func text(_ value: AttributeValue) -> String {
    switch value {
    case .text(let text): text
    case .bytes(let bytes): UTF8Text.validate(bytes) ?? Hex.encode(bytes)
    case .number(let number): String(number)
    case .bool(let bool): bool ? "true" : "false"
    case .date(let milliseconds): TimeText.utc(milliseconds) ?? String(milliseconds)
    case .absent: ""
    }
  }

  /// An attribute for a program: bytes that are no text become `{"base64": …}`.
  static func json(_ value: AttributeValue?) -> JSONValue {
    switch value {
    case .text(let text): .string(text)
    case .bytes(let bytes):
      if let text = UTF8Text.validate(bytes) {
        .string(text)
      } else {
        .object([("base64", .string(Base64.encode(bytes)))])
      }
    case .number(let number): .int(number)
    case .bool(let bool): .bool(bool)
    case .date(let milliseconds): json(time: milliseconds)
    case .absent, nil: .null
    }
  }

  static func json(time: Int64?) -> JSONValue {
    time.flatMap(TimeText.utc).map(JSONValue.string) ?? .null
  }

  static func name(of itemClass: ItemClass) -> String {
    switch itemClass {
    case .genericPassword: "generic-password"
    case .internetPassword: "internet-password"
    case .certificate: "certificate"
    case .key: "key"
    }
  }
}
