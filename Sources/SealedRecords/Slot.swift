internal import CBOR
public import VaultCrypto
public import VaultModel

/// The place of an item: a keyed hash of its primary key (Docs/Formats.md §2), so that a vault holds it once and the relay
/// learns nothing.
public enum Slot {
  /// The slot of a vault's item.
  public static func derive(_ primaryKey: PrimaryKey, key: borrowing SymmetricKey<SlotRole>) -> SlotID {
    slotID(key.authenticate(context, inputs(primaryKey)))
  }

  /// The slot of an item of this device alone, under the index key of its class (Docs/Formats.md §9).
  public static func derive(_ primaryKey: PrimaryKey, indexKey: borrowing SymmetricKey<IndexRole>) -> SlotID {
    slotID(indexKey.authenticate(context, inputs(primaryKey)))
  }

  private static let context = "lockstep/slot/1"

  private static func inputs(_ primaryKey: PrimaryKey) -> [CBORValue] {
    [.unsigned(UInt64(primaryKey.itemClass.rawValue)), .array(primaryKey.values.map(CBORValue.init(normalized:)))]
  }

  private static func slotID(_ bytes: [UInt8]) -> SlotID {
    guard let slot = SlotID(bytes) else { fatalError("a keyed hash has 32 bytes") }
    return slot
  }
}

extension CBORValue {
  /// A value as it counts in slots and tags: text is bytes; dates and truth values are numbers.
  init(normalized value: AttributeValue) {
    switch value {
    case .bytes(let bytes): self = .bytes(bytes)
    case .text(let text): self = .bytes(Array(text.utf8))
    case .number(let number), .date(let number): self = .integer(number)
    case .bool(let bool): self = .unsigned(bool ? 1 : 0)
    case .absent: self = .null
    }
  }
}
