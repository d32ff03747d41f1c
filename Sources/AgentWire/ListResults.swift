/// The answer to `sync` and `vault-list`: the vaults concerned, as they stand now.
public struct VaultsResult: Equatable, Sendable, WireMap {
  /// The vaults.
  public var vaults: [AgentVault]

  /// Some vaults.
  public init(vaults: [AgentVault]) {
    self.vaults = vaults
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var vaults: [AgentVault]?
    try reader.map { name, reader throws(AgentWireError) in
      guard name == "vaults" else { throw .unknownField(name) }
      vaults = try reader.array { reader throws(AgentWireError) in try AgentVault(reading: &reader) }
    }
    self.vaults = try vaults.required("vaults")
  }

  func write(fields: inout FieldWriter) {
    fields.maps("vaults", vaults)
  }
}

/// The answer to `conflicts`.
public struct ConflictsResult: Equatable, Sendable, WireMap {
  /// The attributes in conflict.
  public var conflicts: [AgentConflict]
  /// How many items have a conflict but cannot be read now.
  public var lockedCount: Int

  /// Some conflicts.
  public init(conflicts: [AgentConflict], lockedCount: Int = 0) {
    self.conflicts = conflicts
    self.lockedCount = lockedCount
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var conflicts: [AgentConflict]?
    var lockedCount = 0
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "conflicts":
        conflicts = try reader.array { reader throws(AgentWireError) in try AgentConflict(reading: &reader) }
      case "locked": lockedCount = try reader.count()
      default: throw .unknownField(name)
      }
    }
    self.init(conflicts: try conflicts.required("conflicts"), lockedCount: lockedCount)
  }

  func write(fields: inout FieldWriter) {
    fields.maps("conflicts", conflicts)
    if lockedCount > 0 { fields.count("locked", lockedCount) }
  }
}
