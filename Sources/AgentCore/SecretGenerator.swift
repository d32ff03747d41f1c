internal import AgentWire
internal import VaultCrypto

/// Makes up passwords.
enum SecretGenerator {
  /// Letters, digits and marks without look-alikes, so that a person can type them where they must: 6 bits each, and a bit.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_.:+=%@/#".utf8)
  private static let standardLength = 24

  /// `length` random characters (24 if nil): more than 140 bits.
  static func make(length: Int?) throws -> [UInt8] {
    let length = length ?? standardLength
    guard (8...1024).contains(length) else {
      throw AgentFailure(.invalidParameter, "a generated secret has 8 to 1,024 characters")
    }
    return (0..<length).map { _ in alphabet[Int(Randomness.number(below: UInt32(alphabet.count)))] }
  }
}
