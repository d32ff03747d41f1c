/// Strict reading of UTF-8.
public enum UTF8Text {
  /// The string that `bytes` encode; nil if they are not well-formed UTF-8 (RFC 3629: no overlong form, no surrogate,
  /// nothing above U+10FFFF). Nothing is repaired, so different bytes never become the same name.
  public static func validate(_ bytes: [UInt8]) -> String? {
    String(validating: bytes, as: UTF8.self)
  }
}
