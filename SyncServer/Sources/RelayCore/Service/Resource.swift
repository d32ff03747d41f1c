internal import RelayWire

/// What a path names (Docs/RelayProtocol.md, "Endpoints").
enum Resource: Equatable {
  case health
  case vaults
  case chain([UInt8])
  case keyrings([UInt8])
  case records([UInt8])
  case changes([UInt8])
  case checkpoint([UInt8])
  case mailbox(vault: [UInt8], [UInt8])
  case mailboxRequest(vault: [UInt8], [UInt8])
  case mailboxAnswer(vault: [UInt8], [UInt8])
  case openRequest([UInt8])
  case openAnswer([UInt8])
  case recovery([UInt8])

  /// The resource of a path. Throws `not-found` for a path of another shape, `malformed` for an id that is not spelled as ids are.
  init(path: Substring) throws(Problem) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    switch (parts.count, parts.first) {
    case (1, "healthz"): self = .health
    case (2..., "v1"): self = try Resource(parts: Array(parts.dropFirst()))
    default: throw Problem(.notFound, "There is nothing at this path.")
    }
  }

  private init(parts: [Substring]) throws(Problem) {
    switch (parts[0], parts.count) {
    case ("vaults", 1): self = .vaults
    case ("vaults", 3): self = try Resource(vault: Resource.identifier(parts[1]), parts[2])
    case ("vaults", 4) where parts[2] == "mailboxes":
      self = .mailbox(vault: try Resource.identifier(parts[1]), try Resource.identifier(parts[3]))
    case ("vaults", 5) where parts[2] == "mailboxes" && parts[4] == "request":
      self = .mailboxRequest(vault: try Resource.identifier(parts[1]), try Resource.identifier(parts[3]))
    case ("vaults", 5) where parts[2] == "mailboxes" && parts[4] == "answer":
      self = .mailboxAnswer(vault: try Resource.identifier(parts[1]), try Resource.identifier(parts[3]))
    case ("mailboxes", 3) where parts[2] == "request": self = .openRequest(try Resource.identifier(parts[1]))
    case ("mailboxes", 3) where parts[2] == "answer": self = .openAnswer(try Resource.identifier(parts[1]))
    case ("recovery", 2): self = .recovery(try Resource.identifier(parts[1]))
    default: throw Problem(.notFound, "There is nothing at this path.")
    }
  }

  private init(vault: [UInt8], _ name: Substring) throws(Problem) {
    switch name {
    case "chain": self = .chain(vault)
    case "keyrings": self = .keyrings(vault)
    case "records": self = .records(vault)
    case "changes": self = .changes(vault)
    case "checkpoint": self = .checkpoint(vault)
    default: throw Problem(.notFound, "There is nothing at this path.")
    }
  }

  private static func identifier(_ text: Substring) throws(Problem) -> [UInt8] {
    guard let identifier = PathIdentifier.decode(text) else {
      throw Problem(.malformed, "An id in a path is 64 lower-case hexadecimal digits.")
    }
    return identifier
  }

  /// The methods that it has.
  var methods: [RelayRequest.Method] {
    switch self {
    case .health, .changes, .mailboxRequest, .openAnswer, .recovery: [.get]
    case .vaults, .records: [.post]
    case .chain, .keyrings: [.get, .post]
    case .checkpoint, .mailboxAnswer, .openRequest: [.put]
    case .mailbox: [.put, .delete]
    }
  }

  /// Parameters that its query may hold.
  var parameters: Set<String> {
    switch self {
    case .chain, .keyrings, .recovery: ["from"]
    case .changes: ["since", "limit", "wait", "chain", "checkpoints"]
    case .mailboxRequest, .openAnswer: ["wait"]
    default: []
    }
  }

  /// The greatest body that it takes.
  var bodyLimit: Int {
    switch self {
    case .openRequest: RelayLimits.mailboxRequestBytes
    case .mailboxAnswer: RelayLimits.mailboxAnswerBytes
    case .mailbox: 16
    case .checkpoint: RelayLimits.checkpointBytes + 64
    default: RelayLimits.bodyBytes
    }
  }

  /// The type of the bodies that it takes.
  var bodyType: RelayRequest.ContentType {
    switch self {
    case .openRequest, .mailboxAnswer: .octets
    default: .cbor
    }
  }
}
