/// The bounds of one item (Docs/Formats.md, section 2).
public enum Limits {
  /// Bytes of one secret value.
  public static let secretBytes = 1 << 20
  /// Bytes of one other value; kept by writers, so that the attributes of a list stay small.
  public static let attributeBytes = 64 << 10
  /// Bytes of an attribute's name.
  public static let attributeNameBytes = 64
  /// Attributes of one item, the secret ones not counted.
  public static let attributes = 128
  /// Entries of one version vector.
  public static let vectorEntries = 4_096
  /// Superseded secret values that are kept.
  public static let historyEntries = 10
  /// Bytes of one superseded secret value that is kept; a larger one is not. All ten together stay below 2 MiB.
  public static let historyValueBytes = 200 << 10
}
