public import RelayWire

/// Why a sync cycle did not finish.
public enum SyncError: Error, Sendable, Equatable {
  /// The relay did not answer or answered with an error.
  case relay(RelayError)
  /// The keys for syncing are not there before the first unlock.
  case locked
  /// The verified chain says that this device was revoked.
  case revoked
  /// The relay was caught; the text is the evidence.
  case misbehaved(String)
  /// The agent ends.
  case cancelled
}
