public import VaultModel

/// Which of the two twins of an item are meant: the one in the vault, the one on this device alone, or both.
public enum AgentTwins: String, CaseIterable, Sendable {
  /// Both.
  case any
  /// Those in the vault.
  case synchronizable
  /// Those of this device alone.
  case thisDeviceOnly = "this-device-only"
}

/// Which items are meant: all those whose attributes equal every one of `match`.
public struct ItemQuery: Equatable, Sendable {
  /// The vault's local name; nil for the first.
  public var vault: String?
  /// The class; nil for all of them, which only a `find` may ask for.
  public var itemClass: ItemClass?
  /// The attributes to match, compared by their bytes.
  public var match: [AttributeName: AttributeValue]
  /// Which twins.
  public var twins: AgentTwins

  /// A query.
  public init(
    vault: String? = nil, itemClass: ItemClass? = nil, match: [AttributeName: AttributeValue] = [:],
    twins: AgentTwins = .any
  ) {
    self.vault = vault
    self.itemClass = itemClass
    self.match = match
    self.twins = twins
  }

  mutating func read(_ name: String, from reader: inout WireReader) throws(AgentWireError) {
    switch name {
    case "vault": vault = try reader.text()
    case "class": itemClass = try WireAttributes.itemClass(&reader)
    case "match": match = try WireAttributes.read(&reader)
    case "twins": twins = try reader.named("twins", AgentTwins.self)
    default: throw .unknownField(name)
    }
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.integer("class", itemClass.map { Int64($0.rawValue) })
    if !match.isEmpty { fields.field("match") { WireAttributes.write(match, to: &$0) } }
    if twins != .any { fields.text("twins", twins.rawValue) }
  }
}

/// Finding items.
public struct FindArguments: Equatable, Sendable, WireMap {
  /// Which.
  public var query: ItemQuery
  /// Whether their secrets are asked for.
  public var withSecret: Bool
  /// At most so many; nil for all.
  public var limit: Int?

  /// A search.
  public init(query: ItemQuery, withSecret: Bool = false, limit: Int? = nil) {
    self.query = query
    self.withSecret = withSecret
    self.limit = limit
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    query = ItemQuery()
    withSecret = false
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "with-secret": withSecret = try reader.bool()
      case "limit": limit = try reader.count()
      default: try query.read(name, from: &reader)
      }
    }
  }

  func write(fields: inout FieldWriter) {
    query.write(fields: &fields)
    fields.flag("with-secret", withSecret)
    fields.count("limit", limit)
  }
}

/// Deleting items.
public struct RemoveArguments: Equatable, Sendable, WireMap {
  /// Which; the class must be given.
  public var query: ItemQuery

  /// A deletion.
  public init(query: ItemQuery) {
    self.query = query
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    query = ItemQuery()
    try reader.map { name, reader throws(AgentWireError) in try query.read(name, from: &reader) }
    guard query.itemClass != nil else { throw .missingField("class") }
  }

  func write(fields: inout FieldWriter) {
    query.write(fields: &fields)
  }
}
