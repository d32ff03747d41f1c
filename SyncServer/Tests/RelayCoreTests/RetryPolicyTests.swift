import RelayWire
import Testing

/// A generator whose sequence a seed decides.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

@Suite struct RetryPolicyTests {
  @Test("Delays stay below a ceiling that doubles up to its greatest value, and use all of it")
  func ceilings() {
    let policy = RetryPolicy(firstMilliseconds: 1_000, greatestMilliseconds: 60_000)
    var generator = Seeded(state: 1)
    for (failures, ceiling) in [
      (0, 1_000), (1, 1_000), (2, 2_000), (5, 16_000), (7, 60_000), (1_000, 60_000), (-3, 1_000),
    ]
      as [(Int, UInt64)]
    {
      let delays = (0..<500).map { _ in policy.delay(afterFailures: failures, using: &generator) }
      #expect(delays.allSatisfy { $0 <= ceiling })
      #expect((delays.max() ?? 0) > ceiling * 9 / 10)
      #expect((delays.min() ?? .max) < ceiling / 10)
    }
  }

  @Test("Retry-After is kept, spread a little, and never longer than an hour")
  func retryAfter() {
    var generator = Seeded(state: 2)
    for _ in 0..<200 {
      let delay = RetryPolicy().delay(afterFailures: 3, retryAfter: 30, using: &generator)
      #expect((30_000...31_000).contains(delay))
    }
    #expect(RetryPolicy().delay(afterFailures: 1, retryAfter: .max, using: &generator) <= 3_601_000)
  }

  @Test("The same seed gives the same delays")
  func seedable() {
    var (first, second) = (Seeded(state: 7), Seeded(state: 7))
    for failures in 1...20 {
      #expect(
        RetryPolicy().delay(afterFailures: failures, using: &first)
          == RetryPolicy().delay(afterFailures: failures, using: &second))
    }
  }
}
