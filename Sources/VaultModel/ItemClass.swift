/// The Keychain's classes of stored items. The raw values are part of the record format (Docs/Formats.md, section 2).
public enum ItemClass: UInt8, CaseIterable, Sendable {
  /// A password for a service (`genp`).
  case genericPassword = 1
  /// A password for a server (`inet`).
  case internetPassword = 2
  /// A certificate (`cert`).
  case certificate = 3
  /// A cryptographic key (`keys`).
  case key = 4
}
