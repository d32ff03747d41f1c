public import RelayWire

/// A request as it came in: nothing of it is judged yet.
public struct ServerRequest: Sendable, Equatable {
  /// The method.
  public var method: String
  /// The request target: path and query, as sent.
  public var target: String
  /// The `Host` header.
  public var host: String?
  /// The `Content-Type` header.
  public var contentType: String?
  /// The three fields of a signed request.
  public var signature: RequestSignature?
  /// The body.
  public var body: [UInt8]

  /// A request.
  public init(
    method: String, target: String, host: String?, contentType: String? = nil, signature: RequestSignature? = nil,
    body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.host = host
    self.contentType = contentType
    self.signature = signature
    self.body = body
  }
}

/// What goes back.
public struct Reply: Sendable, Equatable {
  /// The status.
  public var status: Int
  /// The body's type; nil without a body.
  public var contentType: String?
  /// The body.
  public var body: [UInt8]
  /// Seconds for `Retry-After`.
  public var retryAfter: UInt32?
  /// Methods for `Allow`, with 405.
  public var allow: String?

  /// A reply.
  public init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// A reply with a CBOR body.
  public init(status: Int = 200, _ message: some WireMessage) {
    self.init(status: status, contentType: RelayRequest.ContentType.cbor.rawValue, body: message.encoded)
  }

  /// An error.
  public init(_ problem: Problem) {
    self.init(status: problem.status, contentType: Problem.contentType, body: problem.body)
    retryAfter = problem.retryAfter
  }

  /// An error, with `Allow` if it is about the method (RFC 9110 §15.5.6).
  public init(_ problem: Problem, target: String) {
    self.init(problem)
    if problem.code == .method { allow = Call.allowed(target) }
  }
}

/// What becomes of a request.
public enum Outcome: Sendable {
  /// It is answered.
  case reply(Reply)
  /// It waits: arm its waiter, and ask again with `RelayService.resume` when it wakes.
  case wait(PendingReply)
}

/// A request that waits.
public struct PendingReply: Sendable {
  /// What wakes it.
  public let waiter: Waiter
  /// The reply, or nil if there is still nothing to say; with true there must be one.
  let evaluate: @Sendable (_ isLast: Bool) throws(Problem) -> Reply?
}
