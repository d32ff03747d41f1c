/// The limits of Docs/RelayProtocol.md and Docs/Formats.md that both sides of the wire keep.
public enum RelayLimits {
  /// Bytes of an id, hash, key, slot, locator or mailbox name.
  public static let identifierBytes = 32
  /// Bytes of an incarnation.
  public static let incarnationBytes = 16
  /// The greatest body in either direction.
  public static let bodyBytes = 20 << 20
  /// Records in a batch or on a page, entries on a page.
  public static let batchCount = 1_000
  /// Bytes in a batch or on a page; one element alone may be larger.
  public static let batchBytes = 8 << 20
  /// One record.
  public static let recordBytes = 16 << 20
  /// One purge event: its form has a fixed size of less than this.
  public static let purgeBytes = 512
  /// One entry of the device chain.
  public static let entryBytes = 64 << 10
  /// Entries of a device chain.
  public static let chainLength: UInt64 = 10_000
  /// All entries of a chain together: a relay verifies a chain in memory.
  public static let chainBytes: UInt64 = 64 << 20
  /// One keyring: 1,024 epochs and 64 recovery keys, sealed.
  public static let keyringBytes = 128 << 10
  /// Keyrings that travel with one chain entry: both kinds for 1,000 devices and 64 recovery keys.
  public static let keyringCount = 2 * (1_000 + 64)
  /// One checkpoint.
  public static let checkpointBytes = 1 << 20
  /// All checkpoints that a vault holds together.
  public static let checkpointsBytes = 8 << 20
  /// A pairing request.
  public static let mailboxRequestBytes = 4 << 10
  /// A pairing answer.
  public static let mailboxAnswerBytes = 1 << 20
  /// Mailboxes of a vault that are open at the same time.
  public static let mailboxCount = 16
  /// How long a mailbox stays open.
  public static let mailboxSeconds: UInt64 = 600
  /// The longest that a request may ask the relay to wait.
  public static let waitSeconds: UInt32 = 55
  /// How far `created` may lie from the relay's clock.
  public static let clockSkewSeconds: UInt64 = 300
  /// How long a nonce is remembered; no shorter than both sides of the allowed skew.
  public static let nonceSeconds: UInt64 = 600
  /// Characters of an invite token.
  public static let inviteCharacters = 26
  /// The greatest problem body that a client reads.
  public static let problemBytes = 16 << 10
}
