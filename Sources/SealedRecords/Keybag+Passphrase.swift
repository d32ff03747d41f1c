public import VaultCrypto

extension Keybag {
  /// What becomes of the items of class P when the passphrase changes.
  public enum PasscodeItems: Sendable {
    /// Whoever changes the passphrase knew the old one: they stay, as long as there is a passphrase.
    case kept
    /// The old passphrase was forgotten: their key is replaced, so they are gone.
    case destroyed
  }

  /// The keybag with another passphrase, or none, and its keys.
  ///
  /// `keys` come from `unlock` with the old passphrase, or from `classKeys` with a root key that a recovery key unwrapped.
  /// Only the root key is wrapped anew, with a fresh salt. Class P is made when a passphrase comes and destroyed when it
  /// goes: the caller drops its items in the transaction that stores the new keybag, and the old keybag's bytes with it.
  public func changingPassphrase(
    to passphrase: [UInt8]?, parameters: PasswordHashParameters = .minimum, keys: UnlockedKeys,
    deviceSecret: borrowing SymmetricKey<DeviceSecretRole>, passcodeItems: PasscodeItems = .kept
  ) throws(KeybagError) -> (keybag: Keybag, keys: UnlockedKeys) {
    // The keys must be this keybag's, and the device secret this device's, or the result would open nothing.
    let held = try classKeys(keys.root)
    _ = try alwaysKey(deviceSecret: deviceSecret)

    let (protection, unlockKey) = try Self.newUnlockKey(id, passphrase, parameters, deviceSecret)
    var classes = self.classes
    var passcodeSet = held.passcodeSet
    if passphrase == nil {
      passcodeSet = nil
      classes[.passcodeSet] = nil
    } else if passcodeSet == nil || passcodeItems == .destroyed {
      let fresh = SharedKey(SymmetricKey<SealingRole>.random())
      passcodeSet = fresh
      classes[.passcodeSet] = Self.wrapClass(.passcodeSet, fresh, held.root, id)
    }
    let root = Self.wrap(held.root.key, wrappingKey: unlockKey.key, id, protection, classNumber: 0)
    return (
      Keybag(id: id, protection: protection, root: root, classes: classes),
      UnlockedKeys(
        root: held.root, whenUnlocked: held.whenUnlocked, passcodeSet: passcodeSet,
        afterFirstUnlock: held.afterFirstUnlock)
    )
  }
}
