internal import Threading

/// Wakes a waiting thread; a wake-up that comes before the wait is not lost.
final class Wakeup: Sendable {
  private let pending = Monitor(false)

  /// Wakes the waiting thread, or the next wait at once.
  func signal() { pending.change { $0 = true } }

  /// Waits for a signal, at most `milliseconds` (nil: for ever). True if there was one.
  @discardableResult
  func wait(milliseconds: UInt64? = nil) -> Bool {
    let deadline = milliseconds.map { MonotonicClock.milliseconds.addingReportingOverflow($0) }
      .map { $0.overflow ? UInt64.max : $0.partialValue }
    return pending.wait(deadline: deadline) { pending in
      guard pending else { return nil }
      pending = false
      return true
    } ?? false
  }
}
