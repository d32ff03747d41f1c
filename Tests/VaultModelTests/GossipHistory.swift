import VaultModel

/// Devices that write and merge at random. More general than a relay: any state may meet any state.
///
/// Beside each state stands the set of writes it has seen, as a bit mask, and from that set alone `expectedItem` says
/// what the state must hold: a second definition of an item that knows nothing of vectors, dominance or merging.
struct GossipHistory {
  struct Operation {
    let dot: Dot
    let time: UInt64
    let values: [AttributeName: AttributeValue]
    let isDelete: Bool
    /// What the writer had seen, this operation not included.
    let seen: UInt64
  }

  struct State {
    let item: ItemState
    let seen: UInt64
  }

  private(set) var operations: [Operation] = []
  private(set) var states = [State(item: ItemState(itemClass: .genericPassword), seen: 0)]

  /// Attributes that are written: the one with a history, another secret one, and a plain one.
  private static let names: [AttributeName] = [.secret, .secretExtra0, .label]

  init(steps: Int, devices: Int, fewValues: Bool, random: inout SplitMix64) throws {
    let ids = (0..<devices).map { device(UInt8(0xa + $0)) }
    // Clocks of devices differ by far more than a step, and go back now and then.
    let offsets = ids.map { _ in [UInt64](arrayLiteral: 50, 100, 100, 150)[random.below(4)] }
    var current = [State](repeating: states[0], count: devices)
    var counters = [UInt64](repeating: 0, count: devices)
    for step in 0..<min(steps, 60) {
      let who = random.below(devices)
      if random.below(100) < 35 {
        let other = states[random.below(states.count)]
        current[who] = State(item: current[who].item.merging(other.item), seen: current[who].seen | other.seen)
      } else {
        // Counters grow by more than one now and then, as those made from a clock do.
        counters[who] += random.oneIn(4) ? 7 : 1
        let clock = offsets[who] + UInt64(step) - (random.oneIn(3) ? 30 : 0)
        current[who] = try write(
          current[who], dot(ids[who], counters[who]), clock: clock, fewValues: fewValues, random: &random)
      }
      states.append(current[who])
    }
  }

  private mutating func write(
    _ state: State, _ dot: Dot, clock: UInt64, fewValues: Bool, random: inout SplitMix64
  ) throws -> State {
    let number = operations.count
    func value() -> AttributeValue { .number(Int64(fewValues ? random.below(2) : number)) }
    var values: [AttributeName: AttributeValue] = [:]
    let seenOperations = operations.enumerated().filter { state.seen >> UInt64($0.offset) & 1 == 1 }.map(\.element)
    let time = max(clock, 1 + (seenOperations.lazy.map(\.time).max() ?? 0))
    let item: ItemState
    var isDelete = false
    if state.item.isDeleted {
      for name in Self.names where name == .secret || random.oneIn(2) { values[name] = value() }
      item = try state.item.adding(values, dot: dot, clock: clock, floor: VersionVector())
      for name in Set(seenOperations.flatMap(\.values.keys)) where values[name] == nil { values[name] = .absent }
      values[.creationDate] = .date(milliseconds: Int64(time))
    } else if random.below(65) < 15 {
      isDelete = true
      item = try state.item.deleting(dot)
    } else {
      for name in Self.names where random.oneIn(2) { values[name] = random.oneIn(8) ? .absent : value() }
      if values.isEmpty { values[.secret] = value() }
      item = try state.item.setting(values, dot: dot, clock: clock)
    }
    // A delete has no time of its own.
    operations.append(
      Operation(dot: dot, time: isDelete ? 0 : time, values: values, isDelete: isDelete, seen: state.seen))
    return State(item: item, seen: state.seen | 1 << UInt64(number))
  }

  /// The item that has seen exactly these writes.
  func expectedItem(_ seen: UInt64) -> ItemState {
    var vector = VersionVector()
    var context = VersionVector()
    var open: [AttributeName: [Write]] = [:]
    var superseded: [Write] = []
    for (number, operation) in operations.enumerated() where seen >> UInt64(number) & 1 == 1 {
      vector = vector.advanced(to: operation.dot)
      if operation.isDelete {
        for (earlier, other) in operations.enumerated()
        where (operation.seen | 1 << UInt64(number)) >> UInt64(earlier) & 1 == 1 {
          context = context.advanced(to: other.dot)
        }
      }
      for (name, value) in operation.values {
        let write = Write(value: value, dot: operation.dot, time: operation.time)
        if isSuperseded(number, name, seen) {
          if name == .secret, value != .absent { superseded.append(write) }
        } else {
          open[name, default: []].append(write)
        }
      }
    }
    return ItemState(
      itemClass: .genericPassword, vector: vector, registers: open.compactMapValues { Register($0) },
      deleteContext: context, history: Array(superseded.sorted { $0.precedes($1) }.suffix(10)))
  }

  /// Whether a later write of the attribute, among those seen, had seen this one.
  private func isSuperseded(_ number: Int, _ name: AttributeName, _ seen: UInt64) -> Bool {
    for (later, operation) in operations.enumerated() where seen >> UInt64(later) & 1 == 1 {
      if operation.seen >> UInt64(number) & 1 == 1, operation.values[name] != nil { return true }
    }
    return false
  }
}
