internal import Synchronization

/// One request that waits: for something to happen in a vault or a mailbox, or for its time to pass.
public final class Waiter: Sendable {
  private enum Phase {
    case idle
    case woken
    case armed(@Sendable () -> Void)
  }

  /// The vault or the mailbox.
  let key: [UInt8]
  /// When to give up, by `MonotonicClock`.
  let deadline: UInt64
  private let phase = Mutex(Phase.idle)

  init(key: [UInt8], deadline: UInt64) {
    self.key = key
    self.deadline = deadline
  }

  /// True once the time has passed.
  var isOver: Bool { MonotonicClock.milliseconds >= deadline }

  /// Has `wake` called once, at the next event or at the deadline; at once if an event came since the waiter was registered.
  public func arm(_ wake: @escaping @Sendable () -> Void) {
    let isLate = phase.withLock { phase in
      if case .woken = phase { return true }
      phase = .armed(wake)
      return false
    }
    if isLate { wake() }
  }

  func wake() {
    let action = phase.withLock { phase -> (@Sendable () -> Void)? in
      defer { phase = .woken }
      if case .armed(let action) = phase { return action }
      return nil
    }
    action?()
  }
}
