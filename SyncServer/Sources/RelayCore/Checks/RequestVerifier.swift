internal import RelayWire
internal import VaultCrypto

/// Verifies request signatures (Docs/RelayProtocol.md, "Signatures").
struct RequestVerifier: Sendable {
  /// The address that clients sign, if it is not the Host header's.
  let publicAddress: RelayAddress?
  let nonces = NonceMemory()

  /// Reads the signature of a request and compares the body with its digest; whose key must verify it, `device` says.
  func parse(_ request: ServerRequest) throws(Problem) -> (device: [UInt8], signature: ParsedSignature) {
    guard let fields = request.signature else { throw Problem(.signature, "The request is not signed.") }
    guard let parsed = fields.parsed(method: request.method, target: try target(of: request)),
      let device = PathIdentifier.decode(parsed.parameters.keyIdentifier)
    else { throw Problem(.signature, "The request's signature does not have the form described.") }
    guard fields.contentDigest == RequestSignature.contentDigest(Digest.sha256(request.body)) else {
      throw Problem(.signature, "The body does not have the digest that is signed.")
    }
    return (device, parsed)
  }

  /// Verifies the signature with the device's push-signing key, then its time and its nonce. `now` in milliseconds.
  func verify(_ signature: ParsedSignature, of device: [UInt8], key: [UInt8], now: UInt64) throws(Problem) {
    guard Signature.isValid(signature.signature, by: key, message: signature.message) else {
      throw Problem(.signature, "The request's signature does not verify.")
    }
    let seconds = now / 1_000
    let created = signature.parameters.created
    let skew = created > seconds ? created - seconds : seconds - created
    guard skew <= RelayLimits.clockSkewSeconds else {
      throw Problem(.clockSkew, "The device's clock and the relay's are \(skew) seconds apart.", time: now)
    }
    switch nonces.remember(device: device, nonce: signature.parameters.nonce, now: seconds) {
    case .new: return
    case .seen: throw Problem(.replayed, "This request was seen before.")
    case .full: throw Problem(.busy, "The relay is busy.", retryAfter: 60)
    }
  }

  private func target(of request: ServerRequest) throws(Problem) -> String {
    if let publicAddress { return publicAddress.text + request.target }
    guard let host = request.host, let address = RelayAddress("http://" + host), !host.contains("/") else {
      throw Problem(.malformed, "The request needs a Host header.")
    }
    return address.text + request.target
  }
}
