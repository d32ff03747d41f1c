/// What a key is for. A key of one role does not compile where another is wanted.
public protocol KeyRole {}

/// Seals records and what else a class protects: a vault's A_e or C_e, or a class key of the device (Docs/Formats.md §2, §3, §8).
public enum SealingRole: KeyRole {}
/// Derives slots from primary keys.
public enum SlotRole: KeyRole {}
/// Expands records into the set hash.
public enum SetHashRole: KeyRole {}
/// Makes local index tags.
public enum IndexRole: KeyRole {}
/// The secret of this device that a stolen database lacks.
public enum DeviceSecretRole: KeyRole {}
/// What Argon2id makes of a passphrase.
public enum PassphraseRole: KeyRole {}
/// The device root key.
public enum RootRole: KeyRole {}
/// The recovery key's 256 bits.
public enum RecoveryRole: KeyRole {}
/// A pre-shared key that stands beside X25519 (Docs/Formats.md §3).
public enum PreSharedRole: KeyRole {}
/// The secret of a pairing code.
public enum PairingRole: KeyRole {}
/// Encrypts exactly one kind of message with XChaCha20-Poly1305.
public enum EncryptionRole: KeyRole {}

/// Signs chain entries; wiped at lock.
public enum ChainSigningRole: KeyRole {}
/// Signs records, checkpoints and requests; kept while the agent runs.
public enum PushSigningRole: KeyRole {}
/// Signs for a recovery key.
public enum RecoverySigningRole: KeyRole {}

/// Opens keyrings A; wiped at lock.
public enum ExchangeARole: KeyRole {}
/// Opens keyrings C.
public enum ExchangeCRole: KeyRole {}
/// Opens keyrings sealed to a recovery key.
public enum RecoverySealingRole: KeyRole {}
