/// Why the storage did not do something. What the rules of the protocol forbid is an outcome, not an error.
public enum RelayStorageError: Error, Sendable, Equatable {
  /// The disk is full; nothing was stored.
  case full
  /// More is waiting to be written than there is room for.
  case busy
  /// The storage does not answer or is damaged. The reason is for the log.
  case unavailable(String)
}

/// What a vault looks like at one moment.
public struct VaultStatus: Sendable, Equatable {
  /// The vault's incarnation.
  public var incarnation: [UInt8]
  /// The greatest sequence ever given.
  public var head: UInt64
  /// Entries of the chain.
  public var chainLength: UInt64
  /// Checkpoints ever published.
  public var checkpointCount: UInt64

  /// A status.
  public init(incarnation: [UInt8], head: UInt64, chainLength: UInt64, checkpointCount: UInt64) {
    self.incarnation = incarnation
    self.head = head
    self.chainLength = chainLength
    self.checkpointCount = checkpointCount
  }
}

/// A keyring with what the storage finds it by.
public struct StoredKeyring: Sendable, Equatable {
  /// 1 or 3 (Docs/Formats.md §3).
  public var kind: UInt64
  /// The epoch.
  public var epoch: UInt64
  /// A device id or a recovery id.
  public var recipient: [UInt8]
  /// The keyring.
  public var bytes: [UInt8]

  /// A keyring.
  public init(kind: UInt64, epoch: UInt64, recipient: [UInt8], bytes: [UInt8]) {
    self.kind = kind
    self.epoch = epoch
    self.recipient = recipient
    self.bytes = bytes
  }
}

/// Where a recovery key finds its vault.
public struct RecoveryLocator: Sendable, Equatable {
  /// The locator.
  public var locator: [UInt8]
  /// The recovery key.
  public var recovery: [UInt8]

  /// A locator.
  public init(locator: [UInt8], recovery: [UInt8]) {
    self.locator = locator
    self.recovery = recovery
  }
}

/// A vault to be created.
public struct NewVault: Sendable {
  /// The hash of the genesis entry.
  public var vault: [UInt8]
  /// 16 bytes.
  public var incarnation: [UInt8]
  /// The genesis entry.
  public var genesis: [UInt8]
  /// The first keyrings.
  public var keyrings: [StoredKeyring]
  /// The active recovery keys.
  public var locators: [RecoveryLocator]
  /// The hash of the invite that is used up; nil if none is needed.
  public var invite: [UInt8]?

  /// A vault.
  public init(
    vault: [UInt8], incarnation: [UInt8], genesis: [UInt8], keyrings: [StoredKeyring], locators: [RecoveryLocator],
    invite: [UInt8]?
  ) {
    self.vault = vault
    self.incarnation = incarnation
    self.genesis = genesis
    self.keyrings = keyrings
    self.locators = locators
    self.invite = invite
  }
}

/// What became of a vault to be created.
public enum CreateOutcome: Sendable, Equatable {
  /// It was created.
  case created
  /// It is there, with this incarnation and this genesis entry; no invite was used.
  case exists(incarnation: [UInt8], genesis: [UInt8])
  /// The invite is unknown, used up or expired.
  case inviteRefused
}

/// What a write was decided on; the storage checks in its transaction that it still holds.
public struct WriteGuard: Sendable, Equatable {
  /// The incarnation that the client speaks of; nil if it speaks of none.
  public var incarnation: [UInt8]?
  /// The feed's head that the entry names; nil if none has to match.
  public var head: UInt64?
  /// The length of the chain that the signer's standing was read from.
  public var chainLength: UInt64
  /// Bytes that the vault may hold.
  public var quota: UInt64

  /// A guard.
  public init(incarnation: [UInt8]?, head: UInt64? = nil, chainLength: UInt64, quota: UInt64) {
    self.incarnation = incarnation
    self.head = head
    self.chainLength = chainLength
    self.quota = quota
  }
}

/// What became of a guarded write.
public enum WriteOutcome<Value: Sendable>: Sendable {
  /// Done, and on disk.
  case done(Value)
  /// There is no such vault.
  case missing
  /// The incarnation is another.
  case incarnation
  /// The chain is longer than the guard says.
  case chainMoved
  /// The feed's head is another.
  case feedMoved
  /// The vault's quota is full.
  case quota
}

/// A chain entry to be appended.
public struct NewEntry: Sendable {
  /// The entry; its number is the guard's chain length.
  public var entry: [UInt8]
  /// Keyrings that come with it.
  public var keyrings: [StoredKeyring]
  /// All recovery keys that are active after it.
  public var locators: [RecoveryLocator]
  /// Devices that are not active any more after it: their checkpoints go.
  public var departed: [[UInt8]]

  /// An entry.
  public init(entry: [UInt8], keyrings: [StoredKeyring], locators: [RecoveryLocator], departed: [[UInt8]]) {
    self.entry = entry
    self.keyrings = keyrings
    self.locators = locators
    self.departed = departed
  }
}

/// What became of opening a mailbox.
public enum MailboxOutcome: Sendable, Equatable {
  /// It is open.
  case opened
  /// It was open already, for this vault.
  case open
  /// It is open for another vault.
  case taken
  /// The vault has too many.
  case tooMany
}

/// What became of putting a letter into a mailbox.
public enum LetterOutcome: Sendable, Equatable {
  /// It is in, or the same letter was.
  case stored
  /// Another letter was in.
  case exists
  /// There is no such mailbox.
  case missing
}

/// What a mailbox holds.
public struct Mailbox: Sendable, Equatable {
  /// The request of the joining device.
  public var request: [UInt8]?
  /// The answer of the inviting device.
  public var answer: [UInt8]?

  /// A mailbox.
  public init(request: [UInt8]?, answer: [UInt8]?) {
    self.request = request
    self.answer = answer
  }
}
