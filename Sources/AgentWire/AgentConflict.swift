public import VaultModel

/// One attribute of one item that was written on several devices while they were apart.
public struct AgentConflict: Equatable, Sendable, WireMap {
  /// One of its open values.
  public struct Candidate: Equatable, Sendable, WireMap {
    /// The value; nil for a secret that was not asked for.
    public var value: AttributeValue?
    /// The name of the device that wrote it.
    public var device: String
    /// When, in milliseconds since 1970-01-01 UTC.
    public var time: Int64

    /// A value.
    public init(value: AttributeValue?, device: String, time: Int64) {
      self.value = value
      self.device = device
      self.time = time
    }

    init(reading reader: inout WireReader) throws(AgentWireError) {
      var device: String?
      var time: Int64?
      self.init(value: nil, device: "", time: 0)
      try reader.map { name, reader throws(AgentWireError) in
        switch name {
        case "value": value = try WireAttributes.value(&reader, limit: Limits.secretBytes)
        case "device": device = try reader.text()
        case "time": time = try reader.integer()
        default: throw .unknownField(name)
        }
      }
      self.device = try device.required("device")
      self.time = try time.required("time")
    }

    func write(fields: inout FieldWriter) {
      if let value { fields.field("value") { WireAttributes.write(value, to: &$0) } }
      fields.text("device", device)
      fields.integer("time", time)
    }
  }

  /// The local name of the vault.
  public var vault: String
  /// The item's class.
  public var itemClass: ItemClass
  /// The attributes that name the item for a person (`svce`, `acct`, `srvr`, `labl`, …), as they are shown.
  public var attributes: [AttributeName: AttributeValue]
  /// The attribute in conflict.
  public var attribute: AttributeName
  /// Its open values, the shown one first.
  public var candidates: [Candidate]

  /// A conflict.
  public init(
    vault: String, itemClass: ItemClass, attributes: [AttributeName: AttributeValue], attribute: AttributeName,
    candidates: [Candidate]
  ) {
    self.vault = vault
    self.itemClass = itemClass
    self.attributes = attributes
    self.attribute = attribute
    self.candidates = candidates
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vault: String?
    var itemClass: ItemClass?
    var attribute: AttributeName?
    self.init(vault: "", itemClass: .genericPassword, attributes: [:], attribute: .secret, candidates: [])
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "vault": vault = try reader.text()
      case "class": itemClass = try WireAttributes.itemClass(&reader)
      case "attributes": attributes = try WireAttributes.read(&reader)
      case "attribute": attribute = try WireAttributes.name(&reader)
      case "candidates":
        candidates = try reader.array { reader throws(AgentWireError) in try Candidate(reading: &reader) }
      default: throw .unknownField(name)
      }
    }
    self.vault = try vault.required("vault")
    self.itemClass = try itemClass.required("class")
    self.attribute = try attribute.required("attribute")
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.integer("class", Int64(itemClass.rawValue))
    fields.field("attributes") { WireAttributes.write(attributes, to: &$0) }
    fields.text("attribute", attribute.text)
    fields.maps("candidates", candidates)
  }
}
