internal import Glibc

/// State behind a lock, and threads that wait for it to change: what `Mutex` of Synchronization lacks is the waiting.
///
/// @unchecked: `state` is read and written only while `mutex` is held.
public final class Monitor<State: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  /// A monitor of `state`.
  public init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A step of the wall clock must not end or prolong a wait.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the lock held, then wakes who waits.
  public func change<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Runs `body` with the lock held and wakes nobody: for changes that no one waits for.
  public func quietly<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Runs `body` with the lock held, now and after each change, until it gives a value or `deadline` (`MonotonicClock`) has passed.
  public func wait<Result>(deadline: UInt64? = nil, _ body: (inout State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      guard MonotonicClock.milliseconds < deadline else { return nil }
      var time = timespec(tv_sec: Int(deadline / 1_000), tv_nsec: Int(deadline % 1_000) * 1_000_000)
      pthread_cond_timedwait(condition, mutex, &time)
    }
  }
}
