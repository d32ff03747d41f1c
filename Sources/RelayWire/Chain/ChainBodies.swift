internal import CBOR

/// [device, name, salt, [A, C, slot, set-hash commitments], [recovery, …]]
public struct GenesisBody: Sendable, Hashable {
  /// The first device, an admin.
  public let device: DevicePublicKeys
  /// Its name.
  public let name: ChainName
  /// The salt of every key commitment of this vault.
  public let salt: [UInt8]
  /// The commitments of epoch 1.
  public let commitments: EpochCommitments
  /// The commitment to the slot key.
  public let slotCommitment: [UInt8]
  /// The commitment to the set-hash key.
  public let setHashCommitment: [UInt8]
  /// The first recovery keys.
  public let recovery: [RecoveryPublicKeys]

  /// The body of a genesis entry.
  public init(
    device: DevicePublicKeys, name: ChainName, salt: [UInt8], commitments: EpochCommitments, slotCommitment: [UInt8],
    setHashCommitment: [UInt8], recovery: [RecoveryPublicKeys]
  ) {
    self.device = device
    self.name = name
    self.salt = salt
    self.commitments = commitments
    self.slotCommitment = slotCommitment
    self.setHashCommitment = setHashCommitment
    self.recovery = recovery
  }

  init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(5)
    device = try DevicePublicKeys(reading: &reader)
    name = try ChainName(reading: &reader)
    salt = try reader.byteString(ChainLimits.idBytes)
    try reader.array(4)
    commitments = EpochCommitments(
      a: try reader.byteString(ChainLimits.idBytes), c: try reader.byteString(ChainLimits.idBytes))
    slotCommitment = try reader.byteString(ChainLimits.idBytes)
    setHashCommitment = try reader.byteString(ChainLimits.idBytes)
    let count = try reader.array()
    guard count <= ChainLimits.recoveryKeys else { throw .outOfRange }
    var recovery: [RecoveryPublicKeys] = []
    for _ in 0..<count { recovery.append(try RecoveryPublicKeys(reading: &reader)) }
    self.recovery = recovery
  }

  var value: CBORValue {
    [
      device.value, name.value, .bytes(salt),
      [.bytes(commitments.a), .bytes(commitments.c), .bytes(slotCommitment), .bytes(setHashCommitment)],
      .array(recovery.map(\.value)),
    ]
  }
}

/// The commitments to the two account keys of an epoch.
public struct EpochCommitments: Sendable, Hashable {
  /// To the A key.
  public let a: [UInt8]
  /// To the C key.
  public let c: [UInt8]

  /// Two commitments.
  public init(a: [UInt8], c: [UInt8]) {
    self.a = a
    self.c = c
  }
}

/// [device, name, role, mailbox]
public struct AddDeviceBody: Sendable, Hashable {
  /// The joining device.
  public let device: DevicePublicKeys
  /// Its name.
  public let name: ChainName
  /// What it may do.
  public let role: DeviceRole
  /// The mailbox of its pairing; 32 zero bytes for a recovered device.
  public let mailbox: [UInt8]

  /// The body of an add-device entry.
  public init(device: DevicePublicKeys, name: ChainName, role: DeviceRole, mailbox: [UInt8]) {
    self.device = device
    self.name = name
    self.role = role
    self.mailbox = mailbox
  }

  init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(4)
    device = try DevicePublicKeys(reading: &reader)
    name = try ChainName(reading: &reader)
    role = try reader.role()
    mailbox = try reader.byteString(ChainLimits.idBytes)
  }

  var value: CBORValue { [device.value, name.value, .unsigned(role.rawValue), .bytes(mailbox)] }
}

/// [[device id, …], [recovery id, …], epoch, [A, C commitments], [recipient device id, …], [recipient recovery id, …], incarnation, sequence]
public struct RevokeBody: Sendable, Hashable {
  /// The devices removed, ascending; each with its successors through replace-device.
  public let devices: [[UInt8]]
  /// The recovery keys removed, ascending.
  public let recoveryKeys: [[UInt8]]
  /// The new epoch.
  public let epoch: UInt64
  /// The commitments to its keys.
  public let commitments: EpochCommitments
  /// The devices that get the new keys, ascending.
  public let recipients: [[UInt8]]
  /// The recovery keys that get them, ascending.
  public let recoveryRecipients: [[UInt8]]
  /// Where the author had pulled up to.
  public let position: FeedPosition

  /// The body of a revoke entry.
  public init(
    devices: [[UInt8]], recoveryKeys: [[UInt8]], epoch: UInt64, commitments: EpochCommitments, recipients: [[UInt8]],
    recoveryRecipients: [[UInt8]], position: FeedPosition
  ) {
    self.devices = devices
    self.recoveryKeys = recoveryKeys
    self.epoch = epoch
    self.commitments = commitments
    self.recipients = recipients
    self.recoveryRecipients = recoveryRecipients
    self.position = position
  }

  init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(8)
    devices = try reader.ids(atMost: ChainLimits.activeDevices)
    recoveryKeys = try reader.ids(atMost: ChainLimits.recoveryKeys)
    epoch = try reader.unsigned()
    try reader.array(2)
    commitments = EpochCommitments(
      a: try reader.byteString(ChainLimits.idBytes), c: try reader.byteString(ChainLimits.idBytes))
    recipients = try reader.ids(atMost: ChainLimits.activeDevices)
    recoveryRecipients = try reader.ids(atMost: ChainLimits.recoveryKeys)
    position = try FeedPosition(reading: &reader)
  }

  var value: CBORValue {
    [
      .array(devices.map(CBORValue.bytes)), .array(recoveryKeys.map(CBORValue.bytes)), .unsigned(epoch),
      [.bytes(commitments.a), .bytes(commitments.c)], .array(recipients.map(CBORValue.bytes)),
      .array(recoveryRecipients.map(CBORValue.bytes)), .bytes(position.incarnation), .unsigned(position.sequence),
    ]
  }
}

/// The sequence up to which the author of a `revoke` or `set-role` had pulled: the relay refuses the entry if its feed moved on.
public struct FeedPosition: Sendable, Hashable {
  /// The relay's incarnation, 16 bytes.
  public let incarnation: [UInt8]
  /// The greatest sequence pulled.
  public let sequence: UInt64

  /// A position.
  public init(incarnation: [UInt8], sequence: UInt64) {
    self.incarnation = incarnation
    self.sequence = sequence
  }

  init(reading reader: inout CBORReader) throws(CBORError) {
    incarnation = try reader.byteString(ChainLimits.incarnationBytes)
    sequence = try reader.unsigned()
  }
}

/// [device id, role, incarnation, sequence]
public struct SetRoleBody: Sendable, Hashable {
  /// Whose role changes.
  public let device: [UInt8]
  /// The new role.
  public let role: DeviceRole
  /// Where the author had pulled up to.
  public let position: FeedPosition

  /// The body of a set-role entry.
  public init(device: [UInt8], role: DeviceRole, position: FeedPosition) {
    self.device = device
    self.role = role
    self.position = position
  }

  init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(4)
    device = try reader.byteString(ChainLimits.idBytes)
    role = try reader.role()
    position = try FeedPosition(reading: &reader)
  }

  var value: CBORValue {
    [.bytes(device), .unsigned(role.rawValue), .bytes(position.incarnation), .unsigned(position.sequence)]
  }
}

/// [device, name]
public struct ReplaceDeviceBody: Sendable, Hashable {
  /// The new keys of the signing device.
  public let device: DevicePublicKeys
  /// Its name under the new id.
  public let name: ChainName

  /// The body of a replace-device entry.
  public init(device: DevicePublicKeys, name: ChainName) {
    self.device = device
    self.name = name
  }

  init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(2)
    device = try DevicePublicKeys(reading: &reader)
    name = try ChainName(reading: &reader)
  }
}
