public import SealedRecords
public import VaultCrypto

/// The class keys of this device as far as they are there, and the index keys made from them (Docs/Formats.md §8, §9).
/// Used under the agent's lock.
public final class DeviceClassKeys {
  private var keys: [ProtectionClass: SharedKey<SealingRole>] = [:]
  private var indexKeys: [ProtectionClass: SharedKey<IndexRole>] = [:]

  /// Only class D is there from the start.
  public init(always: SharedKey<SealingRole>) {
    set(always, .always)
  }

  /// The key of a class; nil while it is locked or does not exist.
  public subscript(_ protection: ProtectionClass) -> SharedKey<SealingRole>? { keys[protection] }

  /// The index key that serves the items of a class.
  public func indexKey(for protection: ProtectionClass) -> SharedKey<IndexRole>? {
    indexKeys[IndexTag.keyClass(for: protection)]
  }

  /// The index keys that are there: C's after the first unlock, D's always.
  public var availableIndexKeys: [SharedKey<IndexRole>] {
    [indexKeys[.afterFirstUnlock], indexKeys[.always]].compactMap(\.self)
  }

  /// Takes in a key after unlock.
  public func set(_ key: SharedKey<SealingRole>, _ protection: ProtectionClass) {
    keys[protection] = key
    if IndexTag.keyClass(for: protection) == protection {
      indexKeys[protection] = SharedKey(IndexTag.key(from: key.key))
    }
  }

  /// Lets go of the keys that locking takes away.
  public func lock() {
    keys[.whenUnlocked] = nil
    keys[.passcodeSet] = nil
  }

  /// Lets go of one key, when its class was destroyed.
  public func remove(_ protection: ProtectionClass) {
    keys[protection] = nil
  }

  /// True while class A is there.
  public var isUnlocked: Bool { keys[.whenUnlocked] != nil }
  /// True once class C is there.
  public var wasUnlocked: Bool { keys[.afterFirstUnlock] != nil }
}
