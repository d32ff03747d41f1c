internal import CBOR
internal import RelayWire
internal import VaultCrypto

/// What request and answer share: [1, nonce, E(key, nonce, pad(contents), …)].
struct PairingMessage {
  let context: String
  let inputs: [CBORValue]
  let limit: Int

  func seal(
    _ contents: [UInt8], _ key: borrowing SymmetricKey<EncryptionRole>
  ) throws(MembershipError) -> [UInt8] {
    let nonce = Randomness.bytes(ChainLimits.nonceBytes)
    let ciphertext = key.encrypt(Padding.pad(contents), nonce: nonce, context, inputs)
    let message: CBORValue = [1, .bytes(nonce), .bytes(ciphertext)]
    let bytes = message.encoded
    guard bytes.count <= limit else { throw .tooLarge }
    return bytes
  }

  func open(
    _ bytes: [UInt8], _ key: borrowing SymmetricKey<EncryptionRole>
  ) throws(MembershipError) -> [UInt8] {
    guard bytes.count <= limit else { throw .tooLarge }
    let nonce: [UInt8]
    let ciphertext: [UInt8]
    do {
      var reader = CBORReader(bytes)
      try reader.array(3)
      guard try reader.unsigned() == 1 else { throw CBORError.outOfRange }
      nonce = try reader.byteString(ChainLimits.nonceBytes)
      ciphertext = try reader.byteString()
      try reader.end()
    } catch {
      throw .malformed
    }
    let padded: [UInt8]
    do { padded = try key.decrypt(ciphertext, nonce: nonce, context, inputs) } catch { throw .notAuthentic }
    do { return try Padding.unpad(padded) } catch { throw .malformed }
  }
}
