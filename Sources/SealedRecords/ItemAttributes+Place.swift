public import VaultCrypto
public import VaultModel

/// Whether an opened record belongs where it was found (Docs/Formats.md §2). A record that does not is quarantined: its
/// author is a member, so the signature is good, but the item would shadow another or lie under too lax a key.
extension ItemAttributes {
  /// For a vault's record.
  public func belongs(
    in slot: SlotID, under keyID: SealingKeyID, slotKey: borrowing SymmetricKey<SlotRole>
  ) -> Bool {
    keyID.epoch != nil && keyID.suits(strictestAccessibility) && Slot.derive(primaryKey, key: slotKey) == slot
  }

  /// For a record of this device, with the index key of its class.
  public func belongs(
    in slot: SlotID, under keyID: SealingKeyID, indexKey: borrowing SymmetricKey<IndexRole>
  ) -> Bool {
    keyID.epoch == nil && keyID.suits(strictestAccessibility) && Slot.derive(primaryKey, indexKey: indexKey) == slot
  }
}
