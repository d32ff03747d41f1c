import Testing

@testable import AgentWire

/// Decoding never traps and never takes two byte strings for the same message, whatever is done to it.
@Suite struct FuzzTests {
  /// Marsaglia's xorshift: the same run every time.
  struct Generator: RandomNumberGenerator {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  static func mutated(_ bytes: [UInt8], _ generator: inout Generator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let index = Int.random(in: 0...max(0, bytes.count - 1), using: &generator)
      guard index < bytes.count else { break }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 2: bytes.remove(at: index)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }

  @Test func `A damaged request is refused or is exactly what it says`() {
    var generator = Generator()
    var refused = 0
    for request in Samples.requests {
      for _ in 0..<3_000 {
        let bytes = Self.mutated(request.encoded, &generator)
        if let decoded = try? AgentRequest(decoding: bytes) {
          // Fields that may be left out when false or empty are the only freedom.
          #expect((try? AgentRequest(decoding: decoded.encoded)) == decoded)
        } else {
          refused += 1
        }
      }
    }
    #expect(refused > 1_000)
  }

  @Test func `A damaged reply is refused or is exactly what it says`() {
    var generator = Generator(state: 42)
    for (operation, reply) in Samples.replies {
      for _ in 0..<3_000 {
        let bytes = Self.mutated(reply.encodedMessages[0], &generator)
        if case .reply(let decoded)? = try? AgentMessage(decoding: bytes, answering: operation) {
          #expect((try? AgentMessage(decoding: decoded.encodedMessages[0], answering: operation)) == .reply(decoded))
        }
      }
    }
  }

  @Test func `Noise is refused`() {
    var generator = Generator(state: 7)
    for length in 0..<400 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = try? AgentRequest(decoding: bytes)
      for operation in AgentOperation.allCases { _ = try? AgentMessage(decoding: bytes, answering: operation) }
      _ = try? AgentRequest(decoding: [0x83, 0x01] + bytes)
    }
  }

  @Test func `Every prefix of a message is refused`() {
    for request in Samples.requests {
      let bytes = request.encoded
      for length in 0..<bytes.count {
        #expect(throws: AgentWireError.self) { _ = try AgentRequest(decoding: Array(bytes[..<length])) }
      }
    }
  }
}
