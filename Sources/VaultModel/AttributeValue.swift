/// The value of an attribute. The kind is part of the value: text and bytes that spell the same are different values,
/// although a primary key takes them for one (`PrimaryKey`).
public enum AttributeValue: Hashable, Sendable {
  /// Bytes.
  case bytes([UInt8])
  /// Text; equal if its UTF-8 bytes are equal, so that merging never takes two sealed values for one.
  case text(String)
  /// A whole number.
  case number(Int64)
  /// A truth value.
  case bool(Bool)
  /// A point in time, in milliseconds since 1970-01-01 UTC.
  case date(milliseconds: Int64)
  /// No value: an attribute is removed by writing this.
  case absent

  /// Whether both are of one kind with the same contents, byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.bytes(let left), .bytes(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.number(let left), .number(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.absent, .absent): true
    default: false
    }
  }

  /// Feeds kind and contents.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .bytes(let bytes): hasher.combine(bytes)
    case .text(let text): hasher.combine(Array(text.utf8))
    case .number(let number), .date(let number): hasher.combine(number)
    case .bool(let bool): hasher.combine(bool)
    case .absent: break
    }
  }

  /// The number of bytes that the value holds.
  public var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .text(let text): text.utf8.count
    case .number, .date: 8
    case .bool: 1
    case .absent: 0
    }
  }

  /// A total order without meaning. It breaks the tie of two writes that claim one dot, which only a faulty or lying
  /// device makes, so that even then every device shows the same one.
  func precedes(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.number(let left), .number(let right)): left < right
    case (.bool(let left), .bool(let right)): !left && right
    case (.date(let left), .date(let right)): left < right
    default: rank < other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .absent: 0
    case .bool: 1
    case .number: 2
    case .date: 3
    case .text: 4
    case .bytes: 5
    }
  }
}

/// Kind and size, never contents: a value may be a secret, and descriptions end up in logs and in failed expectations.
extension AttributeValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// For example `text (12 bytes)`.
  public var description: String {
    switch self {
    case .bytes(let bytes): "bytes (\(bytes.count) bytes)"
    case .text(let text): "text (\(text.utf8.count) bytes)"
    case .number: "number"
    case .bool: "bool"
    case .date: "date"
    case .absent: "absent"
    }
  }

  /// The same.
  public var debugDescription: String { description }

  /// Without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
