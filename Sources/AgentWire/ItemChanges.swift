public import VaultModel

/// Adding an item.
public struct AddArguments: Equatable, Sendable, WireMap {
  /// The vault's local name; nil for the first.
  public var vault: String?
  /// The class.
  public var itemClass: ItemClass
  /// All attributes but the secret.
  public var attributes: [AttributeName: AttributeValue]
  /// The secret; nil if there is none or it is generated.
  public var secret: [UInt8]?
  /// Whether the agent makes up the secret.
  public var generate: Bool
  /// The number of characters of a generated secret; nil lets the agent choose.
  public var generatedLength: Int?
  /// Whether the item belongs to the vault rather than to this device alone.
  public var synchronizable: Bool
  /// Whether an existing item, of either twin, is replaced.
  public var replace: Bool

  /// An item to add.
  public init(
    vault: String? = nil, itemClass: ItemClass, attributes: [AttributeName: AttributeValue], secret: [UInt8]? = nil,
    generate: Bool = false, generatedLength: Int? = nil, synchronizable: Bool = true, replace: Bool = false
  ) {
    self.vault = vault
    self.itemClass = itemClass
    self.attributes = attributes
    self.secret = secret
    self.generate = generate
    self.generatedLength = generatedLength
    self.synchronizable = synchronizable
    self.replace = replace
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var itemClass: ItemClass?
    self.init(itemClass: .genericPassword, attributes: [:], synchronizable: false)
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "vault": vault = try reader.text()
      case "class": itemClass = try WireAttributes.itemClass(&reader)
      case "attributes": attributes = try WireAttributes.read(&reader)
      case "secret": secret = try reader.bytes("secret", limit: Limits.secretBytes)
      case "generate": generate = try reader.bool()
      case "length": generatedLength = try reader.count()
      case "synchronizable": synchronizable = try reader.bool()
      case "replace": replace = try reader.bool()
      default: throw .unknownField(name)
      }
    }
    self.itemClass = try itemClass.required("class")
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.integer("class", Int64(itemClass.rawValue))
    fields.field("attributes") { WireAttributes.write(attributes, to: &$0) }
    fields.bytes("secret", secret)
    fields.flag("generate", generate)
    fields.count("length", generatedLength)
    fields.flag("synchronizable", synchronizable)
    fields.flag("replace", replace)
  }
}

/// Changing items.
public struct UpdateArguments: Equatable, Sendable, WireMap {
  /// Which; the class must be given.
  public var query: ItemQuery
  /// The new values; absent removes an attribute. None at all advances the modification time.
  public var changes: [AttributeName: AttributeValue]
  /// The new secret; nil keeps it.
  public var secret: [UInt8]?

  /// A change.
  public init(query: ItemQuery, changes: [AttributeName: AttributeValue] = [:], secret: [UInt8]? = nil) {
    self.query = query
    self.changes = changes
    self.secret = secret
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    query = ItemQuery()
    changes = [:]
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "changes": changes = try WireAttributes.read(&reader)
      case "secret": secret = try reader.bytes("secret", limit: Limits.secretBytes)
      default: try query.read(name, from: &reader)
      }
    }
    guard query.itemClass != nil else { throw .missingField("class") }
  }

  func write(fields: inout FieldWriter) {
    query.write(fields: &fields)
    if !changes.isEmpty { fields.field("changes") { WireAttributes.write(changes, to: &$0) } }
    fields.bytes("secret", secret)
  }
}
