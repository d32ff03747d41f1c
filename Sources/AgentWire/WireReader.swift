import CBOR
import VaultModel

/// `CBORReader` with this protocol's limits and errors.
struct WireReader {
  private var reader: CBORReader

  init(_ bytes: [UInt8]) {
    reader = CBORReader(bytes)
  }

  /// Reads a map with text keys; `field` reads the value of each, and throws `unknownField` for a key it does not know.
  mutating func map(
    _ field: (_ name: String, _ reader: inout WireReader) throws(AgentWireError) -> Void
  ) throws(AgentWireError) {
    let count = try read { reader throws(CBORError) in try reader.map() }
    var previous: String?
    for _ in 0..<count {
      let name = try text(limit: 64)
      // Deterministic order: the head of a key holds its length, so a shorter key comes first.
      if let previous, !Self.ascending(previous, name) { throw .malformed(.unsortedKeys) }
      previous = name
      try field(name, &self)
    }
  }

  static func ascending(_ left: String, _ right: String) -> Bool {
    let (leftCount, rightCount) = (left.utf8.count, right.utf8.count)
    if leftCount != rightCount { return leftCount < rightCount }
    return left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// Reads an array; `element` reads each of its elements.
  mutating func array<Element>(
    _ element: (_ reader: inout WireReader) throws(AgentWireError) -> Element
  ) throws(AgentWireError) -> [Element] {
    let count = try read { reader throws(CBORError) in try reader.array() }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try element(&self)) }
    return elements
  }

  mutating func arrayHead(_ count: Int) throws(AgentWireError) {
    try read { reader throws(CBORError) in try reader.array(count) }
  }

  mutating func text(limit: Int = AgentProtocol.maximumTextBytes) throws(AgentWireError) -> String {
    try read { reader throws(CBORError) in try reader.text(atMost: limit) }
  }

  mutating func bytes(_ field: String, limit: Int) throws(AgentWireError) -> [UInt8] {
    let bytes = try read { reader throws(CBORError) in try reader.byteString() }
    guard bytes.count <= limit else { throw .tooLarge(field: field, limit: limit) }
    return bytes
  }

  mutating func bool() throws(AgentWireError) -> Bool {
    try read { reader throws(CBORError) in try reader.bool() }
  }

  mutating func integer() throws(AgentWireError) -> Int64 {
    try read { reader throws(CBORError) in try reader.integer() }
  }

  mutating func unsigned() throws(AgentWireError) -> UInt64 {
    try read { reader throws(CBORError) in try reader.unsigned() }
  }

  mutating func count() throws(AgentWireError) -> Int {
    let value = try unsigned()
    guard let count = Int(exactly: value) else { throw .malformed(.outOfRange) }
    return count
  }

  mutating func status() throws(AgentWireError) -> AgentStatus {
    guard let number = Int32(exactly: try integer()) else { throw .malformed(.outOfRange) }
    return AgentStatus(rawValue: number)
  }

  mutating func named<Value: RawRepresentable>(
    _ field: String, _ type: Value.Type
  ) throws(AgentWireError) -> Value where Value.RawValue == String {
    guard let value = Value(rawValue: try text()) else { throw .invalidField(field) }
    return value
  }

  mutating func vaultID(_ field: String) throws(AgentWireError) -> VaultID {
    guard let id = VaultID(try bytes(field, limit: 32)) else { throw .invalidField(field) }
    return id
  }

  mutating func deviceID(_ field: String) throws(AgentWireError) -> DeviceID {
    guard let id = DeviceID(try bytes(field, limit: 32)) else { throw .invalidField(field) }
    return id
  }

  mutating func version() throws(AgentWireError) {
    let version = try unsigned()
    guard version == AgentProtocol.version else { throw .unsupportedVersion(version) }
  }

  func end() throws(AgentWireError) {
    do { try reader.end() } catch { throw .malformed(error) }
  }

  mutating func peek() throws(AgentWireError) -> CBORReader.Kind {
    try read { reader throws(CBORError) in try reader.peek() }
  }

  mutating func null() throws(AgentWireError) {
    guard try read({ reader throws(CBORError) in try reader.null() }) else { throw .malformed(.unexpectedType) }
  }

  private mutating func read<Value>(
    _ body: (inout CBORReader) throws(CBORError) -> Value
  ) throws(AgentWireError) -> Value {
    do { return try body(&reader) } catch { throw .malformed(error) }
  }
}
