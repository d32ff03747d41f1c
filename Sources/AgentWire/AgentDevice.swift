public import VaultModel

/// A device of a vault.
public struct AgentDevice: Equatable, Sendable, WireMap {
  /// How a device stands.
  public enum Standing: String, CaseIterable, Sendable {
    /// A member.
    case active
    /// Removed by an admin.
    case revoked
    /// Went by itself.
    case left
  }

  /// Its identifier.
  public var deviceID: DeviceID
  /// Its name; empty if it cannot be read now.
  public var name: String
  /// What it may do.
  public var role: AgentRole
  /// Its fingerprint, in groups.
  public var fingerprint: String
  /// When it came, in milliseconds since 1970-01-01 UTC.
  public var added: Int64
  /// Whether it is this one.
  public var isThisDevice: Bool
  /// How it stands.
  public var standing: Standing

  /// A device.
  public init(
    deviceID: DeviceID, name: String, role: AgentRole, fingerprint: String, added: Int64, isThisDevice: Bool,
    standing: Standing = .active
  ) {
    self.deviceID = deviceID
    self.name = name
    self.role = role
    self.fingerprint = fingerprint
    self.added = added
    self.isThisDevice = isThisDevice
    self.standing = standing
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var deviceID: DeviceID?
    var deviceName: String?
    var role: AgentRole?
    var fingerprint: String?
    var added: Int64?
    var isThisDevice = false
    var standing: Standing?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "id": deviceID = try reader.deviceID("id")
      case "name": deviceName = try reader.text()
      case "role": role = try reader.named("role", AgentRole.self)
      case "fingerprint": fingerprint = try reader.text()
      case "added": added = try reader.integer()
      case "this-device": isThisDevice = try reader.bool()
      case "standing": standing = try reader.named("standing", Standing.self)
      default: throw .unknownField(name)
      }
    }
    self.init(
      deviceID: try deviceID.required("id"), name: try deviceName.required("name"), role: try role.required("role"),
      fingerprint: try fingerprint.required("fingerprint"), added: try added.required("added"),
      isThisDevice: isThisDevice, standing: try standing.required("standing"))
  }

  func write(fields: inout FieldWriter) {
    fields.bytes("id", deviceID.bytes)
    fields.text("name", name)
    fields.text("role", role.rawValue)
    fields.text("fingerprint", fingerprint)
    fields.integer("added", added)
    fields.flag("this-device", isThisDevice)
    fields.text("standing", standing.rawValue)
  }
}

/// The answer to `device-list`.
public struct DeviceListResult: Equatable, Sendable, WireMap {
  /// The local name of the vault.
  public var vault: String
  /// Its devices in the order in which they came.
  public var devices: [AgentDevice]

  /// The devices of `vault`.
  public init(vault: String, devices: [AgentDevice]) {
    self.vault = vault
    self.devices = devices
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vault: String?
    self.init(vault: "", devices: [])
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "vault": vault = try reader.text()
      case "devices": devices = try reader.array { reader throws(AgentWireError) in try AgentDevice(reading: &reader) }
      default: throw .unknownField(name)
      }
    }
    self.vault = try vault.required("vault")
  }

  func write(fields: inout FieldWriter) {
    fields.text("vault", vault)
    fields.maps("devices", devices)
  }
}
