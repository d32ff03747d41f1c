public import DeviceChain

/// Why something of a vault's membership cannot be made or opened. None says more than a relay may know.
public enum MembershipError: Error, Equatable, Sendable {
  /// The entry would break this rule of the chain.
  case chain(ChainError)
  /// A name has more than 128 bytes.
  case nameTooLong
  /// A wrong key, or altered bytes.
  case notAuthentic
  /// What was authentic does not have the form of the format.
  case malformed
  /// It is of another vault.
  case wrongVault
  /// It is a keyring of the other kind.
  case wrongKind
  /// It is for another recipient.
  case wrongRecipient
  /// It was wrapped under another kind of key.
  case wrongWrap
  /// A key inside does not match its commitment in the chain.
  case wrongCommitment
  /// The key of this epoch is not held.
  case missingKey(epoch: UInt64)
  /// It exceeds the limit of its format.
  case tooLarge
}
