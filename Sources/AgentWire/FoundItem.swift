import CBOR
public import VaultModel

/// An item as `find` shows it.
public struct FoundItem: Equatable, Sendable {
  /// The local name of the vault that it belongs to.
  public var vault: String
  /// The class.
  public var itemClass: ItemClass
  /// The attributes that are shown, the secret ones not among them; empty if it is locked.
  public var attributes: [AttributeName: AttributeValue]
  /// The secret, if it was asked for and the item has one.
  public var secret: [UInt8]?
  /// Whether the item is in the vault rather than on this device alone.
  public var synchronizable: Bool
  /// When it was added, in milliseconds since 1970-01-01 UTC.
  public var creationDate: Int64?
  /// When it was changed last.
  public var modificationDate: Int64?
  /// The attributes that have several open values.
  public var conflicts: [AttributeName]
  /// Whether it exists but cannot be read now.
  public var isLocked: Bool

  /// An item.
  public init(
    vault: String, itemClass: ItemClass, attributes: [AttributeName: AttributeValue], secret: [UInt8]? = nil,
    synchronizable: Bool, creationDate: Int64? = nil, modificationDate: Int64? = nil,
    conflicts: [AttributeName] = [], isLocked: Bool = false
  ) {
    self.vault = vault
    self.itemClass = itemClass
    self.attributes = attributes
    self.secret = secret
    self.synchronizable = synchronizable
    self.creationDate = creationDate
    self.modificationDate = modificationDate
    self.conflicts = conflicts
    self.isLocked = isLocked
  }
}

/// Written directly rather than through `FieldWriter`: a list may have a hundred thousand of them.
extension FoundItem {
  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vault: String?
    var itemClass: ItemClass?
    self.init(vault: "", itemClass: .genericPassword, attributes: [:], synchronizable: false)
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "vault": vault = try reader.text()
      case "class": itemClass = try WireAttributes.itemClass(&reader)
      case "attributes": attributes = try WireAttributes.read(&reader)
      case "secret": secret = try reader.bytes("secret", limit: Limits.secretBytes)
      case "synchronizable": synchronizable = try reader.bool()
      case "created": creationDate = try reader.integer()
      case "modified": modificationDate = try reader.integer()
      case "conflicts":
        conflicts = try reader.array { reader throws(AgentWireError) in try WireAttributes.name(&reader) }
      case "locked": isLocked = try reader.bool()
      default: throw .unknownField(name)
      }
    }
    self.vault = try vault.required("vault")
    self.itemClass = try itemClass.required("class")
  }

  /// The fields in the order of deterministic CBOR: shorter names first, then by their bytes.
  func write(to writer: inout CBORWriter) {
    let optional = [
      isLocked, secret != nil, creationDate != nil, modificationDate != nil, !conflicts.isEmpty, synchronizable,
    ]
    writer.map(3 + optional.count(where: { $0 }))
    writer.text("class")
    writer.unsigned(UInt64(itemClass.rawValue))
    writer.text("vault")
    writer.text(vault)
    if isLocked {
      writer.text("locked")
      writer.bool(true)
    }
    if let secret {
      writer.text("secret")
      writer.byteString(secret)
    }
    if let creationDate {
      writer.text("created")
      writer.integer(creationDate)
    }
    if let modificationDate {
      writer.text("modified")
      writer.integer(modificationDate)
    }
    if !conflicts.isEmpty {
      writer.text("conflicts")
      writer.array(conflicts.count)
      for name in conflicts { writer.text(name.text) }
    }
    writer.text("attributes")
    WireAttributes.write(attributes, to: &writer)
    if synchronizable {
      writer.text("synchronizable")
      writer.bool(true)
    }
  }
}
