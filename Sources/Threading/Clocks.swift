internal import Glibc

/// Time since some moment before the process began; never steps.
public enum MonotonicClock {
  /// Milliseconds.
  public static var milliseconds: UInt64 { read(CLOCK_MONOTONIC) }

  static func read(_ clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(max(0, now.tv_sec)) * 1_000 + UInt64(max(0, now.tv_nsec)) / 1_000_000
  }
}

/// Time of day.
public enum WallClock {
  /// Milliseconds since 1970.
  public static var milliseconds: UInt64 { MonotonicClock.read(CLOCK_REALTIME) }
}
