/// One value written to one attribute.
public struct Write: Hashable, Sendable {
  /// What was written.
  public let value: AttributeValue
  /// Which write it was; one write may set several attributes of one item.
  public let dot: Dot
  /// When, in milliseconds since 1970-01-01 UTC, but later than every earlier write that the item had seen.
  public let time: UInt64

  /// A write.
  public init(value: AttributeValue, dot: Dot, time: UInt64) {
    self.value = value
    self.dot = dot
    self.time = time
  }

  /// The order in which the greatest wins: by time, then device, then counter, on every device alike. No clock is read.
  public func precedes(_ other: Write) -> Bool {
    if time != other.time { return time < other.time }
    if dot != other.dot { return dot < other.dot }
    return value.precedes(other.value)
  }
}
