internal import RelayWire
internal import Synchronization
internal import TextCoding

/// The nonces of verified requests, kept for at least `RelayLimits.nonceSeconds`.
///
/// They are in memory only: a replay after a restart, or to another relay process, is verified again and changes nothing, because every write
/// compares before it swaps. Two generations make forgetting cheap; a nonce is remembered for one to two periods.
final class NonceMemory: Sendable {
  enum Answer: Equatable {
    case new, seen, full
  }

  private struct Key: Hashable {
    let device: UInt64
    let high: UInt64
    let low: UInt64
  }

  private struct State {
    var current: Set<Key> = []
    var previous: Set<Key> = []
    var began: UInt64 = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Remembers at most `limit` nonces a period.
  init(limit: Int = 500_000) { self.limit = limit }

  /// Remembers the nonce of a device's request; `now` in seconds.
  func remember(device: [UInt8], nonce: String, now: UInt64) -> Answer {
    guard let bytes = Hex.decode(nonce), bytes.count == 16, device.count >= 8 else { return .seen }
    let key = Key(
      device: Self.number(device[..<8]), high: Self.number(bytes[..<8]), low: Self.number(bytes[8...]))
    return state.withLock { state in
      if now >= state.began + RelayLimits.nonceSeconds || now < state.began {
        state.previous = now < state.began + 2 * RelayLimits.nonceSeconds ? state.current : []
        state.current = []
        state.began = now
      }
      if state.current.contains(key) || state.previous.contains(key) { return .seen }
      guard state.current.count < limit else { return .full }
      state.current.insert(key)
      return .new
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
