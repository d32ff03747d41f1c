/// What can go wrong in a cryptographic operation. Deliberately few: a caller that hears why something did not open is an oracle.
public enum CryptoError: Error, Equatable, Sendable {
  /// Wrong key, altered bytes, wrong associated data, or a signature that does not match.
  case notAuthentic
  /// A key, nonce or signature has the wrong length, or padding is not ours.
  case malformed
  /// Parameters of a password hash lie outside the floors and ceilings of Docs/Formats.md §8.
  case parametersOutOfRange
  /// No memory for a password hash or a key.
  case outOfMemory
  /// The memory for keys could not be locked, so keys could reach the swap space.
  case memoryNotLocked
  /// libsodium did not start.
  case unavailable
}
