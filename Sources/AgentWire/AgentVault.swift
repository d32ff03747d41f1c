public import VaultModel

/// A vault on this device and how it stands.
public struct AgentVault: Equatable, Sendable, WireMap {
  /// How a vault stands with its relay.
  public enum Standing: String, CaseIterable, Sendable {
    /// The last exchange went well, or none was tried yet.
    case fine
    /// The relay does not answer; the work waits.
    case relayUnreachable = "relay-unreachable"
    /// The relay refuses this device for a reason that `problem` names, for instance a quota.
    case relayRefused = "relay-refused"
    /// The relay was caught misbehaving; nothing is taken from it any more.
    case relayMisbehaved = "relay-misbehaved"
    /// This device was revoked.
    case deviceRevoked = "device-revoked"
  }

  /// Its local name.
  public var name: String
  /// Its identifier.
  public var vaultID: VaultID
  /// Its relay's address.
  public var relay: String
  /// This device's name in it; empty if it cannot be read now.
  public var deviceName: String
  /// This device's fingerprint.
  public var fingerprint: String
  /// What this device may do.
  public var role: AgentRole
  /// How many items are in it, this device's own included.
  public var itemCount: Int
  /// How many changes the relay does not have yet.
  public var pendingCount: Int
  /// How many items have an attribute with several open values.
  public var conflictCount: Int
  /// How many records the relay served that this device cannot take.
  public var quarantinedCount: Int
  /// When a cycle with the relay last ended well, in milliseconds since 1970-01-01 UTC.
  public var lastSync: Int64?
  /// How it stands.
  public var standing: Standing
  /// One sentence about what is wrong.
  public var problem: String?

  /// A vault.
  public init(
    name: String, vaultID: VaultID, relay: String, deviceName: String, fingerprint: String, role: AgentRole,
    itemCount: Int = 0, pendingCount: Int = 0, conflictCount: Int = 0, quarantinedCount: Int = 0,
    lastSync: Int64? = nil, standing: Standing = .fine, problem: String? = nil
  ) {
    self.name = name
    self.vaultID = vaultID
    self.relay = relay
    self.deviceName = deviceName
    self.fingerprint = fingerprint
    self.role = role
    self.itemCount = itemCount
    self.pendingCount = pendingCount
    self.conflictCount = conflictCount
    self.quarantinedCount = quarantinedCount
    self.lastSync = lastSync
    self.standing = standing
    self.problem = problem
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vaultName: String?
    var vaultID: VaultID?
    var relay: String?
    var deviceName: String?
    var fingerprint: String?
    var role: AgentRole?
    var counts: [String: Int] = [:]
    var lastSync: Int64?
    var standing: Standing?
    var problem: String?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "name": vaultName = try reader.text()
      case "id": vaultID = try reader.vaultID("id")
      case "relay": relay = try reader.text()
      case "device-name": deviceName = try reader.text()
      case "fingerprint": fingerprint = try reader.text()
      case "role": role = try reader.named("role", AgentRole.self)
      case "items", "pending", "conflicts", "quarantined": counts[name] = try reader.count()
      case "last-sync": lastSync = try reader.integer()
      case "standing": standing = try reader.named("standing", Standing.self)
      case "problem": problem = try reader.text()
      default: throw .unknownField(name)
      }
    }
    self.init(
      name: try vaultName.required("name"), vaultID: try vaultID.required("id"), relay: try relay.required("relay"),
      deviceName: try deviceName.required("device-name"), fingerprint: try fingerprint.required("fingerprint"),
      role: try role.required("role"), itemCount: try counts["items"].required("items"),
      pendingCount: try counts["pending"].required("pending"),
      conflictCount: try counts["conflicts"].required("conflicts"),
      quarantinedCount: try counts["quarantined"].required("quarantined"), lastSync: lastSync,
      standing: try standing.required("standing"), problem: problem)
  }

  func write(fields: inout FieldWriter) {
    fields.text("name", name)
    fields.bytes("id", vaultID.bytes)
    fields.text("relay", relay)
    fields.text("device-name", deviceName)
    fields.text("fingerprint", fingerprint)
    fields.text("role", role.rawValue)
    fields.count("items", itemCount)
    fields.count("pending", pendingCount)
    fields.count("conflicts", conflictCount)
    fields.count("quarantined", quarantinedCount)
    fields.integer("last-sync", lastSync)
    fields.text("standing", standing.rawValue)
    fields.text("problem", problem)
  }
}
