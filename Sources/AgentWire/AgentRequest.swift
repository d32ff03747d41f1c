import CBOR

/// A request: `[version, operation, arguments]`.
public enum AgentRequest: Equatable, Sendable {
  /// State of the agent and its vaults.
  case status
  /// A new vault.
  case initialize(InitializeArguments)
  /// Opens the keybag.
  case unlock(UnlockArguments)
  /// Closes it.
  case lock
  /// Sets, changes or removes the passphrase.
  case changePassphrase(ChangePassphraseArguments)
  /// Adds an item.
  case add(AddArguments)
  /// Finds items.
  case find(FindArguments)
  /// Changes items.
  case update(UpdateArguments)
  /// Deletes items.
  case remove(RemoveArguments)
  /// One full cycle with the relay; without a vault, of every vault.
  case sync(VaultArguments)
  /// The devices of a vault.
  case deviceList(VaultArguments)
  /// Begins an invitation, which lives as long as this connection.
  case inviteBegin(InviteArguments)
  /// Waits until a device asks.
  case inviteWait
  /// Approves or refuses the device that asked.
  case inviteDecide(DecideArguments)
  /// Ends the invitation.
  case inviteCancel
  /// Joins a vault with a pairing code.
  case join(JoinArguments)
  /// Joins a vault with its recovery key.
  case recover(RecoverArguments)
  /// Attributes with several open values; without a vault, of every vault.
  case conflicts(ConflictsArguments)
  /// The vaults on this device.
  case vaultList

  /// What is asked for.
  public var operation: AgentOperation {
    switch self {
    case .status: .status
    case .initialize: .initialize
    case .unlock: .unlock
    case .lock: .lock
    case .changePassphrase: .changePassphrase
    case .add: .add
    case .find: .find
    case .update: .update
    case .remove: .remove
    case .sync: .sync
    case .deviceList: .deviceList
    case .inviteBegin: .inviteBegin
    case .inviteWait: .inviteWait
    case .inviteDecide: .inviteDecide
    case .inviteCancel: .inviteCancel
    case .join: .join
    case .recover: .recover
    case .conflicts: .conflicts
    case .vaultList: .vaultList
    }
  }

  private var arguments: any WireMap {
    switch self {
    case .initialize(let arguments): arguments
    case .unlock(let arguments): arguments
    case .changePassphrase(let arguments): arguments
    case .add(let arguments): arguments
    case .find(let arguments): arguments
    case .update(let arguments): arguments
    case .remove(let arguments): arguments
    case .sync(let arguments), .deviceList(let arguments): arguments
    case .conflicts(let arguments): arguments
    case .inviteBegin(let arguments): arguments
    case .inviteDecide(let arguments): arguments
    case .join(let arguments): arguments
    case .recover(let arguments): arguments
    case .status, .lock, .inviteWait, .inviteCancel, .vaultList: NoFields()
    }
  }

  /// The message's bytes.
  public var encoded: [UInt8] {
    var writer = CBORWriter(capacity: 256)
    writer.array(3)
    writer.unsigned(AgentProtocol.version)
    writer.text(operation.rawValue)
    arguments.write(to: &writer)
    return writer.bytes
  }

  /// The request that `message` is.
  public init(decoding message: [UInt8]) throws(AgentWireError) {
    var reader = WireReader(message)
    try reader.arrayHead(3)
    try reader.version()
    let name = try reader.text(limit: 64)
    guard let operation = AgentOperation(rawValue: name) else { throw .unknownOperation(name) }
    self = try Self.read(operation, &reader)
    try reader.end()
  }

  private static func read(
    _ operation: AgentOperation, _ reader: inout WireReader
  ) throws(AgentWireError) -> AgentRequest {
    switch operation {
    case .initialize: return .initialize(try InitializeArguments(reading: &reader))
    case .unlock: return .unlock(try UnlockArguments(reading: &reader))
    case .changePassphrase: return .changePassphrase(try ChangePassphraseArguments(reading: &reader))
    case .add: return .add(try AddArguments(reading: &reader))
    case .find: return .find(try FindArguments(reading: &reader))
    case .update: return .update(try UpdateArguments(reading: &reader))
    case .remove: return .remove(try RemoveArguments(reading: &reader))
    case .sync: return .sync(try VaultArguments(reading: &reader))
    case .deviceList: return .deviceList(try VaultArguments(reading: &reader))
    case .inviteBegin: return .inviteBegin(try InviteArguments(reading: &reader))
    case .inviteDecide: return .inviteDecide(try DecideArguments(reading: &reader))
    case .join: return .join(try JoinArguments(reading: &reader))
    case .recover: return .recover(try RecoverArguments(reading: &reader))
    case .conflicts: return .conflicts(try ConflictsArguments(reading: &reader))
    case .status, .lock, .inviteWait, .inviteCancel, .vaultList:
      _ = try NoFields(reading: &reader)
      switch operation {
      case .lock: return .lock
      case .inviteWait: return .inviteWait
      case .inviteCancel: return .inviteCancel
      case .vaultList: return .vaultList
      default: return .status
      }
    }
  }
}
