import CBOR
import VaultModel

/// Attributes on the wire: a map from names to values in the form that they have in a record (Docs/Formats.md, section 2).
enum WireAttributes {
  static func write(_ attributes: [AttributeName: AttributeValue], to writer: inout CBORWriter) {
    let sorted = attributes.map { (name: $0.key.text, value: $0.value) }
      .sorted { WireReader.ascending($0.name, $1.name) }
    writer.map(sorted.count)
    for (name, value) in sorted {
      writer.text(name)
      write(value, to: &writer)
    }
  }

  static func write(_ value: AttributeValue, to writer: inout CBORWriter) {
    switch value {
    case .bytes(let bytes): writer.byteString(bytes)
    case .text(let text): writer.text(text)
    case .number(let number): writer.integer(number)
    case .bool(let bool): writer.bool(bool)
    case .date(let milliseconds):
      writer.array(2)
      writer.unsigned(0)
      writer.integer(milliseconds)
    case .absent: writer.null()
    }
  }

  static func read(_ reader: inout WireReader) throws(AgentWireError) -> [AttributeName: AttributeValue] {
    var attributes: [AttributeName: AttributeValue] = [:]
    try reader.map { text, reader throws(AgentWireError) in
      guard let name = AttributeName(text) else { throw .malformed(.outOfRange) }
      guard attributes.count < 2 * Limits.attributes else { throw .invalidField("attributes") }
      attributes[name] = try value(&reader, limit: name.isSecret ? Limits.secretBytes : Limits.attributeBytes)
    }
    return attributes
  }

  static func value(_ reader: inout WireReader, limit: Int) throws(AgentWireError) -> AttributeValue {
    switch try reader.peek() {
    case .byteString: return .bytes(try reader.bytes("attribute", limit: limit))
    case .text:
      let text = try reader.text(limit: AgentProtocol.maximumMessageBytes)
      guard text.utf8.count <= limit else { throw .tooLarge(field: "attribute", limit: limit) }
      return .text(text)
    case .unsigned, .negative: return .number(try reader.integer())
    case .bool: return .bool(try reader.bool())
    case .null:
      try reader.null()
      return .absent
    case .array:
      try reader.arrayHead(2)
      guard try reader.unsigned() == 0 else { throw .malformed(.outOfRange) }
      return .date(milliseconds: try reader.integer())
    case .map: throw .malformed(.unexpectedType)
    }
  }

  static func name(_ reader: inout WireReader) throws(AgentWireError) -> AttributeName {
    guard let name = AttributeName(try reader.text(limit: Limits.attributeNameBytes)) else {
      throw .malformed(.outOfRange)
    }
    return name
  }

  static func itemClass(_ reader: inout WireReader) throws(AgentWireError) -> ItemClass {
    guard let raw = UInt8(exactly: try reader.unsigned()), let itemClass = ItemClass(rawValue: raw) else {
      throw .invalidField("class")
    }
    return itemClass
  }
}
