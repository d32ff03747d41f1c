/// One write: the device that made it and that device's counter. No two writes share a dot.
public struct Dot: Hashable, Comparable, Sendable {
  /// The device that wrote.
  public let device: DeviceID
  /// Its counter at that write, at least 1.
  public let counter: UInt64

  /// The write with this counter of this device.
  public init(device: DeviceID, counter: UInt64) {
    self.device = device
    self.counter = counter
  }

  /// By device, then by counter.
  public static func < (left: Self, right: Self) -> Bool {
    left.device == right.device ? left.counter < right.counter : left.device < right.device
  }
}
