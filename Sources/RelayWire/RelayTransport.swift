/// Carries requests to relays. Callable from several threads at once.
public protocol RelayTransport: Sendable {
  /// Sends a request, signed by `signer` if it is to be signed, and returns the answer of any status.
  ///
  /// Throws `.unreachable` when no answer came, `.cancelled` when `cancelWaiting` ended it; never `.problem`.
  func send(_ request: RelayRequest, signer: (any RequestSigner)?) throws(RelayError) -> RelayResponse

  /// Changes with every `cancelWaiting`. Who wants to wait takes it, looks whether there is anything else to do, and sends the request with
  /// it: a cancellation in between ends that request at once, so none is lost.
  var waitTicket: UInt64 { get }

  /// Ends all long polls that are under way or carry an older ticket; other requests go on.
  func cancelWaiting()
}

/// Signs requests with a device's push-signing key.
public protocol RequestSigner: Sendable {
  /// The device id in lower-case hexadecimal digits.
  var keyIdentifier: String { get }
  /// The Ed25519 signature over `message`.
  func sign(_ message: [UInt8]) -> [UInt8]
}
