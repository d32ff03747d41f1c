internal import VaultCrypto

/// How long to wait after failures: exponential with full jitter, so that many devices do not come back to a relay at once.
public struct Backoff: Sendable {
  /// The first wait is at most this, in milliseconds.
  public static let first: UInt64 = 500
  /// No wait of the first twenty is longer, in milliseconds: a relay that was restarted is found again soon.
  public static let longestAtFirst: UInt64 = 10_000
  /// No wait is longer, in milliseconds.
  public static let longest: UInt64 = 60_000
  private var failures = 0

  /// No failures yet.
  public init() {}

  /// After a success.
  public mutating func reset() { failures = 0 }

  /// After a failure: how long to wait, in milliseconds; at least what the relay asked for.
  public mutating func next(atLeast asked: UInt64 = 0) -> UInt64 {
    let longest = failures < 20 ? Self.longestAtFirst : Self.longest
    let ceiling = min(longest, Self.first << UInt64(min(failures, 16)))
    failures += 1
    return max(asked, UInt64(Randomness.number(below: UInt32(ceiling))) + 1)
  }
}
