public import RelayWire

/// A request whose path, method and query have the form of an endpoint.
public struct Call: Sendable {
  let resource: Resource
  let method: RelayRequest.Method
  private let numbers: [String: UInt64]

  /// Reads method and target.
  public init(method: String, target: String) throws(Problem) {
    guard target.utf8.count <= 1_024, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Problem(.malformed, "The request target is not one of this protocol.")
    }
    let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    resource = try Resource(path: pieces[0])
    guard let known = RelayRequest.Method(rawValue: method), resource.methods.contains(known) else {
      throw Problem(.method, "This path has only \(Call.names(of: resource)).")
    }
    self.method = known
    let hasQuery = pieces.count == 2 && known == .get
    guard pieces.count == 1 || hasQuery else { throw Problem(.malformed, "This request has no query.") }
    numbers = hasQuery ? try Call.parse(pieces[1], allowed: resource.parameters) : [:]
  }

  /// The methods of what `target` names, for `Allow`.
  static func allowed(_ target: String) -> String? {
    let path = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    return (try? Resource(path: path)).map(names)
  }

  private static func names(of resource: Resource) -> String {
    resource.methods.map(\.rawValue).joined(separator: ", ")
  }

  /// The greatest body that a relay reads for it.
  public var bodyLimit: Int { method == .get || method == .delete ? 0 : resource.bodyLimit }

  /// True if it changes what is stored, so that it may have to wait for the disk.
  public var isWrite: Bool { method != .get }

  /// A number of the query, at most `limit`.
  func number(_ name: String, atMost limit: UInt64 = .max) throws(Problem) -> UInt64? {
    guard let number = numbers[name] else { return nil }
    guard number <= limit else { throw Problem(.malformed, "The query's \"\(name)\" is at most \(limit).") }
    return number
  }

  /// Seconds to wait.
  func wait() throws(Problem) -> UInt64 {
    try number("wait", atMost: UInt64(RelayLimits.waitSeconds)) ?? 0
  }

  private static func parse(_ query: Substring, allowed: Set<String>) throws(Problem) -> [String: UInt64] {
    var numbers: [String: UInt64] = [:]
    for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, allowed.contains(String(sides[0])), numbers[String(sides[0])] == nil,
        sides[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt64(sides[1])
      else { throw Problem(.malformed, "The query does not have the form described for this path.") }
      numbers[String(sides[0])] = number
    }
    return numbers
  }
}
