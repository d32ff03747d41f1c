internal import CBOR
internal import RelayWire
internal import TextCoding
internal import VaultCrypto

/// Tokens that let somebody register a vault: 128 random bits, of which the relay keeps a hash.
public enum Invite {
  /// A fresh token: 26 characters of Crockford's base32.
  public static func token() -> String { CrockfordBase32.encode(Randomness.bytes(16)) }

  /// The hash of a token as it was typed; nil if it cannot be one.
  public static func hash(of token: String) -> [UInt8]? {
    let characters = token.filter { $0 != " " && $0 != "-" }
    guard characters.utf8.count == RelayLimits.inviteCharacters, let bits = CrockfordBase32.decode(characters) else {
      return nil
    }
    return Digest.hash("lockstep/relay-invite/1", [.bytes(bits)])
  }
}
