/// Why a request to a vault was refused.
public enum VaultError: Error, Equatable, Sendable {
  /// The keys for it are not there: locked, or not unlocked since the agent started.
  case locked
  /// No such item.
  case notFound
  /// A live item has this primary key.
  case duplicate
  /// A value breaks a rule; the sentence says which.
  case invalid(String)
  /// The item needs a passphrase, and none is set.
  case passphraseNeeded
  /// This device may not write in this vault.
  case readerOnly
  /// A stored record does not open: the store is damaged.
  case damaged(String)
}
