public import RelayWire

/// A device that a verified chain knows.
public struct ChainDevice: Sendable, Hashable {
  /// What became of a device.
  public enum Standing: Sendable, Hashable {
    /// It is a member.
    case active
    /// It goes on under the id `by`.
    case replaced(by: [UInt8])
    /// It, or one that it succeeded, was removed by the entry of this number.
    case revoked(entry: UInt64)
  }

  /// Who brought a device in.
  public enum Origin: Sendable, Hashable {
    /// It made the vault.
    case genesis
    /// The admin of this id added it.
    case device([UInt8])
    /// The recovery key of this id added it.
    case recoveryKey([UInt8])
    /// It replaced the device of this id.
    case replaced([UInt8])
  }

  /// Its id.
  public let id: [UInt8]
  /// Its four public keys.
  public let keys: DevicePublicKeys
  /// Its name.
  public let name: ChainName
  /// Who brought it in.
  public let addedBy: Origin
  /// The number of the entry that did.
  public let entryNumber: UInt64
  /// The time of that entry, by its author's clock.
  public let time: UInt64
  /// What it may do while it is active.
  public internal(set) var role: DeviceRole
  /// What became of it.
  public internal(set) var standing: Standing = .active
  /// It asked to be removed; it keeps its standing until an admin does so.
  public internal(set) var hasLeft = false

  /// Whether it is a member.
  public var isActive: Bool { standing == .active }
  /// Whether it was revoked.
  public var isRevoked: Bool {
    if case .revoked = standing { return true }
    return false
  }
}

/// A recovery key that a verified chain knows.
public struct ChainRecoveryKey: Sendable, Hashable {
  /// Its id.
  public let id: [UInt8]
  /// Its public half.
  public let keys: RecoveryPublicKeys
  /// The number of the entry that installed it.
  public let entryNumber: UInt64
  /// The time of that entry, by its author's clock.
  public let time: UInt64
  /// The number of the entry that removed it.
  public internal(set) var removedBy: UInt64?

  /// Whether it still counts.
  public var isActive: Bool { removedBy == nil }
}
