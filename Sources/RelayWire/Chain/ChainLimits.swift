/// The limits of Docs/Formats.md §3 and §4.
public enum ChainLimits {
  /// The longest encoded entry.
  public static let entryBytes = 64 * 1024
  /// The most entries of one chain, genesis included.
  public static let entries: UInt64 = 10_000
  /// The most signatures of one entry.
  public static let signatures = 16
  /// The most active devices.
  public static let activeDevices = 1_000
  /// The most active recovery keys.
  public static let recoveryKeys = 64
  /// The longest name, in bytes of UTF-8.
  public static let nameBytes = 128
  /// The length of every sealed name: [salt, text] takes at most 165 bytes, so its padding always ends at 256.
  public static let sealedNameBytes = 256 + 16
  /// The longest ciphertext of a keyring; 1,024 epochs and 64 recovery keys take less.
  public static let keyringCiphertextBytes = 64 * 1024
  /// The most epochs in one keyring.
  public static let keyringEpochs = 1_024
  /// The length of ids, hashes, keys, locators, mailboxes, salts and commitments.
  public static let idBytes = 32
  /// The length of a signature.
  public static let signatureBytes = 64
  /// The length of a nonce.
  public static let nonceBytes = 24
  /// The length of a relay's incarnation.
  public static let incarnationBytes = 16
}
