internal import TextCoding

/// Problem details (RFC 9457) as relay and client exchange them.
public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
  /// What `type` begins with.
  public static let typePrefix = "urn:lockstep:problem:"
  /// The media type.
  public static let contentType = "application/problem+json"

  /// The status of the answer.
  public var status: Int
  /// The code; nil if the answer came from something else than a relay of this version.
  public var code: ProblemCode?
  /// A sentence for a person; the relay's words, so `description` escapes them.
  public var detail: String
  /// The relay's clock in milliseconds, with `clock-skew`.
  public var time: UInt64?
  /// Seconds to wait, from the `Retry-After` header.
  public var retryAfter: UInt32?

  /// A problem that a relay answers with.
  public init(_ code: ProblemCode, _ detail: String, time: UInt64? = nil, retryAfter: UInt32? = nil) {
    self.status = code.status
    self.code = code
    self.detail = detail
    self.time = time
    self.retryAfter = retryAfter
  }

  /// The problem in an answer with an error status; a body that cannot be read makes a problem without a code.
  public init(reading response: RelayResponse) {
    status = response.status
    retryAfter = response.retryAfter
    detail = ""
    let members = response.body.count <= RelayLimits.problemBytes ? FlatJSON.members(of: response.body) : [:]
    if case .text(let type) = members["type"], type.hasPrefix(Self.typePrefix) {
      code = ProblemCode(rawValue: String(type.dropFirst(Self.typePrefix.count)))
    }
    if case .text(let text) = members["detail"] { detail = String(text.prefix(500)) }
    if case .number(let number) = members["time"] { time = number }
  }

  /// The body of the answer.
  public var body: [UInt8] {
    let name = code?.rawValue ?? "unknown"
    var members: [(String, JSONValue)] = [
      ("type", .string(Self.typePrefix + name)), ("title", .string(name)), ("status", .int(Int64(status))),
      ("detail", .string(detail)),
    ]
    if let time, let shown = Int64(exactly: time) { members.append(("time", .int(shown))) }
    return Array(JSONValue.object(members).text(pretty: false).utf8)
  }

  /// One clause for a person, safe to print.
  public var description: String {
    let what = code?.rawValue ?? "status \(status)"
    return "the relay answered \"\(what)\"" + (detail.isEmpty ? "" : ": \(TerminalText.escape(detail))")
  }
}
