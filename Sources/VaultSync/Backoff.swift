internal import RelayWire

/// The failures in a row of one thread, and how long to wait after each (`RetryPolicy`).
public struct Backoff: Sendable {
  /// The first twenty waits: a relay that was restarted is found again soon.
  private static let atFirst = RetryPolicy(firstMilliseconds: 500, greatestMilliseconds: 10_000)
  /// All later ones: who is offline for long asks once a minute.
  private static let later = RetryPolicy(firstMilliseconds: 500, greatestMilliseconds: 60_000)
  private var failures = 0

  /// No failures yet.
  public init() {}

  /// After a success.
  public mutating func reset() { failures = 0 }

  /// After a failure: how long to wait, in milliseconds.
  public mutating func next() -> UInt64 {
    failures = min(failures + 1, 1_000)
    var generator = SystemRandomNumberGenerator()
    return (failures <= 20 ? Self.atFirst : Self.later).delay(afterFailures: failures, using: &generator)
  }
}
