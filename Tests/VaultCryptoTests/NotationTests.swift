import CBOR
import Testing
import TextCoding
import VaultCrypto

/// H, K, S, E and seal of Docs/Formats.md §1; the answers were computed with Python's hashlib, cbor2 and PyNaCl.
struct NotationTests {
  private let context = "lockstep/test/1"
  private let inputs: [CBORValue] = [.bytes([1, 2]), 7, -1, "é", [.bool(true), .null]]

  @Test("H and K are BLAKE2b over the context and the inputs as one CBOR array")
  func hashes() throws {
    let shared: SharedKey<SealingRole> = try key(0..<32)
    #expect(
      Hex.encode(Digest.hash(context, inputs)) == "2f2b4807b3573f7bb79e9e5679bfeb6dcf422e79c2793a4cc887e465e8a39df1")
    let expected = "d296f75494f6033af68b84d18edb3300efa668ec90aa3818de633c8945a11818"
    #expect(Hex.encode(shared.key.authenticate(context, inputs)) == expected)
    #expect(Hex.encode(shared.key.derive(SlotRole.self, context, inputs).exportBytes()) == expected)
  }

  @Test("A secret input counts as a byte string after the others")
  func secretInput() throws {
    let shared: SharedKey<DeviceSecretRole> = try key(0..<32)
    let secret: SharedKey<PassphraseRole> = try key(32..<64)
    #expect(
      shared.key.derive(EncryptionRole.self, context, inputs, secret: secret.key).exportBytes()
        == shared.key.authenticate(context, inputs + [.bytes(Array(32..<64))]))
  }

  @Test("S holds for its context, its inputs and its key alone")
  func signatures() {
    let signer = SigningKey<PushSigningRole>.random()
    let signature = signer.sign(context, inputs)
    #expect(Signature.isValid(signature, by: signer.publicKey, context, inputs))
    #expect(!Signature.isValid(signature, by: signer.publicKey, "lockstep/test/2", inputs))
    #expect(!Signature.isValid(signature, by: signer.publicKey, context, inputs + [0]))
    #expect(!Signature.isValid(signature, by: SigningKey<PushSigningRole>.random().publicKey, context, inputs))
    #expect(!Signature.isValid(Array(signature.dropLast()), by: signer.publicKey, context, inputs))
    #expect(!Signature.isValid([], by: signer.publicKey, context, inputs))
    #expect(!Signature.isValid(signature, by: [], context, inputs))
  }

  @Test("E opens with its key, nonce, context and inputs alone")
  func encryption() throws {
    let shared = SharedKey(SymmetricKey<EncryptionRole>.random())
    let nonce = Randomness.bytes(24)
    for length in [0, 1, 255, 4096] {
      let plaintext = Randomness.bytes(length)
      let ciphertext = shared.key.encrypt(plaintext, nonce: nonce, context, inputs)
      #expect(ciphertext.count == length + 16)
      #expect(try shared.key.decrypt(ciphertext, nonce: nonce, context, inputs) == plaintext)
      #expect(throws: CryptoError.notAuthentic) {
        try shared.key.decrypt(ciphertext, nonce: nonce, context, Array(inputs.dropLast()))
      }
      #expect(throws: CryptoError.notAuthentic) {
        try shared.key.decrypt(ciphertext, nonce: nonce, "lockstep/test/2", inputs)
      }
      #expect(throws: CryptoError.notAuthentic) {
        try shared.key.decrypt(ciphertext, nonce: [UInt8](repeating: 0, count: 24), context, inputs)
      }
      var altered = ciphertext
      altered[length / 2] ^= 1
      #expect(throws: CryptoError.notAuthentic) { try shared.key.decrypt(altered, nonce: nonce, context, inputs) }
    }
    #expect(throws: CryptoError.malformed) { try shared.key.decrypt([1, 2, 3], nonce: nonce, context, inputs) }
    #expect(throws: CryptoError.malformed) {
      try shared.key.decrypt([UInt8](repeating: 0, count: 16), nonce: [1], context, inputs)
    }
  }

  @Test("A box that PyNaCl sealed opens with the key pair of the same seed")
  func sealedBox() throws {
    var seed = Array(UInt8(0)..<32)
    let exchange = ExchangeKey<ExchangeARole>(seed: try SymmetricKey(consuming: &seed))
    #expect(Hex.encode(exchange.publicKey) == "4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01")
    let box = try #require(
      Hex.decode(
        "7365f904101d241311c11683ab38ddf50197b4c0fc41e805813c5d295ee09b15791e074ce465b6879501cc78440cf3dd592b5130205aa1bc"
      ))
    #expect(try exchange.openSealed(box) == Array("contents".utf8))
    #expect(exchange.exportSeed() == Array(0..<32))

    let fresh = try SealedBox.seal([1, 2, 3], to: exchange.publicKey)
    #expect(try exchange.openSealed(fresh) == [1, 2, 3])
    #expect(try exchange.openSealed(SealedBox.seal([], to: exchange.publicKey)) == [])
    for index in fresh.indices {
      var altered = fresh
      altered[index] ^= 0x80
      // X25519 ignores the topmost bit of a point; the box's nonce does not, so that too is refused.
      #expect(throws: CryptoError.notAuthentic) { try exchange.openSealed(altered) }
    }
    #expect(throws: CryptoError.malformed) { try exchange.openSealed(Array(fresh.prefix(47))) }
    #expect(throws: CryptoError.malformed) { try SealedBox.seal([1], to: [1, 2]) }
    #expect(throws: CryptoError.malformed) { try SealedBox.seal([1], to: [UInt8](repeating: 0, count: 32)) }
  }
}
