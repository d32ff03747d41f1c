internal import TextCoding

/// The three header fields that sign a request (RFC 9421, RFC 9530), in the one form that Docs/RelayProtocol.md allows.
public struct RequestSignature: Sendable, Equatable {
  /// `Content-Digest`.
  public var contentDigest: String
  /// `Signature-Input`.
  public var signatureInput: String
  /// `Signature`.
  public var signature: String

  /// Fields as they were received.
  public init(contentDigest: String, signatureInput: String, signature: String) {
    self.contentDigest = contentDigest
    self.signatureInput = signatureInput
    self.signature = signature
  }

  /// Signs a request. `bodyDigest` is the SHA-256 of the body, `created` in seconds, `nonce` 16 random bytes.
  public init(
    method: String, target: String, bodyDigest: [UInt8], created: UInt64, nonce: [UInt8], signer: any RequestSigner
  ) {
    let parameters = SignatureParameters(
      created: created, nonce: Hex.encode(nonce), keyIdentifier: signer.keyIdentifier)
    contentDigest = Self.contentDigest(bodyDigest)
    signatureInput = SignatureParameters.label + "=" + parameters.text
    let base = SignatureBase.bytes(
      [("@method", method), ("@target-uri", target), ("content-digest", contentDigest)], parameters: parameters.text)
    signature = SignatureParameters.label + "=:" + Base64.encode(signer.sign(base)) + ":"
  }

  /// The value of `Content-Digest` for a SHA-256.
  public static func contentDigest(_ digest: [UInt8]) -> String { "sha-256=:" + Base64.encode(digest) + ":" }

  /// What a verifier needs; nil if a field has another form. Whether `contentDigest` is the body's is for the caller to check.
  public func parsed(method: String, target: String) -> ParsedSignature? {
    guard contentDigest.utf8.count == 54, signature.utf8.count == SignatureParameters.label.utf8.count + 91,
      signature.hasPrefix(SignatureParameters.label + "=:"), signature.hasSuffix(":"),
      let parameters = SignatureParameters(parsing: signatureInput),
      let bytes = Base64.decode(String(signature.dropFirst(SignatureParameters.label.count + 2).dropLast())),
      bytes.count == 64
    else { return nil }
    let base = SignatureBase.bytes(
      [("@method", method), ("@target-uri", target), ("content-digest", contentDigest)], parameters: parameters.text)
    return ParsedSignature(parameters: parameters, signature: bytes, message: base)
  }
}

/// A request signature that has the right form; nothing is verified yet.
public struct ParsedSignature: Sendable, Equatable {
  /// When, by whom, and the nonce.
  public let parameters: SignatureParameters
  /// 64 bytes.
  public let signature: [UInt8]
  /// The signature base that the signature must cover.
  public let message: [UInt8]
}

/// RFC 9421 §2.5.
public enum SignatureBase {
  /// The signature base: a line for each covered component and one for the parameters, without a final line break.
  public static func bytes(_ components: [(name: String, value: String)], parameters: String) -> [UInt8] {
    var text = ""
    for component in components { text += "\"\(component.name)\": \(component.value)\n" }
    return Array((text + "\"@signature-params\": " + parameters).utf8)
  }
}

/// The signature parameters of a request: exactly these components and parameters, in this order.
public struct SignatureParameters: Sendable, Equatable {
  /// The signature's label.
  public static let label = "lockstep"
  private static let components = "(\"@method\" \"@target-uri\" \"content-digest\")"

  /// Seconds since 1970.
  public let created: UInt64
  /// 32 lower-case hexadecimal digits.
  public let nonce: String
  /// 64 lower-case hexadecimal digits.
  public let keyIdentifier: String

  /// Parameters.
  public init(created: UInt64, nonce: String, keyIdentifier: String) {
    self.created = created
    self.nonce = nonce
    self.keyIdentifier = keyIdentifier
  }

  /// Reads a `Signature-Input`. The only spelling accepted is the one that `text` would write, so what the verifier puts into the
  /// signature base is what the signer put there.
  public init?(parsing field: String) {
    guard field.utf8.count <= 256 else { return nil }
    let pieces = field.split(separator: ";", maxSplits: 5, omittingEmptySubsequences: false)
    guard pieces.count == 5, let created = UInt64(pieces[1].dropFirst(8)) else { return nil }
    self.init(
      created: created, nonce: String(pieces[2].dropFirst(7).dropLast()),
      keyIdentifier: String(pieces[3].dropFirst(7).dropLast()))
    guard Self.label + "=" + text == field, Self.isHex(nonce, 32), Self.isHex(keyIdentifier, 64) else { return nil }
  }

  /// The value of the `@signature-params` line.
  public var text: String {
    "\(Self.components);created=\(created);nonce=\"\(nonce)\";keyid=\"\(keyIdentifier)\";alg=\"ed25519\""
  }

  private static func isHex(_ text: String, _ count: Int) -> Bool {
    text.utf8.count == count
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
