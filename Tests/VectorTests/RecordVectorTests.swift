import CBOR
import SealedRecords
import Testing
import VaultCrypto
import VaultModel

/// record.json.
struct RecordVectorTests {
  static let file = VectorFile.load("record")

  /// How far a reader gets with a record.
  private enum Stage: String {
    case form, signature, attributes, secret, place
    case opened
  }

  /// `stage` of the README. What makes a part not open is one error here, for it must not tell an attacker more.
  private func stage(_ vector: Vector) throws -> Stage {
    guard let record = try? SealedRecord(decoding: vector.bytes("record")) else { return .form }
    let (vault, slot) = (try vector.vault(), try vector.slot())
    let key = try vector.key("sealing_key", SealingRole.self)
    if record.header.author != nil {
      do {
        try RecordOpener.verifySignature(
          record, vault: vault, slot: slot, pushSigningKey: vector.bytes("author_push_key"))
      } catch is RecordError {
        return .signature
      }
    }
    guard let attributes = try? RecordOpener.openAttributes(record, vault: vault, slot: slot, key: key.key) else {
      return .attributes
    }
    guard let item = try? RecordOpener.open(record, vault: vault, slot: slot, key: key.key) else { return .secret }
    #expect(ItemAttributes(of: item) == attributes)
    let belongs =
      if record.header.keyID.epoch == nil {
        attributes.belongs(in: slot, under: record.header.keyID, indexKey: try vector.key("slot_key").key)
      } else {
        attributes.belongs(in: slot, under: record.header.keyID, slotKey: try vector.key("slot_key").key)
      }
    return belongs ? .opened : .place
  }

  @Test("The file holds vectors")
  func notEmpty() {
    #expect(Self.file.format == "record" && Self.file.version == 1)
    #expect(Self.file.positive.count > 20 && Self.file.negative.count > 100)
  }

  @Test("Records open to what is expected", arguments: file.positive)
  func accepted(vector: Vector) throws {
    #expect(try stage(vector) == .opened)
    let expected = try vector.object("expected")
    let record = try SealedRecord(decoding: vector.bytes("record"))
    let header = record.header
    #expect(try RecordHeader.peek(record.bytes) == header)
    #expect(try header.keyID.protectionClass.rawValue == UInt8(expected.number("class")))
    if try expected.bool("device_only") {
      #expect(header.keyID.epoch == nil && header.author == nil && header.head == [])
    } else {
      #expect(try header.keyID.epoch == expected.number("epoch"))
      #expect(try header.author?.bytes == expected.bytes("author"))
      #expect(try header.head == expected.bytes("head"))
    }
    let key = try vector.key("sealing_key", SealingRole.self)
    let item = try RecordOpener.open(record, vault: vector.vault(), slot: vector.slot(), key: key.key)
    #expect(try ItemCoding.attributes(of: item) == expected.bytes("attributes"))
    #expect(try ItemCoding.secret(of: item) == expected.bytes("secret"))
    try compare(item, with: expected)
  }

  private func compare(_ item: ItemState, with expected: Vector) throws {
    #expect(try UInt64(item.itemClass.rawValue) == expected.number("item_class"))
    #expect(try vectorBytes(item.vector) == vectorBytes(expected, "vector"))
    #expect(try vectorBytes(item.deleteContext) == vectorBytes(expected, "delete_context"))
    let attributes = ItemAttributes(of: item)
    #expect(try attributes.modificationTime == expected.number("modification_time"))
    #expect(try attributes.secretInConflict == expected.bool("secret_in_conflict"))
    var registers: [AttributeName: [Write]] = [:]
    for part in ["registers", "secret_registers"] {
      for (name, writes) in try expected.object(part).fields {
        registers[try #require(AttributeName(name))] = try self.writes(writes, item.vector)
      }
    }
    #expect(item.registers.mapValues(\.writes) == registers)
    #expect(try item.history == writes(expected.field("history"), item.vector))
    #expect(try (item.isDeleted && !item.deleteContext.isEmpty) == expected.bool("tombstone"))
    #expect(attributes.isDeleted == item.isDeleted)
  }

  private func vectorBytes(_ vector: VersionVector) -> [[UInt8]: UInt64] {
    Dictionary(uniqueKeysWithValues: vector.entries.map { ($0.device.bytes, $0.counter) })
  }

  private func vectorBytes(_ expected: Vector, _ name: String) throws -> [[UInt8]: UInt64] {
    var entries: [[UInt8]: UInt64] = [:]
    for pair in try expected.array(name).map({ try $0.array }) { entries[try pair[0].bytes] = try pair[1].number }
    return entries
  }

  private func writes(_ field: Vector.Field, _ vector: VersionVector) throws -> [Write] {
    try field.array.map { field in
      let write = try field.array
      let device = vector.entries[Int(try write[1].number)].device
      return Write(
        value: try write[0].attributeValue, dot: Dot(device: device, counter: try write[2].number),
        time: try write[3].number)
    }
  }

  @Test("Every wrong record is refused, and at the stage where it should be", arguments: file.negative)
  func refused(vector: Vector) throws {
    let expected: Stage =
      switch try vector.text("stage") {
      case "form": .form
      case "signature": .signature
      case "commitment", "attributes part", "attributes": .attributes
      case "secret part", "secret": .secret
      case "place": .place
      case let other: throw UnknownStage(name: other)
      }
    #expect(try stage(vector) == expected)
  }

  private struct UnknownStage: Error {
    let name: String
  }
}
