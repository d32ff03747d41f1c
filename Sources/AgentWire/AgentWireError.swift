public import CBOR

/// Why a message is not one of this protocol. No case carries a value of the message: it may be a secret.
public enum AgentWireError: Error, Equatable, Sendable {
  /// Not deterministic CBOR of the expected form.
  case malformed(CBORError)
  /// Another version of the protocol.
  case unsupportedVersion(UInt64)
  /// No such operation.
  case unknownOperation(String)
  /// The map may not hold this field.
  case unknownField(String)
  /// The map lacks this field.
  case missingField(String)
  /// The field's value is not one of those that it may have.
  case invalidField(String)
  /// The field's value is larger than its limit.
  case tooLarge(field: String, limit: Int)

  /// The status that an agent answers with.
  public var status: AgentStatus {
    switch self {
    case .unsupportedVersion: .protocolMismatch
    case .unknownOperation: .unimplemented
    default: .invalidParameter
    }
  }

  /// One sentence for a person.
  public var message: String {
    switch self {
    case .malformed(let error): "The message is malformed (\(error))."
    case .unsupportedVersion(let version):
      "The message has protocol version \(version), and this program speaks version \(AgentProtocol.version): restart the agent."
    case .unknownOperation(let name):
      "The operation \(Self.quote(name)) is unknown: the agent may be older than the program."
    case .unknownField(let name): "The field \(Self.quote(name)) is unknown: the agent may be older than the program."
    case .missingField(let name): "The field \(Self.quote(name)) is missing."
    case .invalidField(let name): "The field \(Self.quote(name)) has a value that it cannot have."
    case .tooLarge(let field, let limit): "The field \(Self.quote(field)) is larger than \(limit) bytes."
    }
  }

  /// A name that the other side chose: shown only if it looks like a name.
  private static func quote(_ name: String) -> String {
    let plain = name.utf8.count <= 64 && name.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    return plain ? "\"\(name)\"" : "(unprintable)"
  }
}
