import RelayCore
import RelayWire
import Testing
import TextCoding
import VaultCrypto

@Suite struct RequestSignatureTests {
  @Test("The ed25519 example of RFC 9421, Appendix B.2.6, verifies over the base that we build")
  func publishedExample() throws {
    let components = [
      ("date", "Tue, 20 Apr 2021 02:07:55 GMT"), ("@method", "POST"), ("@path", "/foo"), ("@authority", "example.com"),
      ("content-type", "application/json"), ("content-length", "18"),
    ]
    let parameters =
      "(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \"content-length\");created=1618884473;keyid=\"test-key-ed25519\""
    let base = SignatureBase.bytes(components.map { (name: $0.0, value: $0.1) }, parameters: parameters)
    let expected = """
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@method": POST
      "@path": /foo
      "@authority": example.com
      "content-type": application/json
      "content-length": 18
      "@signature-params": \(parameters)
      """
    #expect(String(decoding: base, as: UTF8.self) == expected)
    // Appendix B.1.4: the last 32 bytes of the SubjectPublicKeyInfo.
    let key = try #require(Base64.decode("MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="))
    let signature = try #require(
      Base64.decode("wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="))
    #expect(Signature.isValid(signature, by: Array(key.suffix(32)), message: base))
    var other = base
    other[0] ^= 1
    #expect(!Signature.isValid(signature, by: Array(key.suffix(32)), message: other))
  }

  @Test("The base of a request holds the three components and the parameters, line by line")
  func baseOfARequest() throws {
    let device = Device()
    let fields = Self.fields(device)
    let parsed = try #require(fields.parsed(method: "GET", target: "http://relay.example/v1?x=1"))
    let expected = """
      "@method": GET
      "@target-uri": http://relay.example/v1?x=1
      "content-digest": sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:
      "@signature-params": ("@method" "@target-uri" "content-digest");created=1800000000;nonce="\
      \(String(repeating: "07", count: 16))";keyid="\(device.keyIdentifier)";alg="ed25519"
      """
    #expect(String(decoding: parsed.message, as: UTF8.self) == expected)
    #expect(parsed.parameters.created == 1_800_000_000)
    #expect(Signature.isValid(parsed.signature, by: device.pushSigning.publicKey, message: parsed.message))
  }

  static func fields(_ device: Device) -> RequestSignature {
    RequestSignature(
      method: "GET", target: "http://relay.example/v1?x=1", bodyDigest: Digest.sha256([]), created: 1_800_000_000,
      nonce: [UInt8](repeating: 7, count: 16), signer: device)
  }

  @Test(
    "Any other spelling of the parameters is refused",
    arguments: [
      ("lockstep=", "sig1="), ("\"@method\" ", ""), ("(\"@method\" \"@target-uri\"", "(\"@target-uri\" \"@method\""),
      (" \"content-digest\"", " \"content-digest\" \"date\""), ("created=1800000000", "created=01800000000"),
      ("created=1800000000", "created=-1"), ("created=1800000000;", ""), ("nonce=\"07", "nonce=\"0G"),
      ("nonce=\"07", "nonce=\""), ("\";keyid", "\";expires=1800000300;keyid"), ("keyid=\"", "keyid=\"00"),
      ("ed25519", "rsa-v1_5-sha256"), (";alg=\"ed25519\"", ""), ("ed25519\"", "ed25519\";tag=\"x\""),
      ("lockstep=", "lockstep= "), ("created=1800000000", "created=99999999999999999999"),
      ("lockstep=", "other=(\"@method\");created=1, lockstep="),
    ])
  func strictParameters(old: String, new: String) throws {
    var fields = Self.fields(Device())
    #expect(fields.signatureInput.contains(old))
    fields.signatureInput = fields.signatureInput.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
      .joined(separator: new)
    #expect(fields.parsed(method: "GET", target: "http://relay.example/v1?x=1") == nil)
  }

  @Test("Upper-case hexadecimal digits in nonce and key id are refused: there is one spelling")
  func upperCase() throws {
    var fields = Self.fields(Device())
    fields.signatureInput = fields.signatureInput.split(separator: "07").joined(separator: "0A")
    #expect(fields.parsed(method: "GET", target: "x") == nil)
  }

  @Test("A signature or digest of another form is refused")
  func strictValues() throws {
    let good = Self.fields(Device())
    #expect(good.parsed(method: "GET", target: "x") != nil)
    for signature in [
      "", "lockstep=::", String(good.signature.dropLast()), good.signature + " ",
      good.signature + ", other=:AA==:", "sig1" + good.signature.dropFirst(8), good.signature.lowercased() + "=",
    ] {
      let fields = RequestSignature(
        contentDigest: good.contentDigest, signatureInput: good.signatureInput, signature: signature)
      #expect(fields.parsed(method: "GET", target: "x") == nil, "\(signature)")
    }
    for digest in ["", "sha-256=:AA==:", good.contentDigest + ", sha-512=:AA==:"] {
      let fields = RequestSignature(
        contentDigest: digest, signatureInput: good.signatureInput, signature: good.signature)
      #expect(fields.parsed(method: "GET", target: "x") == nil, "\(digest)")
    }
  }
}
