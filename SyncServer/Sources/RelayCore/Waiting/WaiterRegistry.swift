internal import Glibc
internal import Threading

/// Who waits for what. An event wakes all who wait for its key; a thread wakes those whose time has passed.
public final class WaiterRegistry: Sendable {
  /// More than these do not wait but are answered at once, so that waiting costs bounded memory.
  private static let limit = 20_000
  /// Of these, one owner has so many; a further one ends the oldest. A device that breaks off a poll and begins another leaves the first
  /// behind, and the HTTP server does not notice before it answers.
  private static let ownerLimit = 4
  /// Deadlines are rounded up to this many milliseconds, so that one wake of the thread serves many.
  private static let tick: UInt64 = 50

  private struct State: Sendable {
    var byKey: [[UInt8]: [ObjectIdentifier: Waiter]] = [:]
    /// Oldest first.
    var byOwner: [[UInt8]: [Waiter]] = [:]
    var byTick: [UInt64: [ObjectIdentifier: Waiter]] = [:]
    var count = 0
    /// When the thread looks next, in ticks; never later than the earliest waiter's.
    var nextTick: UInt64?
    var isClosed = false
  }

  private let state = Monitor(State())

  /// An empty registry with its thread.
  public init() {
    // Without the thread nobody's time would ever pass; a process that cannot have one more thread is about to fail anyway, and says so.
    guard WorkerThread({ [state] in Self.expire(state) }) != nil else {
      fatalError("the system allows no further thread")
    }
  }

  deinit { close() }

  /// How many wait.
  public var count: Int { state.quietly { $0.count } }

  /// Registers a waiter for `key`; nil if the registry is closed or full. To be done before looking whether there is anything to wait for.
  func register(_ key: [UInt8], owner: [UInt8], milliseconds: UInt64) -> Waiter? {
    let waiter = Waiter(key: key, owner: owner, deadline: MonotonicClock.milliseconds + milliseconds)
    let tick = Self.tick(of: waiter)
    let (isIn, isEarliest, superseded) = state.quietly { state -> (Bool, Bool, Waiter?) in
      guard !state.isClosed, state.count < Self.limit else { return (false, false, nil) }
      let others = state.byOwner[owner] ?? []
      let superseded = others.count >= Self.ownerLimit ? others.first : nil
      if let superseded { Self.remove(superseded, &state) }
      state.byOwner[owner, default: []].append(waiter)
      state.byKey[key, default: [:]][ObjectIdentifier(waiter)] = waiter
      state.byTick[tick, default: [:]][ObjectIdentifier(waiter)] = waiter
      state.count += 1
      return (true, state.nextTick.map { tick < $0 } ?? true, superseded)
    }
    superseded?.supersede()
    superseded?.wake()
    if isEarliest { state.change { $0.nextTick = min($0.nextTick ?? tick, tick) } }
    return isIn ? waiter : nil
  }

  /// Takes out a waiter that need not wait after all.
  func remove(_ waiter: Waiter) {
    state.quietly { Self.remove(waiter, &$0) }
  }

  /// Something happened to `key`.
  public func notify(_ key: [UInt8]) {
    let woken = state.quietly { state in
      let woken = state.byKey[key].map { Array($0.values) } ?? []
      for waiter in woken { Self.remove(waiter, &state) }
      return woken
    }
    for waiter in woken { waiter.wake() }
  }

  /// Wakes everybody and lets nobody wait any more.
  public func close() {
    let woken = state.change { state in
      state.isClosed = true
      let woken = state.byKey.values.flatMap(\.values)
      for waiter in woken { Self.remove(waiter, &state) }
      return woken
    }
    for waiter in woken { waiter.wake() }
  }

  private static func tick(of waiter: Waiter) -> UInt64 { waiter.deadline / tick + 1 }

  private static func remove(_ waiter: Waiter, _ state: inout State) {
    let identity = ObjectIdentifier(waiter)
    guard state.byKey[waiter.key]?.removeValue(forKey: identity) != nil else { return }
    if state.byKey[waiter.key]?.isEmpty == true { state.byKey[waiter.key] = nil }
    state.byOwner[waiter.owner]?.removeAll { $0 === waiter }
    if state.byOwner[waiter.owner]?.isEmpty == true { state.byOwner[waiter.owner] = nil }
    let tick = tick(of: waiter)
    state.byTick[tick]?[identity] = nil
    if state.byTick[tick]?.isEmpty == true { state.byTick[tick] = nil }
    state.count -= 1
  }

  /// The thread's loop: sleeps until the next tick at which somebody's time has passed; ends when the registry is closed.
  private static func expire(_ state: Monitor<State>) {
    while true {
      let next: UInt64?? = state.wait { $0.isClosed ? .some(nil) : $0.nextTick.map { .some($0) } }
      guard let next, let tick = next else { return }
      // Ends early when the registry is closed or somebody with less patience came.
      _ = state.wait(deadline: tick * Self.tick) { $0.isClosed || $0.nextTick != tick ? true : nil }
      let now = MonotonicClock.milliseconds
      let woken = state.quietly { state in
        let woken = state.byTick.filter { $0.key * Self.tick <= now }.values.flatMap(\.values)
        for waiter in woken { remove(waiter, &state) }
        state.nextTick = state.byTick.keys.min()
        return woken
      }
      for waiter in woken { waiter.wake() }
    }
  }
}
