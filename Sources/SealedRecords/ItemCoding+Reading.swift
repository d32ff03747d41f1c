internal import CBOR
internal import VaultModel

extension CBORReader {
  /// A vector; the model refuses disorder, repetition and counters of 0.
  mutating func vector() throws -> VersionVector {
    let count = try array()
    guard count <= Limits.vectorEntries else { throw RecordError.malformed }
    var entries: [VersionVector.Entry] = []
    entries.reserveCapacity(min(count, 64))
    for _ in 0..<count {
      try array(2)
      guard let device = DeviceID(try byteString(32)) else { throw RecordError.malformed }
      entries.append(.init(device: device, counter: try unsigned()))
    }
    guard let vector = VersionVector(entries) else { throw RecordError.malformed }
    return vector
  }

  /// Registers of the secret attributes alone, or of the others alone.
  mutating func registers(_ vector: VersionVector, secret: Bool) throws -> [AttributeName: Register] {
    let count = try map()
    guard count <= Limits.attributes else { throw RecordError.malformed }
    var registers: [AttributeName: Register] = [:]
    registers.reserveCapacity(count)
    var previous: (length: Int, name: AttributeName)?
    for _ in 0..<count {
      let text = try text(atMost: Limits.attributeNameBytes)
      let length = text.utf8.count
      guard let name = AttributeName(text), name.isSecret == secret else { throw RecordError.malformed }
      if let previous {
        guard previous.length < length || (previous.length == length && previous.name < name) else {
          throw RecordError.malformed
        }
      }
      previous = (length, name)
      registers[name] = Register(try writes(vector, atLeast: 1, atMost: .max))
    }
    return registers
  }

  /// Writes in ascending order, no dot twice.
  mutating func writes(_ vector: VersionVector, atLeast least: Int, atMost most: Int) throws -> [Write] {
    let count = try array()
    guard count >= least, count <= most else { throw RecordError.malformed }
    var writes: [Write] = []
    for _ in 0..<count {
      try array(4)
      let value = try value()
      let index = try unsigned()
      guard index < UInt64(vector.entries.count) else { throw RecordError.malformed }
      let entry = vector.entries[Int(index)]
      let counter = try unsigned(atMost: entry.counter)
      guard counter > 0 else { throw RecordError.malformed }
      let write = Write(value: value, dot: Dot(device: entry.device, counter: counter), time: try unsigned())
      if let last = writes.last {
        guard last.time < write.time || (last.time == write.time && last.dot < write.dot) else {
          throw RecordError.malformed
        }
      }
      writes.append(write)
    }
    guard count < 2 || Set(writes.map(\.dot)).count == count else { throw RecordError.malformed }
    return writes
  }

  private mutating func value() throws -> AttributeValue {
    switch try peek() {
    case .byteString: return .bytes(try byteString())
    case .text: return .text(try text())
    case .unsigned, .negative: return .number(try integer())
    case .bool: return .bool(try bool())
    case .null:
      _ = try null()
      return .absent
    case .array:
      try array(2)
      _ = try unsigned(atMost: 0)
      return .date(milliseconds: try integer())
    case .map: throw RecordError.malformed
    }
  }
}
