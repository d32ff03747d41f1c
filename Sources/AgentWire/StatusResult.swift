/// The answer to `status`.
public struct StatusResult: Equatable, Sendable, WireMap {
  /// How the device's keybag is guarded.
  public enum Protection: String, CaseIterable, Sendable {
    /// There is no keybag yet: no vault was ever made, joined or recovered here.
    case none
    /// A keybag without a passphrase.
    case open
    /// A keybag with a passphrase.
    case passphrase
  }

  /// What can be read now.
  public enum LockState: String, CaseIterable, Sendable {
    /// Nothing but items that are always readable: the agent was not unlocked since it started.
    case locked
    /// Locked again; items of the class "after first unlock" are readable.
    case afterFirstUnlock = "after-first-unlock"
    /// Everything.
    case unlocked
  }

  /// The agent's version.
  public var version: String
  /// The agent's process.
  public var processID: Int32
  /// The directory that holds everything.
  public var home: String
  /// How the keybag is guarded.
  public var protection: Protection
  /// What can be read now.
  public var lockState: LockState
  /// The vaults.
  public var vaults: [AgentVault]

  /// A report.
  public init(
    version: String, processID: Int32, home: String, protection: Protection, lockState: LockState,
    vaults: [AgentVault]
  ) {
    self.version = version
    self.processID = processID
    self.home = home
    self.protection = protection
    self.lockState = lockState
    self.vaults = vaults
  }

  init(reading reader: inout WireReader) throws(AgentWireError) {
    var version: String?
    var processID: Int32?
    var home: String?
    var protection: Protection?
    var lockState: LockState?
    var vaults: [AgentVault]?
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "version": version = try reader.text()
      case "pid":
        processID = Int32(exactly: try reader.integer())
        if processID == nil { throw .invalidField("pid") }
      case "home": home = try reader.text()
      case "protection": protection = try reader.named("protection", Protection.self)
      case "lock-state": lockState = try reader.named("lock-state", LockState.self)
      case "vaults": vaults = try reader.array { reader throws(AgentWireError) in try AgentVault(reading: &reader) }
      default: throw .unknownField(name)
      }
    }
    self.init(
      version: try version.required("version"), processID: try processID.required("pid"),
      home: try home.required("home"), protection: try protection.required("protection"),
      lockState: try lockState.required("lock-state"), vaults: try vaults.required("vaults"))
  }

  func write(fields: inout FieldWriter) {
    fields.text("version", version)
    fields.integer("pid", Int64(processID))
    fields.text("home", home)
    fields.text("protection", protection.rawValue)
    fields.text("lock-state", lockState.rawValue)
    fields.maps("vaults", vaults)
  }
}
