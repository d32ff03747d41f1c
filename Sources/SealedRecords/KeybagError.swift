/// Why a keybag gave no keys.
public enum KeybagError: Error, Equatable, Sendable {
  /// Another passphrase (or, no different to see, an altered wrapped root key).
  case wrongPassphrase
  /// The keybag has a passphrase and none was given.
  case passphraseRequired
  /// The keybag has no passphrase and one was given.
  case noPassphraseSet
  /// Not a keybag, an altered one, or the device secret of another device.
  case damaged
  /// A keybag of a version that this program does not know.
  case unsupportedVersion
  /// A new passphrase would be hashed more cheaply than `PasswordHashParameters.minimum`.
  case costTooLow
  /// No memory for the password hash.
  case outOfMemory
}
