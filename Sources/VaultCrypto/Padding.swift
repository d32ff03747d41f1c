/// Padding of Docs/Formats.md §1: sizes are rounded so that a ciphertext tells little about what it holds.
public enum Padding {
  /// The smallest padded length.
  public static let minimum = 256

  /// `bytes` with 0x80 and zeros up to a Padmé length.
  public static func pad(_ bytes: [UInt8]) -> [UInt8] {
    let length = padme(max(bytes.count + 1, minimum))
    var padded = bytes
    padded.reserveCapacity(length)
    padded.append(0x80)
    padded.append(contentsOf: repeatElement(0, count: length - padded.count))
    return padded
  }

  /// What `pad` was given; anything that `pad` would not have made is refused.
  public static func unpad(_ padded: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let last = padded.lastIndex(where: { $0 != 0 }), padded[last] == 0x80,
      padme(max(last + 1, minimum)) == padded.count
    else { throw .malformed }
    return Array(padded[..<last])
  }

  /// Padmé (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files", PETS 2019): at most 12 % over `length`.
  static func padme(_ length: Int) -> Int {
    guard length > 1 else { return length }
    let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
    let bits = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << max(exponent - bits, 0)) - 1
    return (length + mask) & ~mask
  }
}
