/// What a state of an item has seen: for each device the greatest counter. An absent device counts as 0, and the empty
/// vector is valid.
public struct VersionVector: Hashable, Sendable {
  /// One device's greatest counter.
  public struct Entry: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// Its greatest counter, at least 1.
    public let counter: UInt64

    /// The entry of `device`.
    public init(device: DeviceID, counter: UInt64) {
      self.device = device
      self.counter = counter
    }
  }

  /// How one vector stands to another.
  public enum Comparison: Sendable {
    /// Both have seen the same writes.
    case equal
    /// The first has seen less.
    case dominated
    /// The first has seen more.
    case dominating
    /// Each has seen what the other has not.
    case concurrent
  }

  /// The entries, ascending by device. Invariant: no device twice, no counter 0.
  public private(set) var entries: [Entry]

  /// The vector that has seen nothing.
  public init() {
    entries = []
  }

  /// The vector of these entries; nil unless they ascend strictly by device and no counter is 0.
  public init?(_ entries: [Entry]) {
    for index in entries.indices {
      guard entries[index].counter > 0 else { return nil }
      guard index == 0 || entries[index - 1].device < entries[index].device else { return nil }
    }
    self.entries = entries
  }

  /// Whether nothing was seen.
  public var isEmpty: Bool { entries.isEmpty }

  /// The greatest counter of `device` that was seen, 0 if none.
  public subscript(device: DeviceID) -> UInt64 {
    let index = position(of: device)
    guard index < entries.count, entries[index].device == device else { return 0 }
    return entries[index].counter
  }

  /// Whether the write `dot` was seen.
  public func contains(_ dot: Dot) -> Bool {
    self[dot.device] >= dot.counter
  }

  /// Whether everything that `other` has seen was seen here.
  public func dominatesOrEquals(_ other: VersionVector) -> Bool {
    switch compared(to: other) {
    case .equal, .dominating: true
    case .dominated, .concurrent: false
    }
  }

  /// How this vector stands to `other`, in one pass over both.
  public func compared(to other: VersionVector) -> Comparison {
    var more = false
    var less = false
    var here = 0
    var there = 0
    while here < entries.count || there < other.entries.count {
      if there == other.entries.count {
        more = true
        break
      }
      if here == entries.count {
        less = true
        break
      }
      let left = entries[here]
      let right = other.entries[there]
      if left.device == right.device {
        if left.counter > right.counter { more = true }
        if left.counter < right.counter { less = true }
        here += 1
        there += 1
      } else if left.device < right.device {
        more = true
        here += 1
      } else {
        less = true
        there += 1
      }
      if more && less { return .concurrent }
    }
    if more { return less ? .concurrent : .dominating }
    return less ? .dominated : .equal
  }

  /// Takes in everything that `other` has seen.
  public mutating func join(_ other: VersionVector) {
    self = joined(with: other)
  }

  /// The vector that has seen what either has seen.
  public func joined(with other: VersionVector) -> VersionVector {
    if other.isEmpty { return self }
    if isEmpty { return other }
    var joined = VersionVector()
    joined.entries.reserveCapacity(max(entries.count, other.entries.count))
    var here = 0
    var there = 0
    while here < entries.count && there < other.entries.count {
      let left = entries[here]
      let right = other.entries[there]
      if left.device == right.device {
        joined.entries.append(left.counter > right.counter ? left : right)
        here += 1
        there += 1
      } else if left.device < right.device {
        joined.entries.append(left)
        here += 1
      } else {
        joined.entries.append(right)
        there += 1
      }
    }
    joined.entries.append(contentsOf: entries[here...])
    joined.entries.append(contentsOf: other.entries[there...])
    return joined
  }

  /// The vector that has seen `dot` too.
  public func advanced(to dot: Dot) -> VersionVector {
    guard dot.counter > 0 else { return self }
    var advanced = self
    let entry = Entry(device: dot.device, counter: dot.counter)
    let index = position(of: dot.device)
    if index < entries.count, entries[index].device == dot.device {
      if entries[index].counter < dot.counter { advanced.entries[index] = entry }
    } else {
      advanced.entries.insert(entry, at: index)
    }
    return advanced
  }

  /// The vector with this counter for `device`, even if it is less; 0 removes the entry.
  func setting(_ device: DeviceID, to counter: UInt64) -> VersionVector {
    var changed = self
    changed.entries.removeAll { $0.device == device }
    return changed.advanced(to: Dot(device: device, counter: counter))
  }

  /// The place of `device` in `entries`, or where it would be inserted.
  private func position(of device: DeviceID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].device < device { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
