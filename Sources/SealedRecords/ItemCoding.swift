internal import CBOR
public import VaultModel

/// An item as the plaintext of a record's two parts (Docs/Formats.md §2). What is read and written again gives the same bytes.
public enum ItemCoding {
  /// The attributes part: everything that listing and matching need.
  public static func attributes(of item: ItemState) throws(RecordError) -> [UInt8] {
    try check(item)
    let summary = ItemAttributes(of: item)
    var writer = CBORWriter(capacity: 1024)
    writer.array(6)
    writer.unsigned(1)
    writer.unsigned(UInt64(item.itemClass.rawValue))
    writer.vector(item.vector)
    writer.vector(item.deleteContext)
    writer.registers(summary.registers, item.vector)
    writer.array(2)
    writer.unsigned(summary.modificationTime)
    writer.bool(summary.secretInConflict)
    return writer.bytes
  }

  /// The secret part. The result is not padded; the caller wipes it.
  public static func secret(of item: ItemState) throws(RecordError) -> [UInt8] {
    try check(item)
    let secrets = item.registers.filter { $0.key.isSecret }
    // Large enough never to move, so that no copy of a secret is left behind.
    var capacity = 1024 + 256 * item.history.count
    for write in item.history { capacity += write.value.byteCount }
    for register in secrets.values {
      for write in register.writes { capacity += write.value.byteCount + 256 }
    }
    var writer = CBORWriter(capacity: capacity)
    writer.array(3)
    writer.unsigned(1)
    writer.registers(secrets, item.vector)
    writer.writes(item.history, item.vector)
    return writer.bytes
  }

  /// Reads an attributes part.
  public static func decodeAttributes(_ bytes: [UInt8]) throws(RecordError) -> ItemAttributes {
    try decodingStrictly(bytes, atMost: SealedRecord.maximumLength) { reader in
      try reader.message(6)
      guard let itemClass = ItemClass(rawValue: UInt8(try reader.unsigned(atMost: 255))) else {
        throw RecordError.malformed
      }
      let vector = try reader.vector()
      let deleteContext = try reader.vector()
      let registers = try reader.registers(vector, secret: false)
      try reader.array(2)
      let modificationTime = try reader.unsigned()
      let secretInConflict = try reader.bool()
      guard vector.dominatesOrEquals(deleteContext),
        registers.values.allSatisfy({ $0.shown.time <= modificationTime })
      else { throw RecordError.malformed }
      return ItemAttributes(
        open: ItemState(
          itemClass: itemClass, vector: vector, registers: registers, deleteContext: deleteContext, history: []),
        modificationTime: modificationTime, secretInConflict: secretInConflict)
    }
  }

  /// Reads the secret part that belongs to `attributes`, and checks the whole.
  public static func decodeItem(_ attributes: ItemAttributes, secret: [UInt8]) throws(RecordError) -> ItemState {
    let item = try decodingStrictly(secret, atMost: SealedRecord.maximumLength) { reader in
      try reader.message(3)
      let secrets = try reader.registers(attributes.vector, secret: true)
      let history = try reader.writes(attributes.vector, atLeast: 0, atMost: Limits.historyEntries)
      return attributes.joined(secrets: secrets, history: history)
    }
    try check(item)
    // The summary that lists go by must be the one that the secret part gives.
    guard ItemAttributes(of: item) == attributes else { throw .malformed }
    return item
  }

  private static func check(_ item: ItemState) throws(RecordError) {
    do {
      try item.check()
    } catch {
      throw error == .secretTooLarge ? .tooLarge : .malformed
    }
  }
}
