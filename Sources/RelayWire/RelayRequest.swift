/// One request to a relay, before it is signed and sent.
public struct RelayRequest: Sendable, Equatable {
  /// The methods of Docs/RelayProtocol.md.
  public enum Method: String, Sendable {
    /// The methods, spelled as on the wire.
    case get = "GET", post = "POST", put = "PUT", delete = "DELETE"
  }

  /// What stands in `Content-Type`.
  public enum ContentType: String, Sendable {
    /// Deterministic CBOR.
    case cbor = "application/cbor"
    /// Bytes as they are.
    case octets = "application/octet-stream"
  }

  /// The relay.
  public var address: RelayAddress
  /// The method.
  public var method: Method
  /// The path, from `/v1` on or `/healthz`, with its query.
  public var path: String
  /// The body; empty for GET and DELETE.
  public var body: [UInt8]
  /// The type of the body.
  public var contentType: ContentType
  /// False for the endpoints marked *open*.
  public var isSigned: Bool
  /// The longest that the whole request may take, the wait of a long poll included.
  public var timeoutSeconds: UInt32
  /// Set for a long poll: what `RelayTransport.waitTicket` was when the caller decided to wait.
  public var ticket: UInt64?

  /// A request.
  public init(
    address: RelayAddress, method: Method, path: String, body: [UInt8] = [], contentType: ContentType = .cbor,
    isSigned: Bool = true, timeoutSeconds: UInt32 = 30, ticket: UInt64? = nil
  ) {
    self.address = address
    self.method = method
    self.path = path
    self.body = body
    self.contentType = contentType
    self.isSigned = isSigned
    self.timeoutSeconds = timeoutSeconds
    self.ticket = ticket
  }

  /// The `@target-uri` that a signature covers, and the URL that is asked.
  public var target: String { address.text + path }
}

/// A relay's answer, whatever its status.
public struct RelayResponse: Sendable, Equatable {
  /// The status code.
  public var status: Int
  /// The body, at most `RelayLimits.bodyBytes`.
  public var body: [UInt8]
  /// `Retry-After`, if it was a number of seconds.
  public var retryAfter: UInt32?

  /// An answer.
  public init(status: Int, body: [UInt8] = [], retryAfter: UInt32? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }
}
