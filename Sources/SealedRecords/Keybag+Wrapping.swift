internal import CBOR
internal import VaultCrypto

/// The keys that wrap, and what they wrap (Docs/Formats.md §8).
extension Keybag {
  private static let context = "lockstep/keybag/1"

  static func unlockKey(
    _ id: [UInt8], _ deviceSecret: borrowing SymmetricKey<DeviceSecretRole>
  ) -> SymmetricKey<EncryptionRole> {
    deviceSecret.derive(EncryptionRole.self, context, [.text("unlock"), .bytes(id)])
  }

  static func unlockKey(
    _ id: [UInt8], _ passphrase: [UInt8], _ parameters: PasswordHashParameters, salt: [UInt8],
    _ deviceSecret: borrowing SymmetricKey<DeviceSecretRole>
  ) throws(KeybagError) -> SharedKey<EncryptionRole> {
    let hashed: SharedKey<PassphraseRole>
    do {
      hashed = SharedKey(try PasswordHash.derive(passphrase, salt: salt, parameters))
    } catch {
      throw error == .outOfMemory ? .outOfMemory : .damaged
    }
    return SharedKey(
      deviceSecret.derive(
        EncryptionRole.self, context,
        [
          .text("unlock"), .bytes(id), .unsigned(parameters.operations), .unsigned(parameters.memoryKiB), .bytes(salt),
        ],
        secret: hashed.key))
  }

  /// A fresh salt, if there is a passphrase, and the key that follows from it.
  static func newUnlockKey(
    _ id: [UInt8], _ passphrase: [UInt8]?, _ parameters: PasswordHashParameters,
    _ deviceSecret: borrowing SymmetricKey<DeviceSecretRole>
  ) throws(KeybagError) -> (Protection, SharedKey<EncryptionRole>) {
    guard let passphrase else { return (.none, SharedKey(unlockKey(id, deviceSecret))) }
    guard parameters.operations >= PasswordHashParameters.minimum.operations,
      parameters.memoryKiB >= PasswordHashParameters.minimum.memoryKiB
    else { throw .costTooLow }
    let salt = Randomness.bytes(PasswordHash.saltLength)
    let key = try unlockKey(id, passphrase, parameters, salt: salt, deviceSecret)
    return (.passphrase(operations: parameters.operations, memoryKiB: parameters.memoryKiB, salt: salt), key)
  }

  static func classWrappingKey(
    _ protectionClass: ProtectionClass, _ root: SharedKey<RootRole>
  ) -> SymmetricKey<EncryptionRole> {
    root.key.derive(EncryptionRole.self, context, [.text("class"), .unsigned(UInt64(protectionClass.rawValue))])
  }

  static func alwaysWrappingKey(
    _ deviceSecret: borrowing SymmetricKey<DeviceSecretRole>
  ) -> SymmetricKey<EncryptionRole> {
    deviceSecret.derive(
      EncryptionRole.self, context, [.text("class"), .unsigned(UInt64(ProtectionClass.always.rawValue))])
  }

  static func wrapClass(
    _ protectionClass: ProtectionClass, _ key: SharedKey<SealingRole>, _ root: SharedKey<RootRole>, _ id: [UInt8]
  ) -> WrappedKey {
    wrap(
      key.key, wrappingKey: classWrappingKey(protectionClass, root), id, .none, classNumber: protectionClass.rawValue)
  }

  /// `protection` is that of the keybag for the root, and none for the classes, which survive a change of passphrase.
  static func wrap<Role: KeyRole>(
    _ key: borrowing SymmetricKey<Role>, wrappingKey: borrowing SymmetricKey<EncryptionRole>, _ id: [UInt8],
    _ protection: Protection, classNumber: UInt8
  ) -> WrappedKey {
    let nonce = Randomness.bytes(SymmetricKey<EncryptionRole>.nonceLength)
    var bytes = key.exportBytes()
    let ciphertext = wrappingKey.encrypt(bytes, nonce: nonce, context, inputs(id, protection, classNumber))
    wipe(&bytes)
    return WrappedKey(nonce: nonce, ciphertext: ciphertext)
  }

  func unwrap<Role: KeyRole>(
    _ wrapped: WrappedKey, wrappingKey: borrowing SymmetricKey<EncryptionRole>, _ protection: Protection,
    classNumber: UInt8, else failure: KeybagError
  ) throws(KeybagError) -> SharedKey<Role> {
    do {
      var bytes = try wrappingKey.decrypt(
        wrapped.ciphertext, nonce: wrapped.nonce, Self.context, Self.inputs(id, protection, classNumber))
      return SharedKey(try SymmetricKey<Role>(consuming: &bytes))
    } catch {
      throw failure
    }
  }

  private static func inputs(_ id: [UInt8], _ protection: Protection, _ classNumber: UInt8) -> [CBORValue] {
    [.bytes(id), protection.encoded, .unsigned(UInt64(classNumber))]
  }
}
