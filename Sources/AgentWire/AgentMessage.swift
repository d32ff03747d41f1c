import CBOR

/// A message from the agent. A request is answered with any number of events and parts of a long list of items, and then
/// with one reply.
public enum AgentMessage: Equatable, Sendable {
  /// `[version, "event", event]`.
  case event(AgentEvent)
  /// `[version, "items", [item, …]]`: items that come before those of the reply.
  case items([FoundItem])
  /// `[version, status, result]`: the last.
  case reply(AgentReply)

  /// The message that `message` is, among the answers to `operation`.
  public init(decoding message: [UInt8], answering operation: AgentOperation) throws(AgentWireError) {
    var reader = WireReader(message)
    try reader.arrayHead(3)
    try reader.version()
    if try reader.peek() == .text {
      switch try reader.text(limit: 64) {
      case "event": self = .event(try AgentEvent(reading: &reader))
      case "items" where operation == .find:
        self = .items(try reader.array { reader throws(AgentWireError) in try FoundItem(reading: &reader) })
      default: throw .malformed(.unexpectedType)
      }
    } else {
      let status = try reader.status()
      self = .reply(try AgentReply(status: status, to: operation, reading: &reader))
    }
    try reader.end()
  }

  static func itemsMessage(_ count: Int, _ items: [UInt8]) -> [UInt8] {
    var writer = CBORWriter(capacity: items.count + 32)
    writer.array(3)
    writer.unsigned(AgentProtocol.version)
    writer.text("items")
    writer.array(count)
    writer.encoded(items)
    return writer.bytes
  }
}

extension AgentEvent {
  /// The message's bytes.
  public var encoded: [UInt8] {
    var writer = CBORWriter(capacity: 128)
    writer.array(3)
    writer.unsigned(AgentProtocol.version)
    writer.text("event")
    write(to: &writer)
    return writer.bytes
  }
}
