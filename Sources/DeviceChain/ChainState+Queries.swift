public import RelayWire

extension ChainState {
  /// The newest epoch.
  public var epoch: UInt64 { UInt64(epochs.count) }

  /// How many entries the chain has.
  public var length: UInt64 { number + 1 }

  /// The number of the entry with this hash; nil if this chain has none, so that a head named by somebody else is either
  /// newer than this state or foreign.
  public func number(ofHead hash: [UInt8]) -> UInt64? { numbers[hash] }

  /// The commitments to the account keys of an epoch; nil if there is no such epoch.
  public func commitments(epoch: UInt64) -> EpochCommitments? {
    guard epoch >= 1, epoch <= self.epoch else { return nil }
    return epochs[Int(epoch - 1)]
  }

  /// The device of this id, whatever became of it.
  public func device(_ id: [UInt8]) -> ChainDevice? { devices[id] }

  /// The member of this id; nil if it is unknown, revoked or replaced.
  public func activeDevice(_ id: [UInt8]) -> ChainDevice? {
    guard let device = devices[id], device.isActive else { return nil }
    return device
  }

  /// The members, by ascending id.
  public var activeDevices: [ChainDevice] {
    devices.values.filter(\.isActive).sorted { $0.id.lexicographicallyPrecedes($1.id) }
  }

  /// The recovery keys that count, by ascending id.
  public var activeRecoveryKeys: [ChainRecoveryKey] {
    recoveryKeys.values.filter(\.isActive).sorted { $0.id.lexicographicallyPrecedes($1.id) }
  }

  /// Whether the chain says that this device was revoked; false for a replaced or unknown one.
  public func isRevoked(_ id: [UInt8]) -> Bool { devices[id]?.isRevoked ?? false }

  /// Whether records of this author count: an active writer or admin.
  public func isWriter(_ id: [UInt8]) -> Bool { activeDevice(id)?.role.mayWrite ?? false }

  /// Whether this device is an active admin.
  public func isAdmin(_ id: [UInt8]) -> Bool { activeDevice(id)?.role == .admin }

  /// The push-signing public key of any device that the chain knows, active or not: to know who wrote something is not to
  /// accept it, for which see `isWriter`.
  public func pushSigningKey(of id: [UInt8]) -> [UInt8]? { devices[id]?.keys.pushSigning }

  /// The active recovery key with this locator.
  public func recoveryKey(locator: [UInt8]) -> ChainRecoveryKey? {
    recoveryKeys.values.first { $0.isActive && $0.keys.locator == locator }
  }

  /// The active recovery key of this id.
  public func activeRecoveryKey(_ id: [UInt8]) -> ChainRecoveryKey? {
    guard let key = recoveryKeys[id], key.isActive else { return nil }
    return key
  }

  /// The ids under which a device went on through replace-device, oldest first; a revocation does not hide them.
  public func successors(of id: [UInt8]) -> [[UInt8]] {
    // A device is replaced once and an id is added once, so this is a list and cannot loop.
    var successors: [[UInt8]] = []
    var current = id
    while let next = replacements[current] {
      successors.append(next)
      current = next
    }
    return successors
  }
}
