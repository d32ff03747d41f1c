/// Why a record, a checkpoint, a purge event or a local blob was refused. Deliberately few: who hears more than this about
/// a forgery can use it.
public enum RecordError: Error, Equatable, Sendable {
  /// The bytes are not what Docs/Formats.md allows.
  case malformed
  /// A version that this program does not know.
  case unsupportedVersion
  /// More bytes than the format allows.
  case tooLarge
  /// The signature is not by the author's push-signing key over these bytes at this place.
  case wrongSignature
  /// Another key, another vault, slot or purpose, or altered bytes.
  case notAuthentic
}
