import CBOR

/// Collects the fields of a map and writes them in the order that deterministic CBOR asks for. An absent value leaves its
/// field out, and so does `false`.
struct FieldWriter {
  private var fields: [(name: String, value: [UInt8])] = []

  mutating func text(_ name: String, _ value: String?) {
    guard let value else { return }
    field(name) { $0.text(value) }
  }

  mutating func bytes(_ name: String, _ value: [UInt8]?) {
    guard let value else { return }
    field(name, capacity: value.count + 8) { $0.byteString(value) }
  }

  /// Written also when it is false: where not saying it must not count as an answer.
  mutating func bool(_ name: String, _ value: Bool) {
    field(name) { $0.bool(value) }
  }

  mutating func flag(_ name: String, _ value: Bool) {
    guard value else { return }
    field(name) { $0.bool(true) }
  }

  mutating func integer(_ name: String, _ value: Int64?) {
    guard let value else { return }
    field(name) { $0.integer(value) }
  }

  mutating func count(_ name: String, _ value: Int?) {
    integer(name, value.map(Int64.init))
  }

  mutating func array<Element>(
    _ name: String, _ elements: [Element], _ write: (Element, inout CBORWriter) -> Void
  ) {
    field(name) { writer in
      writer.array(elements.count)
      for element in elements { write(element, &writer) }
    }
  }

  mutating func maps(_ name: String, _ elements: [some WireMap]) {
    array(name, elements) { element, writer in element.write(to: &writer) }
  }

  mutating func field(_ name: String, capacity: Int = 16, _ write: (inout CBORWriter) -> Void) {
    var writer = CBORWriter(capacity: capacity)
    write(&writer)
    fields.append((name, writer.bytes))
  }

  func write(to writer: inout CBORWriter) {
    writer.map(fields.count)
    for field in fields.sorted(by: { WireReader.ascending($0.name, $1.name) }) {
      writer.text(field.name)
      writer.encoded(field.value)
    }
  }
}

/// A map of the protocol with text keys.
protocol WireMap {
  init(reading reader: inout WireReader) throws(AgentWireError)
  func write(fields: inout FieldWriter)
}

extension WireMap {
  func write(to writer: inout CBORWriter) {
    var fields = FieldWriter()
    write(fields: &fields)
    fields.write(to: &writer)
  }
}

/// The empty map.
struct NoFields: WireMap {
  init() {}

  init(reading reader: inout WireReader) throws(AgentWireError) {
    try reader.map { name, _ throws(AgentWireError) in throw .unknownField(name) }
  }

  func write(fields: inout FieldWriter) {}
}

extension Optional {
  /// The value of a field that must be there.
  func required(_ field: String) throws(AgentWireError) -> Wrapped {
    guard let self else { throw .missingField(field) }
    return self
  }
}
