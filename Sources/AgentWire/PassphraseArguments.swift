/// Opening the keybag.
public struct UnlockArguments: Equatable, Sendable, WireMap {
  /// The passphrase.
  public var passphrase: [UInt8]

  /// Unlocking with `passphrase`.
  public init(passphrase: [UInt8]) {
    self.passphrase = passphrase
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var passphrase: [UInt8]?
    try reader.map { name, reader throws(AgentWireError) in
      guard name == "passphrase" else { throw .unknownField(name) }
      passphrase = try reader.bytes("passphrase", limit: AgentProtocol.maximumPassphraseBytes)
    }
    self.passphrase = try passphrase.required("passphrase")
  }

  func write(fields: inout FieldWriter) {
    fields.bytes("passphrase", passphrase)
  }
}

/// Setting, changing or removing the passphrase.
public struct ChangePassphraseArguments: Equatable, Sendable, WireMap {
  /// The present one; nil if none is set.
  public var old: [UInt8]?
  /// The new one; nil or empty removes it, and with it every item that asks for one.
  public var new: [UInt8]?

  /// A change.
  public init(old: [UInt8]? = nil, new: [UInt8]? = nil) {
    self.old = old
    self.new = new
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "old": old = try reader.bytes("old", limit: AgentProtocol.maximumPassphraseBytes)
      case "new": new = try reader.bytes("new", limit: AgentProtocol.maximumPassphraseBytes)
      default: throw .unknownField(name)
      }
    }
  }

  func write(fields: inout FieldWriter) {
    fields.bytes("old", old)
    fields.bytes("new", new)
  }
}
