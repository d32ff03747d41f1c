/// What a device may do in a vault (Docs/Formats.md §4).
public enum DeviceRole: UInt64, Sendable, Hashable, CaseIterable {
  /// Writes records and changes the membership.
  case admin = 1
  /// Writes records.
  case writer = 2
  /// Holds the vault's keys and signs no record.
  case reader = 3

  /// Whether this role signs records.
  public var mayWrite: Bool { self != .reader }
}
