internal import Synchronization
internal import Threading

/// One request that waits: for something to happen in a vault or a mailbox, or for its time to pass.
public final class Waiter: Sendable {
  private enum Phase {
    case idle
    case woken
    case armed(@Sendable () -> Void)
  }

  /// The vault or the mailbox.
  let key: [UInt8]
  /// Who waits: a device, or whoever knows a mailbox.
  let owner: [UInt8]
  /// When to give up, by `MonotonicClock`.
  let deadline: UInt64
  private let phase = Mutex(Phase.idle)
  private let isSuperseded = Atomic(false)

  init(key: [UInt8], owner: [UInt8], deadline: UInt64) {
    self.key = key
    self.owner = owner
    self.deadline = deadline
  }

  /// Milliseconds that it may go on waiting.
  var left: UInt64 {
    let now = MonotonicClock.milliseconds
    return isSuperseded.load(ordering: .acquiring) || now >= deadline ? 0 : deadline - now
  }

  /// Ends its time: its owner waits elsewhere.
  func supersede() { isSuperseded.store(true, ordering: .releasing) }

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
