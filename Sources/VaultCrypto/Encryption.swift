public import CBOR
internal import CSodium

extension SymmetricKey where Role == EncryptionRole {
  /// The length of a nonce.
  public static var nonceLength: Int { 24 }
  /// How much longer ciphertext is than plaintext.
  public static var tagLength: Int { 16 }

  /// E of Docs/Formats.md §1: XChaCha20-Poly1305 with CBOR [context, inputs…] as associated data.
  public func encrypt(
    _ plaintext: [UInt8], nonce: [UInt8], _ context: String, _ inputs: [CBORValue]
  ) -> [UInt8] {
    encrypt(plaintext, nonce: nonce, associated: contextBytes(context, inputs))
  }

  func encrypt(_ plaintext: [UInt8], nonce: [UInt8], associated: [UInt8]) -> [UInt8] {
    precondition(nonce.count == Self.nonceLength && count == 32)
    return withBytes { key in
      [UInt8](unsafeUninitializedCapacity: plaintext.count + Self.tagLength) { buffer, initialized in
        if let base = buffer.baseAddress {
          crypto_aead_xchacha20poly1305_ietf_encrypt(
            base, nil, plaintext, UInt64(plaintext.count), associated, UInt64(associated.count), nil, nonce,
            key)
        }
        initialized = plaintext.count + Self.tagLength
      }
    }
  }

  /// Opens what `encrypt` made; anything altered, or another context, is `notAuthentic`.
  public func decrypt(
    _ ciphertext: [UInt8], nonce: [UInt8], _ context: String, _ inputs: [CBORValue]
  ) throws(CryptoError) -> [UInt8] {
    try decrypt(ciphertext, nonce: nonce, associated: contextBytes(context, inputs))
  }

  func decrypt(_ ciphertext: [UInt8], nonce: [UInt8], associated: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard nonce.count == Self.nonceLength, count == 32, ciphertext.count >= Self.tagLength else { throw .malformed }
    let length = ciphertext.count - Self.tagLength
    var authentic = false
    let plaintext = withBytes { key in
      [UInt8](unsafeUninitializedCapacity: max(length, 1)) { buffer, initialized in
        if let base = buffer.baseAddress {
          authentic =
            crypto_aead_xchacha20poly1305_ietf_decrypt(
              base, nil, nil, ciphertext, UInt64(ciphertext.count), associated, UInt64(associated.count), nonce,
              key) == 0
        }
        initialized = authentic ? length : 0
      }
    }
    guard authentic else { throw .notAuthentic }
    return plaintext
  }
}
