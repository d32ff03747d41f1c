internal import Glibc

/// Wakes a waiting thread; a wake-up that comes before the wait is not lost.
final class Wakeup: @unchecked Sendable {
  // Unchecked: `pending` is only touched while `mutex` is held; the pthread objects are made for sharing.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var pending = false

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
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

  /// Wakes the waiting thread, or the next wait at once.
  func signal() {
    pthread_mutex_lock(mutex)
    pending = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for a signal, at most `milliseconds` (nil: for ever). True if there was one.
  @discardableResult
  func wait(milliseconds: UInt64? = nil) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let milliseconds {
      var deadline = timespec()
      clock_gettime(CLOCK_MONOTONIC, &deadline)
      let total = UInt64(deadline.tv_nsec) + (milliseconds % 1000) * 1_000_000
      deadline.tv_sec += Int(clamping: milliseconds / 1000 + total / 1_000_000_000)
      deadline.tv_nsec = Int(total % 1_000_000_000)
      while !pending {
        if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
      }
    } else {
      while !pending { pthread_cond_wait(condition, mutex) }
    }
    defer { pending = false }
    return pending
  }
}
