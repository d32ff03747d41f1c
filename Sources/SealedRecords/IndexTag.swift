internal import CBOR
public import VaultCrypto
public import VaultModel

/// Keyed digests by which this device finds items without opening them (Docs/Formats.md §9).
public enum IndexTag {
  /// The length of a tag.
  public static let length = 16

  /// The index key of the items under a class key: class C's for A, P and C, class D's for D.
  public static func key(from classKey: borrowing SymmetricKey<SealingRole>) -> SymmetricKey<IndexRole> {
    classKey.derive(IndexRole.self, "lockstep/index-key/1")
  }

  /// The class whose index key serves the items of `sealing`.
  public static func keyClass(for sealing: ProtectionClass) -> ProtectionClass {
    sealing == .always ? .always : .afterFirstUnlock
  }

  /// The tag of one attribute's value; nil for `absent`, which nobody can look up.
  public static func make(
    vault: VaultID, itemClass: ItemClass, name: AttributeName, value: AttributeValue,
    key: borrowing SymmetricKey<IndexRole>
  ) -> [UInt8]? {
    if value == .absent { return nil }
    let digest = key.authenticate(
      "lockstep/index-tag/1",
      [
        .bytes(vault.bytes), .unsigned(UInt64(itemClass.rawValue)), .text(name.text), CBORValue(normalized: value),
      ])
    return Array(digest[..<length])
  }
}
