import CBOR
import Membership
import TextCoding
import VaultCrypto
import VaultModel

/// Writes pairing requests of any contents from what a code says, by Docs/Formats.md §6 alone.
struct TestPairing {
  let secret: SharedKey<PairingRole>
  let vaultID: [UInt8]

  init(_ code: PairingCode) throws {
    let text = code.text().dropFirst("LOCKSTEP-".count)
    guard let bytes = CrockfordBase32.decode(String(text)) else { throw MembershipError.malformed }
    guard case .array(let parts) = try CBORValue(decoding: Array(bytes.dropLast(4))), case .bytes(var key) = parts[3]
    else { throw MembershipError.malformed }
    secret = SharedKey(try SymmetricKey(consuming: &key))
    vaultID = code.vault.bytes
  }

  func seal(_ contents: CBORValue) throws -> [UInt8] {
    let key = secret.key.derive(EncryptionRole.self, "lockstep/pairing/1", ["request", .bytes(vaultID)])
    let nonce = Randomness.bytes(24)
    let ciphertext = key.encrypt(
      Padding.pad(contents.encoded), nonce: nonce, "lockstep/pairing-request/1", [.bytes(vaultID)])
    let message: CBORValue = [1, .bytes(nonce), .bytes(ciphertext)]
    return message.encoded
  }
}
