import CBOR

/// What an agent tells while a long request goes on.
public struct AgentEvent: Equatable, Sendable, WireMap {
  /// What an event is about.
  public enum Kind: String, CaseIterable, Sendable {
    /// A step of the work; shown to a person at a terminal.
    case progress
    /// The fingerprint of this device, to be compared with the one that the other device shows.
    case fingerprint
    /// Something that a person must read, also without a terminal.
    case warning
  }

  /// What it is about.
  public let kind: Kind
  /// The fingerprint, or a short sentence.
  public let text: String
  /// How much is done.
  public let done: Int?
  /// Of how much.
  public let total: Int?

  /// An event.
  public init(_ kind: Kind, _ text: String, done: Int? = nil, total: Int? = nil) {
    self.kind = kind
    self.text = text
    self.done = done
    self.total = total
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var kind: Kind?
    var text: String?
    var done: Int?
    var total: Int?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "kind": kind = try reader.named("kind", Kind.self)
      case "text": text = try reader.text()
      case "done": done = try reader.count()
      case "total": total = try reader.count()
      default: throw .unknownField(name)
      }
    }
    self.init(try kind.required("kind"), try text.required("text"), done: done, total: total)
  }

  func write(fields: inout FieldWriter) {
    fields.text("kind", kind.rawValue)
    fields.text("text", text)
    fields.count("done", done)
    fields.count("total", total)
  }
}
