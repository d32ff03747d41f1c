import RelayCore
import RelayWire
import Synchronization

/// Carries one device's requests to the relay, past a rule of the test that may drop, repeat, delay or falsify them.
final class TestTransport: RelayTransport {
  /// Decides about one request. `pass` sends it to the relay; throwing from the rule is a network failure.
  typealias Rule =
    @Sendable (_ request: RelayRequest, _ pass: () throws(RelayError) -> RelayResponse) throws(RelayError) ->
    RelayResponse

  private let connected: Mutex<TestRelay>
  private let rule = Mutex<Rule?>(nil)
  private let sent = Mutex<[RelayRequest]>([])

  init(_ relay: TestRelay) { connected = Mutex(relay) }

  private var relay: TestRelay { connected.withLock { $0 } }

  /// From now on the other relay answers.
  func connect(_ other: TestRelay) { connected.withLock { $0 = other } }

  /// Lets every page of changes be rewritten before the device sees it.
  func rewritePages(_ change: @escaping @Sendable (inout ChangesPage) -> Void) {
    obey { request, pass throws(RelayError) in
      var answer = try pass()
      guard request.isPull, answer.status == 200, var page = try? ChangesPage(decoding: answer.body) else {
        return answer
      }
      change(&page)
      answer.body = page.encoded
      return answer
    }
  }

  /// The rule for the requests from now on.
  func obey(_ new: Rule?) { rule.withLock { $0 = new } }

  /// Every request that was sent or tried.
  var requests: [RelayRequest] { sent.withLock { $0 } }

  func forgetRequests() { sent.withLock { $0 = [] } }

  func send(_ request: RelayRequest, signer: (any RequestSigner)?) throws(RelayError) -> RelayResponse {
    sent.withLock { $0.append(request) }
    let pass = { () throws(RelayError) -> RelayResponse in
      try self.relay.transport.send(request, signer: signer)
    }
    guard let rule = rule.withLock({ $0 }) else { return try pass() }
    return try rule(request, pass)
  }

  var waitTicket: UInt64 { relay.transport.waitTicket }
  func cancelWaiting() { relay.transport.cancelWaiting() }
}

extension RelayRequest {
  var isPush: Bool { method == .post && path.hasSuffix("/records") }
  var isPull: Bool { method == .get && path.contains("/changes?") }
  var isCheckpoint: Bool { method == .put && path.hasSuffix("/checkpoint") }
  var isChain: Bool { method == .get && path.contains("/chain?") }
  var isKeyrings: Bool { method == .get && path.contains("/keyrings?") }
}

extension RelayError {
  static var lost: RelayError { .unreachable("the test lost it") }
}

/// Counts what a rule saw; rules are called from any thread.
final class Counter: Sendable {
  private let value = Mutex(0)

  /// The number before this call.
  @discardableResult
  func next() -> Int {
    value.withLock { value in
      value += 1
      return value - 1
    }
  }

  var count: Int { value.withLock { $0 } }
}
