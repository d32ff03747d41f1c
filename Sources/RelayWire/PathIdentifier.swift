internal import TextCoding

/// Ids in paths: 64 lower-case hexadecimal digits, one spelling for each id.
public enum PathIdentifier {
  /// The spelling of a 32-byte id.
  public static func encode(_ identifier: [UInt8]) -> String { Hex.encode(identifier) }

  /// The id that `text` spells; nil if it is spelled in another way.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count == RelayLimits.identifierBytes * 2, let bytes = Hex.decode(String(text)),
      Hex.encode(bytes) == text
    else { return nil }
    return bytes
  }
}
