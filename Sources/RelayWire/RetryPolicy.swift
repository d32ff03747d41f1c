/// When to try again after a transient failure: exponential backoff with full jitter, and never before the relay's `Retry-After`.
///
/// Full jitter (a uniform choice between nothing and the whole delay) spreads the devices that a relay's restart sent away together.
public struct RetryPolicy: Sendable, Equatable {
  /// The ceiling of the first delay.
  public var firstMilliseconds: UInt64
  /// The ceiling of every delay that is not the relay's own wish.
  public var greatestMilliseconds: UInt64
  /// The longest `Retry-After` that is honoured: a relay must not send a device away for good.
  public var greatestRetryAfterSeconds: UInt32

  /// A policy.
  public init(
    firstMilliseconds: UInt64 = 1_000, greatestMilliseconds: UInt64 = 300_000, greatestRetryAfterSeconds: UInt32 = 3_600
  ) {
    self.firstMilliseconds = firstMilliseconds
    self.greatestMilliseconds = greatestMilliseconds
    self.greatestRetryAfterSeconds = greatestRetryAfterSeconds
  }

  /// Milliseconds to wait after the `failures`-th failure in a row (1 for the first).
  public func delay(
    afterFailures failures: Int, retryAfter: UInt32? = nil, using generator: inout some RandomNumberGenerator
  ) -> UInt64 {
    let doublings = UInt64(min(max(failures, 1) - 1, 32))
    let (grown, overflowed) = firstMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
    let ceiling = overflowed ? greatestMilliseconds : min(grown, greatestMilliseconds)
    let jittered = UInt64.random(in: 0...ceiling, using: &generator)
    guard let retryAfter else { return jittered }
    // The jitter comes on top: otherwise all who were told the same second would come back in it.
    return UInt64(min(retryAfter, greatestRetryAfterSeconds)) * 1_000 + min(jittered, firstMilliseconds)
  }
}
