internal import CBOR
public import VaultCrypto

/// The class keys of this device, wrapped (Docs/Formats.md §8). Nothing in here helps whoever lacks the device secret.
public struct Keybag: Hashable, Sendable {
  /// What opens the root key beside the device secret.
  public enum Protection: Hashable, Sendable {
    /// Nothing.
    case none
    /// A passphrase, through Argon2id.
    case passphrase(operations: UInt64, memoryKiB: UInt64, salt: [UInt8])
  }

  /// 32 random bytes that bind the wrapped keys together.
  public let id: [UInt8]
  /// What opens the root key.
  public let protection: Protection
  let root: WrappedKey
  /// Invariant: A, C and D; P too if and only if there is a passphrase.
  let classes: [ProtectionClass: WrappedKey]

  /// Whether a passphrase is needed.
  public var hasPassphrase: Bool { protection != .none }

  /// A nonce and a key under it.
  struct WrappedKey: Hashable, Sendable {
    static let ciphertextLength = 48
    let nonce: [UInt8]
    let ciphertext: [UInt8]
  }

  init(
    id: [UInt8], protection: Protection, root: WrappedKey, classes: [ProtectionClass: WrappedKey]
  ) {
    self.id = id
    self.protection = protection
    self.root = root
    self.classes = classes
  }

  /// A keybag of fresh keys, and these keys. `passphrase` is nil for none; the caller wipes it.
  public static func create(
    passphrase: [UInt8]?, parameters: PasswordHashParameters = .minimum,
    deviceSecret: borrowing SymmetricKey<DeviceSecretRole>
  ) throws(KeybagError) -> (keybag: Keybag, keys: UnlockedKeys) {
    let id = Randomness.bytes(32)
    let (protection, unlockKey) = try newUnlockKey(id, passphrase, parameters, deviceSecret)
    let keys = UnlockedKeys(hasPassphrase: passphrase != nil)
    var classes: [ProtectionClass: WrappedKey] = [
      .whenUnlocked: wrapClass(.whenUnlocked, keys.whenUnlocked, keys.root, id),
      .afterFirstUnlock: wrapClass(.afterFirstUnlock, keys.afterFirstUnlock, keys.root, id),
      .always: wrap(
        SymmetricKey<SealingRole>.random(), wrappingKey: alwaysWrappingKey(deviceSecret), id, .none, classNumber: 4),
    ]
    if let passcodeSet = keys.passcodeSet {
      classes[.passcodeSet] = wrapClass(.passcodeSet, passcodeSet, keys.root, id)
    }
    let root = wrap(keys.root.key, wrappingKey: unlockKey.key, id, protection, classNumber: 0)
    return (Keybag(id: id, protection: protection, root: root, classes: classes), keys)
  }

  /// The keys that only an unlocked agent has. A wrong passphrase costs as much time as the right one.
  public func unlock(
    passphrase: [UInt8]?, deviceSecret: borrowing SymmetricKey<DeviceSecretRole>
  ) throws(KeybagError) -> UnlockedKeys {
    // Class D opens without a passphrase: so a foreign device secret is told from a wrong passphrase, and costs nothing.
    _ = try alwaysKey(deviceSecret: deviceSecret)
    let root: SharedKey<RootRole>
    switch (protection, passphrase) {
    case (.none, nil):
      let unlockKey = Self.unlockKey(id, deviceSecret)
      root = try unwrap(self.root, wrappingKey: unlockKey, protection, classNumber: 0, else: .damaged)
    case (.passphrase(let operations, let memoryKiB, let salt), let passphrase?):
      let unlockKey = try Self.unlockKey(
        id, passphrase, parameters(operations, memoryKiB), salt: salt, deviceSecret)
      root = try unwrap(self.root, wrappingKey: unlockKey.key, protection, classNumber: 0, else: .wrongPassphrase)
    case (.none, _?): throw .noPassphraseSet
    case (.passphrase, nil): throw .passphraseRequired
    }
    return try classKeys(root)
  }

  /// The key of class D, which needs no passphrase.
  public func alwaysKey(
    deviceSecret: borrowing SymmetricKey<DeviceSecretRole>
  ) throws(KeybagError) -> SharedKey<SealingRole> {
    guard let wrapped = classes[.always] else { throw .damaged }
    return try unwrap(
      wrapped, wrappingKey: Self.alwaysWrappingKey(deviceSecret), .none, classNumber: 4, else: .damaged)
  }

  /// The class keys under a root key that was unwrapped here or, for a forgotten passphrase, by a recovery key.
  public func classKeys(_ root: SharedKey<RootRole>) throws(KeybagError) -> UnlockedKeys {
    guard let whenUnlocked = try classKey(.whenUnlocked, root),
      let afterFirstUnlock = try classKey(.afterFirstUnlock, root)
    else { throw .damaged }
    return UnlockedKeys(
      root: root, whenUnlocked: whenUnlocked, passcodeSet: try classKey(.passcodeSet, root),
      afterFirstUnlock: afterFirstUnlock)
  }

  private func classKey(
    _ protectionClass: ProtectionClass, _ root: SharedKey<RootRole>
  ) throws(KeybagError) -> SharedKey<SealingRole>? {
    guard let wrapped = classes[protectionClass] else { return nil }
    return try unwrap(
      wrapped, wrappingKey: Self.classWrappingKey(protectionClass, root), .none,
      classNumber: protectionClass.rawValue, else: .damaged)
  }

  private func parameters(
    _ operations: UInt64, _ memoryKiB: UInt64
  ) throws(KeybagError) -> PasswordHashParameters {
    do {
      return try PasswordHashParameters(operations: operations, memoryKiB: memoryKiB)
    } catch {
      throw .damaged
    }
  }
}
