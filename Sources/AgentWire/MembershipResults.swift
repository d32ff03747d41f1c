public import VaultModel

/// The answer to `initialize`.
public struct InitializeResult: Equatable, Sendable, WireMap {
  /// The new vault's identifier.
  public var vaultID: VaultID
  /// Its local name.
  public var vault: String
  /// The recovery key, in groups: the only time that it is told.
  public var recoveryKey: String
  /// This device's fingerprint.
  public var fingerprint: String

  /// A new vault.
  public init(vaultID: VaultID, vault: String, recoveryKey: String, fingerprint: String) {
    self.vaultID = vaultID
    self.vault = vault
    self.recoveryKey = recoveryKey
    self.fingerprint = fingerprint
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vaultID: VaultID?
    var vault: String?
    var recoveryKey: String?
    var fingerprint: String?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "id": vaultID = try reader.vaultID("id")
      case "vault": vault = try reader.text()
      case "recovery-key": recoveryKey = try reader.text()
      case "fingerprint": fingerprint = try reader.text()
      default: throw .unknownField(name)
      }
    }
    self.init(
      vaultID: try vaultID.required("id"), vault: try vault.required("vault"),
      recoveryKey: try recoveryKey.required("recovery-key"), fingerprint: try fingerprint.required("fingerprint"))
  }

  func write(fields: inout FieldWriter) {
    fields.bytes("id", vaultID.bytes)
    fields.text("vault", vault)
    fields.text("recovery-key", recoveryKey)
    fields.text("fingerprint", fingerprint)
  }
}

/// The answer to `join` and `recover`.
public struct JoinResult: Equatable, Sendable, WireMap {
  /// The vault's identifier.
  public var vaultID: VaultID
  /// Its local name.
  public var vault: String
  /// This device's fingerprint.
  public var fingerprint: String
  /// What this device may do.
  public var role: AgentRole
  /// How many items were brought.
  public var itemCount: Int

  /// A vault that this device is in now.
  public init(vaultID: VaultID, vault: String, fingerprint: String, role: AgentRole, itemCount: Int) {
    self.vaultID = vaultID
    self.vault = vault
    self.fingerprint = fingerprint
    self.role = role
    self.itemCount = itemCount
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vaultID: VaultID?
    var vault: String?
    var fingerprint: String?
    var role: AgentRole?
    var itemCount: Int?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "id": vaultID = try reader.vaultID("id")
      case "vault": vault = try reader.text()
      case "fingerprint": fingerprint = try reader.text()
      case "role": role = try reader.named("role", AgentRole.self)
      case "items": itemCount = try reader.count()
      default: throw .unknownField(name)
      }
    }
    self.init(
      vaultID: try vaultID.required("id"), vault: try vault.required("vault"),
      fingerprint: try fingerprint.required("fingerprint"), role: try role.required("role"),
      itemCount: try itemCount.required("items"))
  }

  func write(fields: inout FieldWriter) {
    fields.bytes("id", vaultID.bytes)
    fields.text("vault", vault)
    fields.text("fingerprint", fingerprint)
    fields.text("role", role.rawValue)
    fields.count("items", itemCount)
  }
}

/// The answer to `invite-begin`.
public struct InviteResult: Equatable, Sendable, WireMap {
  /// The pairing code.
  public var code: String
  /// When it ends, in milliseconds since 1970-01-01 UTC.
  public var expires: Int64

  /// An invitation.
  public init(code: String, expires: Int64) {
    self.code = code
    self.expires = expires
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var code: String?
    var expires: Int64?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "code": code = try reader.text()
      case "expires": expires = try reader.integer()
      default: throw .unknownField(name)
      }
    }
    self.init(code: try code.required("code"), expires: try expires.required("expires"))
  }

  func write(fields: inout FieldWriter) {
    fields.text("code", code)
    fields.integer("expires", expires)
  }
}

/// The answer to `invite-wait` (who asks) and `invite-decide` (who was approved or refused).
public struct CandidateResult: Equatable, Sendable, WireMap {
  /// The name that the device gives itself.
  public var deviceName: String
  /// Its fingerprint.
  public var fingerprint: String

  /// A device that asks.
  public init(deviceName: String, fingerprint: String) {
    self.deviceName = deviceName
    self.fingerprint = fingerprint
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var deviceName: String?
    var fingerprint: String?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "device-name": deviceName = try reader.text()
      case "fingerprint": fingerprint = try reader.text()
      default: throw .unknownField(name)
      }
    }
    self.init(
      deviceName: try deviceName.required("device-name"), fingerprint: try fingerprint.required("fingerprint"))
  }

  func write(fields: inout FieldWriter) {
    fields.text("device-name", deviceName)
    fields.text("fingerprint", fingerprint)
  }
}
