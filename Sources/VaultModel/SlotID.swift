/// The place of one item in a vault: a keyed hash of its primary key (Docs/Formats.md, section 2).
public struct SlotID: Hashable, Comparable, Sendable {
  private let storage: Bytes32

  /// The identifier that `bytes` are; nil unless there are exactly 32.
  public init?(_ bytes: [UInt8]) {
    guard let storage = Bytes32(bytes) else { return nil }
    self.storage = storage
  }

  /// Its 32 bytes.
  public var bytes: [UInt8] { storage.bytes }

  /// The order of the bytes.
  public static func < (left: Self, right: Self) -> Bool { left.storage.precedes(right.storage) }
}
