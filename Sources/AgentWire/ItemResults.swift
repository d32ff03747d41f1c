/// The answer to `find`.
public struct FindResult: Equatable, Sendable {
  /// The items that can be read, and those that are known to match but are locked.
  public var items: [FoundItem]
  /// How many items match or may match but cannot be read now, listed or not.
  public var lockedCount: Int

  /// What was found.
  public init(items: [FoundItem] = [], lockedCount: Int = 0) {
    self.items = items
    self.lockedCount = lockedCount
  }
}

/// The answer to `add`.
public struct AddResult: Equatable, Sendable, WireMap {
  /// The local name of the vault.
  public var vault: String
  /// Whether an existing item was replaced.
  public var replaced: Bool

  /// What was added.
  public init(vault: String, replaced: Bool = false) {
    self.vault = vault
    self.replaced = replaced
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vault: String?
    self.init(vault: "")
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "vault": vault = try reader.text()
      case "replaced": replaced = try reader.bool()
      default: throw .unknownField(name)
      }
    }
    self.vault = try vault.required("vault")
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.flag("replaced", replaced)
  }
}

/// The answer to `update` and `remove`: how many items were changed.
public struct CountResult: Equatable, Sendable, WireMap {
  /// How many.
  public var count: Int

  /// A count.
  public init(count: Int) {
    self.count = count
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var count: Int?
    try reader.map { name, reader throws(AgentWireError) in
      guard name == "count" else { throw .unknownField(name) }
      count = try reader.count()
    }
    self.count = try count.required("count")
  }

  func write(fields: inout FieldWriter) {
    fields.count("count", count)
  }
}
