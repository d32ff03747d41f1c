public import VaultCrypto

/// What unlocking a keybag gives; class D is beside it (`Keybag.alwaysKey`). Letting go of the last reference wipes a key.
public struct UnlockedKeys: Sendable {
  /// The root key, for wrapping it once more; wiped at lock.
  public let root: SharedKey<RootRole>
  /// Class A, wiped at lock.
  public let whenUnlocked: SharedKey<SealingRole>
  /// Class P, wiped at lock; nil without a passphrase.
  public let passcodeSet: SharedKey<SealingRole>?
  /// Class C, kept until the agent ends.
  public let afterFirstUnlock: SharedKey<SealingRole>

  init(
    root: SharedKey<RootRole>, whenUnlocked: SharedKey<SealingRole>, passcodeSet: SharedKey<SealingRole>?,
    afterFirstUnlock: SharedKey<SealingRole>
  ) {
    self.root = root
    self.whenUnlocked = whenUnlocked
    self.passcodeSet = passcodeSet
    self.afterFirstUnlock = afterFirstUnlock
  }

  /// Fresh keys.
  init(hasPassphrase: Bool) {
    self.init(
      root: SharedKey(.random()), whenUnlocked: SharedKey(.random()),
      passcodeSet: hasPassphrase ? SharedKey(.random()) : nil, afterFirstUnlock: SharedKey(.random()))
  }
}
