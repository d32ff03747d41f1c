/// Why bytes are not the deterministic CBOR of Docs/Formats.md §1.
public enum CBORError: Error, Equatable, Sendable {
  /// The bytes end before the value does, or a length claims more than is there.
  case truncated
  /// A head is not in its shortest form, or has an indefinite length.
  case notDeterministic
  /// A float, tag, undefined or other value that our formats do not use.
  case unsupported
  /// The value is of another type than the format asks for.
  case unexpectedType
  /// A text string is not UTF-8.
  case invalidText
  /// Map keys are unsorted or repeated.
  case unsortedKeys
  /// Arrays and maps nest deeper than `CBORReader.maximumDepth`.
  case tooDeep
  /// Bytes follow the value.
  case trailingBytes
  /// A number or a length is outside what the format allows.
  case outOfRange
}
