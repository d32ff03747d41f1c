/// Thirty-two bytes as four big-endian words, so that comparing and hashing identifiers allocates nothing.
struct Bytes32: Hashable, Sendable {
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    first = Self.word(bytes, at: 0)
    second = Self.word(bytes, at: 8)
    third = Self.word(bytes, at: 16)
    fourth = Self.word(bytes, at: 24)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    for word in [first, second, third, fourth] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return bytes
  }

  /// The order of the bytes: big-endian words compare as their bytes do.
  func precedes(_ other: Bytes32) -> Bool {
    if first != other.first { return first < other.first }
    if second != other.second { return second < other.second }
    if third != other.third { return third < other.third }
    return fourth < other.fourth
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in offset..<(offset + 8) { word = word << 8 | UInt64(bytes[index]) }
    return word
  }
}
