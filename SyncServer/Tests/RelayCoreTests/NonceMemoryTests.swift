import RelayWire
import Testing
import TextCoding
import VaultCrypto

@testable import RelayCore

@Suite struct NonceMemoryTests {
  private func nonce(_ number: UInt8) -> String { Hex.encode([UInt8](repeating: number, count: 16)) }

  @Test(
    "A nonce is refused the second time for at least as long as its signature could be valid, and another device may use it"
  )
  func remembers() {
    let memory = NonceMemory()
    let (device, other) = (Randomness.bytes(32), Randomness.bytes(32))
    // Later times first arrive in the same and in the next period, wherever the period began.
    for start: UInt64 in [10_000, 10_250, 10_599] {
      let memory = NonceMemory()
      _ = memory.remember(device: other, nonce: nonce(9), now: 10_000)
      #expect(memory.remember(device: device, nonce: nonce(1), now: start) == .new)
      for later in stride(from: start, through: start + RelayLimits.nonceSeconds, by: 50) {
        #expect(memory.remember(device: device, nonce: nonce(1), now: later) == .seen, "\(later)")
      }
    }
    #expect(memory.remember(device: device, nonce: nonce(2), now: 1) == .new)
    #expect(memory.remember(device: other, nonce: nonce(2), now: 1) == .new)
    #expect(memory.remember(device: device, nonce: nonce(2), now: 1) == .seen)
  }

  @Test("What is long past is forgotten, and the memory is bounded")
  func forgets() {
    let memory = NonceMemory(limit: 2)
    let device = Randomness.bytes(32)
    #expect(memory.remember(device: device, nonce: nonce(1), now: 10_000) == .new)
    #expect(memory.remember(device: device, nonce: nonce(2), now: 10_000) == .new)
    #expect(memory.remember(device: device, nonce: nonce(3), now: 10_000) == .full)
    #expect(memory.remember(device: device, nonce: nonce(1), now: 20_000) == .new)
  }

  @Test("A clock that steps back forgets nothing")
  func clockStepsBack() {
    let memory = NonceMemory()
    let device = Randomness.bytes(32)
    #expect(memory.remember(device: device, nonce: nonce(1), now: 10_000) == .new)
    #expect(memory.remember(device: device, nonce: nonce(1), now: 9_900) == .seen)
    #expect(memory.remember(device: device, nonce: nonce(1), now: 10_000) == .seen)
  }
}
