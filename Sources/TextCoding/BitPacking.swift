/// Regrouping of bytes into symbols of five or six bits, most significant bit first: what Base32 and Base64 share.
enum BitPacking {
  /// The symbols of `bytes`; the last one is filled with zero bits.
  static func symbols(of bytes: [UInt8], bits: UInt32) -> [UInt8] {
    var symbols: [UInt8] = []
    symbols.reserveCapacity((bytes.count * 8 + Int(bits) - 1) / Int(bits))
    let mask: UInt32 = (1 << bits) - 1
    // Invariant: `pending` (fewer than `bits` bits between bytes) holds what no symbol has taken yet.
    var buffer: UInt32 = 0
    var pending: UInt32 = 0
    for byte in bytes {
      buffer = (buffer << 8 | UInt32(byte)) & 0xffff
      pending += 8
      while pending >= bits {
        pending -= bits
        symbols.append(UInt8(truncatingIfNeeded: buffer >> pending & mask))
      }
    }
    if pending > 0 { symbols.append(UInt8(truncatingIfNeeded: buffer << (bits - pending) & mask)) }
    return symbols
  }

  /// The bytes that `symbols` hold; nil if the encoder could not have written them: a whole symbol too many, or fill
  /// bits that are not zero. So every byte string has exactly one spelling (RFC 4648 section 3.5).
  static func bytes(of symbols: [UInt8], bits: UInt32) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(symbols.count * Int(bits) / 8)
    var buffer: UInt32 = 0
    var pending: UInt32 = 0
    for symbol in symbols {
      buffer = (buffer << bits | UInt32(symbol)) & 0xffff
      pending += bits
      if pending >= 8 {
        pending -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> pending))
      }
    }
    guard pending < bits, buffer & ((1 << pending) - 1) == 0 else { return nil }
    return bytes
  }
}
