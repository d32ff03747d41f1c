internal import Synchronization
internal import Threading
internal import VaultCrypto
public import RelayWire

/// A transport to a relay in the same process: for tests and measurements that leave the network out.
///
/// Requests are signed and verified as over HTTP.
public final class LoopbackTransport: RelayTransport {
  private struct State {
    var ticket: UInt64 = 0
    var waiting: [ObjectIdentifier: Monitor<Wake?>] = [:]
  }

  private enum Wake {
    case event, cancelled
  }

  private let service: RelayService
  private let state = Mutex(State())

  /// A transport to `service`.
  public init(_ service: RelayService) { self.service = service }

  /// See `RelayTransport`.
  public var waitTicket: UInt64 { state.withLock { $0.ticket } }

  /// See `RelayTransport`.
  public func cancelWaiting() {
    let waiting = state.withLock { state in
      state.ticket += 1
      return Array(state.waiting.values)
    }
    for wake in waiting { wake.change { $0 = .cancelled } }
  }

  /// See `RelayTransport`.
  public func send(_ request: RelayRequest, signer: (any RequestSigner)?) throws(RelayError) -> RelayResponse {
    var outcome = service.respond(to: try serverRequest(request, signer))
    while true {
      switch outcome {
      case .reply(let reply):
        return RelayResponse(status: reply.status, body: reply.body, retryAfter: reply.retryAfter)
      case .wait(let pending):
        try wait(for: pending, request.ticket)
        outcome = service.resume(pending)
      }
    }
  }

  private func wait(for pending: PendingReply, _ ticket: UInt64?) throws(RelayError) {
    let wake = Monitor<Wake?>(nil)
    let isCurrent = state.withLock { state in
      guard ticket == nil || ticket == state.ticket else { return false }
      if ticket != nil { state.waiting[ObjectIdentifier(wake)] = wake }
      return true
    }
    guard isCurrent else { throw .cancelled }
    pending.waiter.arm { wake.change { $0 = $0 ?? .event } }
    let reason = wake.wait { $0 }
    state.withLock { $0.waiting[ObjectIdentifier(wake)] = nil }
    guard reason == .event else { throw .cancelled }
  }

  private func serverRequest(
    _ request: RelayRequest, _ signer: (any RequestSigner)?
  ) throws(RelayError) -> ServerRequest {
    let authority = request.address.text.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first
    let hasBody = request.method == .post || request.method == .put
    var result = ServerRequest(
      method: request.method.rawValue, target: request.path, host: authority.map(String.init),
      contentType: hasBody ? request.contentType.rawValue : nil, body: request.body)
    guard request.isSigned else { return result }
    guard let signer else { throw .problem(Problem(.signature, "This device has no key for that vault.")) }
    result.signature = RequestSignature(
      method: request.method.rawValue, target: request.target, bodyDigest: Digest.sha256(request.body),
      created: service.configuration.now() / 1_000, nonce: Randomness.bytes(16), signer: signer)
    return result
  }
}
