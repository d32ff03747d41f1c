import CBOR
import VaultModel

extension Vector.Field {
  /// A CBOR value, tagged as the README says.
  var value: CBORValue {
    get throws {
      guard case .object(let fields) = self, fields.count == 1, let (tag, field) = fields.first else {
        throw WrongField()
      }
      switch (tag, field) {
      case ("text", .text(let text)): return .text(text)
      case ("bytes", _): return .bytes(try field.bytes)
      case ("int", .text(let text)):
        if let unsigned = UInt64(text) { return .unsigned(unsigned) }
        guard let negative = Int64(text) else { throw WrongField() }
        return .negative(negative)
      case ("bool", .bool(let bool)): return .bool(bool)
      case ("null", _): return .null
      case ("array", .array(let elements)): return .array(try elements.map { try $0.value })
      case ("map", .array(let pairs)):
        return .map(
          try pairs.map { pair in
            let both = try pair.array
            guard both.count == 2 else { throw WrongField() }
            return .init(try both[0].value, try both[1].value)
          })
      default: throw WrongField()
      }
    }
  }

  /// The value of an attribute.
  var attributeValue: AttributeValue {
    get throws {
      switch try value {
      case .text(let text): return .text(text)
      case .bytes(let bytes): return .bytes(bytes)
      case .unsigned(let number):
        guard let number = Int64(exactly: number) else { throw WrongField() }
        return .number(number)
      case .negative(let number): return .number(number)
      case .bool(let bool): return .bool(bool)
      case .null: return .absent
      case .array(let elements):
        guard elements.count == 2, elements[0] == 0 else { throw WrongField() }
        switch elements[1] {
        case .unsigned(let number):
          guard let milliseconds = Int64(exactly: number) else { throw WrongField() }
          return .date(milliseconds: milliseconds)
        case .negative(let number): return .date(milliseconds: number)
        default: throw WrongField()
        }
      case .map: throw WrongField()
      }
    }
  }
}
