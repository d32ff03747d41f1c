internal import Glibc
public import RelayWire
internal import Synchronization
internal import VaultCrypto

/// Requests over libcurl, signed per RFC 9421. Connections are kept alive and reused, one request on each at a time.
///
/// `cancelWaiting` reaches every long poll of this transport, so give each vault one of its own.
public final class CurlTransport: RelayTransport {
  /// Connections that wait for their next request; more than these are closed.
  private static let idleLimit = 4

  private struct State {
    var ticket: UInt64 = 0
    var idle: [CurlConnection] = []
    /// Connections with a long poll under way.
    var waiting: [CurlConnection] = []
  }

  private let state = Mutex(State())
  private let certificateFile: String?

  /// A transport that trusts the system's certificate authorities and those of `certificateFile` (PEM).
  public init(certificateFile: String? = nil) {
    self.certificateFile = certificateFile
  }

  /// See `RelayTransport`.
  public var waitTicket: UInt64 { state.withLock { $0.ticket } }

  /// See `RelayTransport`.
  public func cancelWaiting() {
    state.withLock { state in
      state.ticket += 1
      for connection in state.waiting { connection.cancel() }
    }
  }

  /// See `RelayTransport`.
  public func send(_ request: RelayRequest, signer: (any RequestSigner)?) throws(RelayError) -> RelayResponse {
    let response = try sendOnce(request, signer)
    guard response.status == ProblemCode.replayed.status, Problem(reading: response).code == .replayed else {
      return response
    }
    // libcurl sends a request again, signature and all, when a kept connection turns out to be closed; if the relay had read the first
    // copy, it refuses the second. Every request of the protocol may be repeated, so a fresh signature settles it.
    return try sendOnce(request, signer)
  }

  private func sendOnce(_ request: RelayRequest, _ signer: (any RequestSigner)?) throws(RelayError) -> RelayResponse {
    let headers = try Self.headers(request, signer)
    let connection = try takeConnection(request.ticket)
    defer { giveBack(connection) }
    return try connection.perform(request, headers: headers, certificateFile: certificateFile)
  }

  private func takeConnection(_ ticket: UInt64?) throws(RelayError) -> CurlConnection {
    guard let connection = state.withLock({ $0.idle.popLast() }) ?? CurlConnection() else {
      throw .unreachable("libcurl did not start")
    }
    connection.prepare()
    guard let ticket else { return connection }
    let isCurrent = state.withLock { state in
      if state.ticket == ticket { state.waiting.append(connection) }
      return state.ticket == ticket
    }
    guard isCurrent else {
      giveBack(connection)
      throw .cancelled
    }
    return connection
  }

  private func giveBack(_ connection: CurlConnection) {
    state.withLock { state in
      state.waiting.removeAll { $0 === connection }
      if state.idle.count < Self.idleLimit { state.idle.append(connection) }
    }
  }

  private static func headers(
    _ request: RelayRequest, _ signer: (any RequestSigner)?
  ) throws(RelayError) -> [String] {
    // An empty `Expect` keeps curl from waiting a second for `100 Continue` before a large body.
    var headers = ["Accept: \(RelayRequest.ContentType.cbor.rawValue), \(Problem.contentType)", "Expect:"]
    if request.method == .post || request.method == .put {
      headers.append("Content-Type: \(request.contentType.rawValue)")
    }
    guard request.isSigned else { return headers }
    guard let signer else { throw .problem(Problem(.signature, "This device has no key for that vault.")) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let signature = RequestSignature(
      method: request.method.rawValue, target: request.target, bodyDigest: Digest.sha256(request.body),
      created: UInt64(max(0, now.tv_sec)), nonce: Randomness.bytes(16), signer: signer)
    headers.append("Content-Digest: " + signature.contentDigest)
    headers.append("Signature-Input: " + signature.signatureInput)
    headers.append("Signature: " + signature.signature)
    return headers
  }
}
