/// A request that concerns one vault.
public struct VaultArguments: Equatable, Sendable, WireMap {
  /// The vault's local name; nil for the first.
  public var vault: String?

  /// A request about `vault`.
  public init(vault: String? = nil) {
    self.vault = vault
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    try reader.map { name, reader throws(AgentWireError) in
      guard name == "vault" else { throw .unknownField(name) }
      vault = try reader.text()
    }
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
  }
}

/// Listing conflicts.
public struct ConflictsArguments: Equatable, Sendable, WireMap {
  /// The vault's local name; nil for all.
  public var vault: String?
  /// Whether the open values of secrets are asked for too.
  public var withSecret: Bool

  /// The conflicts of `vault`.
  public init(vault: String? = nil, withSecret: Bool = false) {
    self.vault = vault
    self.withSecret = withSecret
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    withSecret = false
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "vault": vault = try reader.text()
      case "with-secret": withSecret = try reader.bool()
      default: throw .unknownField(name)
      }
    }
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.flag("with-secret", withSecret)
  }
}

/// What is known of a vault that is made or joined on this device.
public struct NewVault: Equatable, Sendable {
  /// The vault's local name; nil lets the agent choose.
  public var vault: String?
  /// This device's name in the vault; nil for the host's name.
  public var deviceName: String?
  /// The passphrase of the device's first keybag: empty for none, nil if there is a keybag already. Without a keybag nil
  /// is answered with `passphraseNeeded`; with one, a passphrase is not looked at.
  public var passphrase: [UInt8]?

  /// A vault to be.
  public init(vault: String? = nil, deviceName: String? = nil, passphrase: [UInt8]? = nil) {
    self.vault = vault
    self.deviceName = deviceName
    self.passphrase = passphrase
  }

  mutating func read(_ name: String, from reader: inout WireReader) throws(AgentWireError) {
    switch name {
    case "vault": vault = try reader.text()
    case "device-name": deviceName = try reader.text()
    case "passphrase":
      passphrase = try reader.bytes("passphrase", limit: AgentProtocol.maximumPassphraseBytes)
    default: throw .unknownField(name)
    }
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.text("device-name", deviceName)
    fields.bytes("passphrase", passphrase)
  }
}

/// A new vault, registered at a relay.
public struct InitializeArguments: Equatable, Sendable, WireMap {
  /// The relay's address.
  public var relay: String
  /// The relay's invitation; nil if its registration is open.
  public var invitation: String?
  /// The rest.
  public var new: NewVault

  /// A new vault at `relay`.
  public init(relay: String, invitation: String? = nil, new: NewVault = NewVault()) {
    self.relay = relay
    self.invitation = invitation
    self.new = new
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var relay: String?
    self.init(relay: "")
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "relay": relay = try reader.text()
      case "invitation": invitation = try reader.text()
      default: try new.read(name, from: &reader)
      }
    }
    self.relay = try relay.required("relay")
  }

  func write(fields: inout FieldWriter) {
    fields.text("relay", relay)
    fields.text("invitation", invitation)
    new.write(fields: &fields)
  }
}

/// Joining with a pairing code.
public struct JoinArguments: Equatable, Sendable, WireMap {
  /// The code as it was typed.
  public var code: String
  /// The rest.
  public var new: NewVault

  /// Joining with `code`.
  public init(code: String, new: NewVault = NewVault()) {
    self.code = code
    self.new = new
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var code: String?
    self.init(code: "")
    try reader.map { name, reader throws(AgentWireError) in
      if name == "code" { code = try reader.text() } else { try new.read(name, from: &reader) }
    }
    self.code = try code.required("code")
  }

  func write(fields: inout FieldWriter) {
    fields.text("code", code)
    new.write(fields: &fields)
  }
}

/// Joining with the recovery key.
public struct RecoverArguments: Equatable, Sendable, WireMap {
  /// The relay's address.
  public var relay: String
  /// The recovery key as it was typed, or a whole recovery kit.
  public var recoveryKey: String
  /// The rest.
  public var new: NewVault

  /// Recovering from `relay`.
  public init(relay: String, recoveryKey: String, new: NewVault = NewVault()) {
    self.relay = relay
    self.recoveryKey = recoveryKey
    self.new = new
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var relay: String?
    var recoveryKey: String?
    self.init(relay: "", recoveryKey: "")
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "relay": relay = try reader.text()
      case "recovery-key": recoveryKey = try reader.text()
      default: try new.read(name, from: &reader)
      }
    }
    self.relay = try relay.required("relay")
    self.recoveryKey = try recoveryKey.required("recovery-key")
  }

  func write(fields: inout FieldWriter) {
    fields.text("relay", relay)
    fields.text("recovery-key", recoveryKey)
    new.write(fields: &fields)
  }
}

/// An invitation for another device.
public struct InviteArguments: Equatable, Sendable, WireMap {
  /// The vault's local name; nil for the first.
  public var vault: String?
  /// What the other device may do.
  public var role: AgentRole

  /// An invitation into `vault`.
  public init(vault: String? = nil, role: AgentRole) {
    self.vault = vault
    self.role = role
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var role: AgentRole?
    self.init(role: .reader)
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "vault": vault = try reader.text()
      case "role": role = try reader.named("role", AgentRole.self)
      default: throw .unknownField(name)
      }
    }
    self.role = try role.required("role")
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.text("role", role.rawValue)
  }
}

/// The answer to a device that asks to join.
public struct DecideArguments: Equatable, Sendable, WireMap {
  /// Whether it may.
  public var approve: Bool

  /// An answer.
  public init(approve: Bool) {
    self.approve = approve
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var approve: Bool?
    try reader.map { name, reader throws(AgentWireError) in
      guard name == "approve" else { throw .unknownField(name) }
      approve = try reader.bool()
    }
    self.approve = try approve.required("approve")
  }

  func write(fields: inout FieldWriter) {
    fields.bool("approve", approve)
  }
}
