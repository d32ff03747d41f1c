/// Writes deterministic CBOR (RFC 8949 §4.2.1): every head in its shortest form, lengths definite.
///
/// The caller writes map keys in their sorted order; `CBORValue` sorts by itself.
public struct CBORWriter: Sendable {
  /// What was written so far.
  public private(set) var bytes: [UInt8] = []

  /// An empty writer; `capacity` bytes are reserved.
  public init(capacity: Int = 64) {
    bytes.reserveCapacity(capacity)
  }

  /// Begins an array of `count` elements.
  public mutating func array(_ count: Int) { head(4, UInt64(count)) }

  /// Begins a map of `count` pairs.
  public mutating func map(_ count: Int) { head(5, UInt64(count)) }

  /// An unsigned integer.
  public mutating func unsigned(_ value: UInt64) { head(0, value) }

  /// A signed integer.
  public mutating func integer(_ value: Int64) {
    if value >= 0 { head(0, UInt64(value)) } else { head(1, UInt64(bitPattern: ~value)) }
  }

  /// A byte string.
  public mutating func byteString(_ value: [UInt8]) {
    head(2, UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// A text string.
  public mutating func text(_ value: String) {
    head(3, UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  /// true or false.
  public mutating func bool(_ value: Bool) { bytes.append(value ? 0xF5 : 0xF4) }

  /// null.
  public mutating func null() { bytes.append(0xF6) }

  /// Bytes that are one encoded value already.
  public mutating func encoded(_ value: [UInt8]) { bytes.append(contentsOf: value) }

  private mutating func head(_ major: UInt8, _ value: UInt64) {
    let top = major << 5
    switch value {
    case 0..<24:
      bytes.append(top | UInt8(value))
    case 24...0xFF:
      bytes.append(top | 24)
      bytes.append(UInt8(value))
    case 0x100...0xFFFF:
      bytes.append(top | 25)
      bigEndian(value, 2)
    case 0x1_0000...0xFFFF_FFFF:
      bytes.append(top | 26)
      bigEndian(value, 4)
    default:
      bytes.append(top | 27)
      bigEndian(value, 8)
    }
  }

  private mutating func bigEndian(_ value: UInt64, _ width: Int) {
    for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }
}
