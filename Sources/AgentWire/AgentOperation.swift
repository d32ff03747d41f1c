/// What an agent can be asked, by its name on the wire.
public enum AgentOperation: String, CaseIterable, Sendable {
  /// State of the agent and its vaults.
  case status
  /// A new vault.
  case initialize
  /// Opens the keybag.
  case unlock
  /// Closes it.
  case lock
  /// Sets, changes or removes the passphrase.
  case changePassphrase = "change-passphrase"
  /// Adds an item.
  case add
  /// Finds items.
  case find
  /// Changes items.
  case update
  /// Deletes items.
  case remove
  /// One full cycle with the relay.
  case sync
  /// The devices of a vault.
  case deviceList = "device-list"
  /// Begins an invitation on this connection.
  case inviteBegin = "invite-begin"
  /// Waits until a device asks.
  case inviteWait = "invite-wait"
  /// Approves or refuses the device that asked.
  case inviteDecide = "invite-decide"
  /// Ends the invitation.
  case inviteCancel = "invite-cancel"
  /// Joins a vault with a pairing code.
  case join
  /// Joins a vault with its recovery key.
  case recover
  /// Attributes with several open values.
  case conflicts
  /// The vaults on this device.
  case vaultList = "vault-list"
}
