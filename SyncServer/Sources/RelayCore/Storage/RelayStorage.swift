public import RelayWire

/// Where a relay keeps what it was given. Callable from several threads and, for an engine of many relays, from several processes at once.
///
/// Whatever a call changed is on disk when it returns, and either all of it happened or nothing. Reads see one snapshot. Times are
/// milliseconds since 1970, given by the caller. The contract suite in SyncServer/Tests/RelayStorageTests says the rest.
public protocol RelayStorage: Sendable {
  /// The vault's status; nil if there is no such vault.
  func status(of vault: [UInt8]) throws(RelayStorageError) -> VaultStatus?

  /// Creates a vault and uses the invite, both or neither.
  func create(_ vault: NewVault, now: UInt64) throws(RelayStorageError) -> CreateOutcome

  /// Chain entries from a number on, as many as a page holds; nil if there is no such vault.
  func chain(of vault: [UInt8], from: UInt64) throws(RelayStorageError) -> ChainPage?

  /// Appends an entry, stores its keyrings where none is held, replaces the locators and drops checkpoints of the departed.
  func append(_ entry: NewEntry, to vault: [UInt8], _ guarded: WriteGuard) throws(RelayStorageError) -> WriteOutcome<
    Void
  >

  /// Keyrings from a number on, as many as a page holds; nil if there is no such vault.
  func keyrings(of vault: [UInt8], from: UInt64) throws(RelayStorageError) -> KeyringsPage?

  /// Keyrings of one recipient, newest epoch first, as many as a page holds.
  func keyrings(of vault: [UInt8], recipient: [UInt8]) throws(RelayStorageError) -> [[UInt8]]

  /// Stores keyrings where none is held for (kind, epoch, recipient).
  func add(_ keyrings: [StoredKeyring], to vault: [UInt8], _ guarded: WriteGuard) throws(RelayStorageError)
    -> WriteOutcome<Void>

  /// Puts items into their slots one by one, as `PushSession` decides; `nil` items get the answer that stands in their place.
  func push(_ items: [PushStep], to vault: [UInt8], _ guarded: WriteGuard) throws(RelayStorageError)
    -> WriteOutcome<[PushAnswer]>

  /// A page of at most `limit` changes above `since`, in one snapshot with its end; nil if there is no such vault.
  func changes(of vault: [UInt8], since: UInt64, limit: Int) throws(RelayStorageError) -> ChangesPage?

  /// Replaces the author's checkpoint and counts the publication.
  func put(checkpoint: [UInt8], of author: [UInt8], in vault: [UInt8], _ guarded: WriteGuard) throws(RelayStorageError)
    -> WriteOutcome<Void>

  /// Opens a mailbox until `expires`.
  func openMailbox(_ mailbox: [UInt8], of vault: [UInt8], expires: UInt64, now: UInt64) throws(RelayStorageError)
    -> MailboxOutcome

  /// Removes a mailbox; true if it was there.
  func closeMailbox(_ mailbox: [UInt8], of vault: [UInt8]) throws(RelayStorageError) -> Bool

  /// What an open mailbox holds; nil if there is none, or with `vault` none of that vault.
  func mailbox(_ mailbox: [UInt8], of vault: [UInt8]?, now: UInt64) throws(RelayStorageError) -> Mailbox?

  /// Puts the joining device's request into an open mailbox.
  func put(request: [UInt8], into mailbox: [UInt8], now: UInt64) throws(RelayStorageError) -> LetterOutcome

  /// Puts the answer into an open mailbox of this vault.
  func put(answer: [UInt8], into mailbox: [UInt8], of vault: [UInt8], now: UInt64) throws(RelayStorageError)
    -> LetterOutcome

  /// The vaults that have an active recovery key with this locator, oldest registration first.
  func vaults(locator: [UInt8]) throws(RelayStorageError) -> [(vault: [UInt8], recovery: [UInt8])]

  /// Stores an invite by the hash of its token.
  func addInvite(hash: [UInt8], uses: UInt64, expires: UInt64) throws(RelayStorageError)

  /// Removes mailboxes and invites whose time has passed.
  func removeExpired(now: UInt64) throws(RelayStorageError)
}

/// One element of a push: either it goes to its slot, or it was refused before the storage saw it.
public enum PushStep: Sendable, Equatable {
  /// To be put.
  case put(PushItem)
  /// Refused.
  case refused(RefusalCode)
}
