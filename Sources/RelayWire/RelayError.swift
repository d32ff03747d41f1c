internal import TextCoding

/// Why a request to a relay brought no result.
public enum RelayError: Error, Sendable, Equatable {
  /// No answer: the relay is down, unknown, too slow, or the connection broke. The reason is one clause for a person.
  case unreachable(String)
  /// The relay answered with an error. It is a claim of the relay: `revoked` and `not-found` prove nothing.
  case problem(Problem)
  /// The relay answered with something that Docs/RelayProtocol.md does not allow.
  case malformedAnswer
  /// `cancelWaiting` ended the request.
  case cancelled

  /// The code of a problem, if this is one with a known code.
  public var problemCode: ProblemCode? {
    if case .problem(let problem) = self { problem.code } else { nil }
  }

  /// True if the same request can succeed later without anything being changed here.
  public var isTransient: Bool {
    switch self {
    case .unreachable: true
    case .problem(let problem): problem.status == 429 || problem.status >= 500
    case .malformedAnswer, .cancelled: false
    }
  }
}

extension RelayError: CustomStringConvertible {
  /// One clause for a person, safe to print.
  public var description: String {
    switch self {
    case .unreachable(let reason): "the relay cannot be reached: \(TerminalText.escape(reason))"
    case .problem(let problem): problem.description
    case .malformedAnswer: "the relay's answer is malformed"
    case .cancelled: "the request was cancelled"
    }
  }
}

/// The codes of Docs/RelayProtocol.md, "Bodies".
public enum ProblemCode: String, Sendable, CaseIterable {
  /// Status 400: body or path does not have the form described.
  case malformed
  /// Status 401: the request's signature is missing or wrong.
  case signature
  /// Status 401: `created` is too far from the relay's clock.
  case clockSkew = "clock-skew"
  /// Status 401: the nonce was seen before.
  case replayed
  /// Status 403: an invite is needed, or this one is not valid any more.
  case invite
  /// Status 403: this device was revoked.
  case revoked
  /// Status 403: this device's role may not do that.
  case role
  /// Status 403: the key is of no device of this vault.
  case notADevice = "not-a-device"
  /// Status 404: no such vault, mailbox, locator or path.
  case notFound = "not-found"
  /// Status 405: the path does not have this method.
  case method
  /// Status 409: it is there already.
  case exists
  /// Status 409: the chain's head is another.
  case chainMoved = "chain-moved"
  /// Status 409: the relay's incarnation is another.
  case incarnation
  /// Status 409: the feed has moved on.
  case feedMoved = "feed-moved"
  /// Status 413: over a limit.
  case tooLarge = "too-large"
  /// Status 429: wait for `Retry-After` seconds.
  case busy
  /// Status 507: the vault's quota is full.
  case quota
  /// Status 507: the relay's disk is full.
  case storage
  /// Status 503: the storage does not answer.
  case unavailable

  /// The status that goes with the code.
  public var status: Int {
    switch self {
    case .malformed: 400
    case .signature, .clockSkew, .replayed: 401
    case .invite, .revoked, .role, .notADevice: 403
    case .notFound: 404
    case .method: 405
    case .exists, .chainMoved, .incarnation, .feedMoved: 409
    case .tooLarge: 413
    case .busy: 429
    case .quota, .storage: 507
    case .unavailable: 503
    }
  }
}
