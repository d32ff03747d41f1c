public import CBOR

/// What a chain entry does: the eight types of Docs/Formats.md §4.
public enum ChainBody: Sendable, Hashable {
  /// The first entry: the vault's first device and the commitments of epoch 1.
  case genesis(GenesisBody)
  /// A device joins.
  case addDevice(AddDeviceBody)
  /// Devices and recovery keys are removed and the keys rotate; with nobody removed it is a rotation.
  case revoke(RevokeBody)
  /// A device gets another role.
  case setRole(SetRoleBody)
  /// The signing device asks to be removed.
  case leave
  /// The signing device goes on under new keys.
  case replaceDevice(ReplaceDeviceBody)
  /// A recovery key is installed.
  case setRecovery(RecoveryPublicKeys)
  /// Every record is sealed under this epoch or a newer one.
  case resealDone(epoch: UInt64)

  /// The number of the type in the format.
  public var type: UInt64 {
    switch self {
    case .genesis: 1
    case .addDevice: 2
    case .revoke: 3
    case .setRole: 4
    case .leave: 5
    case .replaceDevice: 6
    case .setRecovery: 7
    case .resealDone: 8
    }
  }

  init(type: UInt64, reading reader: inout CBORReader) throws(CBORError) {
    switch type {
    case 1: self = .genesis(try GenesisBody(reading: &reader))
    case 2: self = .addDevice(try AddDeviceBody(reading: &reader))
    case 3: self = .revoke(try RevokeBody(reading: &reader))
    case 4: self = .setRole(try SetRoleBody(reading: &reader))
    case 5:
      try reader.array(0)
      self = .leave
    case 6: self = .replaceDevice(try ReplaceDeviceBody(reading: &reader))
    case 7:
      try reader.array(1)
      self = .setRecovery(try RecoveryPublicKeys(reading: &reader))
    case 8:
      try reader.array(1)
      self = .resealDone(epoch: try reader.unsigned())
    default: throw .outOfRange
    }
  }

  /// The body's array, as it is signed and sent.
  public var value: CBORValue {
    switch self {
    case .genesis(let body): body.value
    case .addDevice(let body): body.value
    case .revoke(let body): body.value
    case .setRole(let body): body.value
    case .leave: []
    case .replaceDevice(let body): [body.device.value, body.name.value]
    case .setRecovery(let recovery): [recovery.value]
    case .resealDone(let epoch): [.unsigned(epoch)]
    }
  }
}

extension CBORReader {
  /// Reads an array of at most `limit` ids.
  mutating func ids(atMost limit: Int) throws(CBORError) -> [[UInt8]] {
    let count = try array()
    guard count <= limit else { throw .outOfRange }
    var ids: [[UInt8]] = []
    for _ in 0..<count { ids.append(try byteString(ChainLimits.idBytes)) }
    return ids
  }

  mutating func role() throws(CBORError) -> DeviceRole {
    guard let role = DeviceRole(rawValue: try unsigned()) else { throw .outOfRange }
    return role
  }
}
