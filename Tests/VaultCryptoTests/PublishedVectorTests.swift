import CBOR
import Testing
import TextCoding

@testable import VaultCrypto

func bytes(_ hex: String, _ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
  try #require(Hex.decode(hex), sourceLocation: location)
}

func key<Role: KeyRole>(_ contents: some Sequence<UInt8>) throws -> SharedKey<Role> {
  var contents = Array(contents)
  return SharedKey(try SymmetricKey<Role>(consuming: &contents))
}

/// The primitives against vectors that others published, so that a wrong argument to libsodium shows.
struct PublishedVectorTests {
  @Test(
    "BLAKE2b with a key gives the reference implementation's answers (blake2b-kat.txt)",
    arguments: [
      (
        0,
        "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568"
      ),
      (
        1,
        "961f6dd1e4dd30f63901690c512e78e4b45e4742ed197c3c5e45c549fd25f2e4187b0bc9fe30492b16b0d0bc4ef9b0f34c7003fac09a5ef1532e69430234cebd"
      ),
      (
        255,
        "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e92484be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461"
      ),
    ])
  func keyedBLAKE2b(length: Int, expected: String) {
    let message = (0..<length).map { UInt8($0) }
    let digest = (0..<64).map { UInt8($0) }.withUnsafeBytes { blake2b(message, key: $0, length: 64) }
    #expect(Hex.encode(digest) == expected)
  }

  @Test("BLAKE2b without a key gives RFC 7693's answer")
  func plainBLAKE2b() {
    #expect(
      Hex.encode(blake2b(Array("abc".utf8), key: nil, length: 64))
        == "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
    )
  }

  @Test("SHA-256 gives FIPS 180-4's answers")
  func sha256() {
    #expect(
      Hex.encode(Digest.sha256(Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Hex.encode(Digest.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("XChaCha20-Poly1305 gives the answer of draft-irtf-cfrg-xchacha, A.3.1")
  func xChaCha20Poly1305() throws {
    let plaintext = Array(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
        .utf8)
    let associated = try bytes("50515253c0c1c2c3c4c5c6c7")
    let nonce = (0x40..<0x58).map { UInt8($0) }
    let shared: SharedKey<EncryptionRole> = try key((0x80..<0xA0).map { UInt8($0) })
    let expected =
      "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52e"
      + "c0875924c1c7987947deafd8780acf49"
    let ciphertext = shared.key.encrypt(plaintext, nonce: nonce, associated: associated)
    #expect(Hex.encode(ciphertext) == expected)
    #expect(try shared.key.decrypt(ciphertext, nonce: nonce, associated: associated) == plaintext)
  }

  @Test(
    "Ed25519 gives RFC 8032's answers (7.1, tests 1 to 3)",
    arguments: [
      (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
      ),
      (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "72",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
      ),
      (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
      ),
    ])
  func ed25519(seed: String, message: String, publicKey: String, signature: String) throws {
    var seedBytes = try bytes(seed)
    let signer = SigningKey<PushSigningRole>(seed: try SymmetricKey(consuming: &seedBytes))
    let message = try bytes(message)
    #expect(Hex.encode(signer.publicKey) == publicKey)
    #expect(Hex.encode(signer.sign(message: message)) == signature)
    #expect(Signature.isValid(try bytes(signature), by: signer.publicKey, message: message))
    #expect(!Signature.isValid(try bytes(signature), by: signer.publicKey, message: message + [0]))
    #expect(Hex.encode(signer.exportSeed()) == seed)
  }

  @Test("Ed25519 refuses a signature whose number is not reduced (malleability)")
  func malleability() throws {
    // RFC 8032's first signature with the group order added to S.
    let signature = try bytes(
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901554c8c7872aa064e049dbb3013fbf29380d25bf5f0595bbe24655141438e7a101b"
    )
    let publicKey = try bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    #expect(!Signature.isValid(signature, by: publicKey, message: []))
    // The point of order 1 as a public key would make any message verify.
    let identity = [1] + [UInt8](repeating: 0, count: 31)
    #expect(!Signature.isValid(identity + [UInt8](repeating: 0, count: 32), by: identity, message: [1, 2, 3]))
  }
}
