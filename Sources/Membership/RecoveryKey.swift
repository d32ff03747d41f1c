internal import CBOR
internal import TextCoding
public import VaultCrypto

/// 256 random bits on paper (Docs/Formats.md §5): 13 groups of five characters, the fifth of which checks its group and place.
public struct RecoveryKey: ~Copyable, Sendable {
  static let groups = 13
  static let groupLength = 5

  private let secret: SymmetricKey<RecoveryRole>

  /// A fresh key.
  public static func random() -> RecoveryKey { RecoveryKey(.random()) }

  /// The key of 32 bytes.
  public init(_ secret: consuming SymmetricKey<RecoveryRole>) {
    precondition(secret.count == 32)
    self.secret = secret
  }

  /// The keys that it stands for.
  public func identity() -> RecoveryIdentity { RecoveryIdentity(secret) }

  /// The 256 bits, for vectors; the caller wipes them.
  func exportSecret() -> [UInt8] { secret.exportBytes() }

  /// What a person writes down. A String cannot be wiped: it is made only to be shown.
  public func text() -> String {
    var bytes = secret.exportBytes()
    defer { wipe(&bytes) }
    // One more nibble makes 260 bits: 52 characters.
    bytes.append(Self.checksum(Array(bytes)) << 4)
    var text: [UInt8] = []
    for group in 0..<Self.groups {
      let symbols = (0..<Self.groupLength - 1).map { Self.symbol(group * 4 + $0, of: bytes) }
      if group > 0 { text.append(UInt8(ascii: "-")) }
      for symbol in symbols + [Self.check(symbols, group: group)] {
        text.append(contentsOf: CrockfordBase32.character(symbol).utf8)
      }
    }
    defer { wipe(&text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads what a person typed; case, spaces and hyphens do not count. An error says which group to look at.
  public init(text: String) throws(RecoveryKeyError) {
    var symbols: [UInt8] = []
    defer { wipe(&symbols) }
    for scalar in text.unicodeScalars where !Self.isSeparator(scalar) {
      let group = min(symbols.count / Self.groupLength + 1, Self.groups)
      guard let ascii = UInt8(exactly: scalar.value), let symbol = CrockfordBase32.value(of: ascii) else {
        throw .wrongCharacter(group: group)
      }
      symbols.append(symbol)
    }
    guard symbols.count == Self.groups * Self.groupLength else { throw .wrongLength }
    var bytes = [UInt8](repeating: 0, count: 33)
    defer { wipe(&bytes) }
    for group in 0..<Self.groups {
      let start = group * Self.groupLength
      let data = Array(symbols[start..<start + Self.groupLength - 1])
      guard Self.check(data, group: group) == symbols[start + Self.groupLength - 1] else {
        throw .wrongGroup(number: group + 1)
      }
      for (offset, symbol) in data.enumerated() { Self.put(symbol, at: group * 4 + offset, into: &bytes) }
    }
    let nibble = bytes.removeLast() >> 4
    guard Self.checksum(Array(bytes)) == nibble else { throw .checksum }
    do {
      secret = try SymmetricKey(consuming: &bytes)
    } catch {
      throw .wrongLength
    }
  }

  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || scalar == " " || ("\t"..."\r").contains(scalar)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt8 {
    Digest.hash("lockstep/recovery-checksum/1", [.bytes(bytes)])[0] >> 4
  }

  /// The check character of four data characters: a weighted sum over GF(32). The weights differ from each other, from 0 and
  /// from the 1 of the check character, so a wrong character or two swapped neighbours change the sum; the group's own
  /// constant makes swapped groups wrong.
  private static func check(_ symbols: [UInt8], group: Int) -> UInt8 {
    var sum = UInt8(truncatingIfNeeded: group + 1)
    for (index, symbol) in symbols.enumerated() { sum ^= multiply(symbol, UInt8(truncatingIfNeeded: index + 2)) }
    return sum
  }

  /// Multiplication in GF(2)[x] / (x⁵ + x² + 1).
  private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt8 = 0
    var power = left
    for bit in 0..<5 {
      if right >> UInt8(bit) & 1 == 1 { product ^= power }
      power <<= 1
      if power & 0b10_0000 != 0 { power ^= 0b10_0101 }
    }
    return product
  }

  /// Five bits, most significant first; here rather than in TextCoding because what passes is wiped.
  private static func symbol(_ index: Int, of bytes: [UInt8]) -> UInt8 {
    let bit = index * 5
    let low = bit / 8 + 1 < bytes.count ? bytes[bit / 8 + 1] : 0
    let window = UInt16(bytes[bit / 8]) << 8 | UInt16(low)
    return UInt8(truncatingIfNeeded: window >> UInt16(11 - bit % 8)) & 31
  }

  private static func put(_ symbol: UInt8, at index: Int, into bytes: inout [UInt8]) {
    let bit = index * 5
    let window = UInt16(symbol) << UInt16(11 - bit % 8)
    bytes[bit / 8] |= UInt8(truncatingIfNeeded: window >> 8)
    if bit / 8 + 1 < bytes.count { bytes[bit / 8 + 1] |= UInt8(truncatingIfNeeded: window) }
  }
}
