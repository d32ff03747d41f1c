/// How a request ended: a Keychain OSStatus where an item is concerned, and for the rest a number of Lockstep's own range,
/// −72000 … −72099, that the Keychain does not use (Docs/AgentProtocol.md, "Statuses").
public struct AgentStatus: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int32

  /// The status with this number; unknown numbers are statuses too, so that a newer agent's are passed on.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }
}

/// The Keychain's.
extension AgentStatus {
  /// Done.
  public static let success = AgentStatus(rawValue: 0)
  /// Not offered here.
  public static let unimplemented = AgentStatus(rawValue: -4)
  /// The disk is full.
  public static let diskFull = AgentStatus(rawValue: -34)
  /// Reading or writing failed.
  public static let inputOutput = AgentStatus(rawValue: -36)
  /// A malformed request, or a value outside its limits.
  public static let invalidParameter = AgentStatus(rawValue: -50)
  /// The person said no.
  public static let userCanceled = AgentStatus(rawValue: -128)
  /// Not possible in this state.
  public static let badRequest = AgentStatus(rawValue: -909)
  /// The store is unreadable or a class key is missing.
  public static let notAvailable = AgentStatus(rawValue: -25291)
  /// The store cannot be written.
  public static let readOnly = AgentStatus(rawValue: -25292)
  /// The passphrase is wrong, or an item asks for one where none is set.
  public static let authenticationFailed = AgentStatus(rawValue: -25293)
  /// Such an item exists.
  public static let duplicateItem = AgentStatus(rawValue: -25299)
  /// No such item.
  public static let itemNotFound = AgentStatus(rawValue: -25300)
  /// The attribute does not belong to the class, or may not be changed.
  public static let noSuchAttribute = AgentStatus(rawValue: -25303)
  /// No such class of items.
  public static let noSuchClass = AgentStatus(rawValue: -25306)
  /// Locked.
  public static let interactionNotAllowed = AgentStatus(rawValue: -25308)
  /// An item cannot be decoded.
  public static let decode = AgentStatus(rawValue: -26275)
  /// The agent contradicts itself.
  public static let internalError = AgentStatus(rawValue: -26276)
  /// The caller may not use this access group.
  public static let missingEntitlement = AgentStatus(rawValue: -34018)
}

/// Lockstep's own.
extension AgentStatus {
  /// Failed for a reason that only the message names.
  public static let failed = AgentStatus(rawValue: -72001)
  /// The request leaves open what is meant, for instance which of several vaults.
  public static let ambiguous = AgentStatus(rawValue: -72002)
  /// The agent speaks another version of this protocol.
  public static let protocolMismatch = AgentStatus(rawValue: -72003)
  /// No vault of that name on this device, or none at all.
  public static let vaultNotFound = AgentStatus(rawValue: -72010)
  /// A vault of that name is on this device already.
  public static let vaultExists = AgentStatus(rawValue: -72011)
  /// The device has no keybag yet, and the request brought no passphrase for one (an empty one would do).
  public static let passphraseNeeded = AgentStatus(rawValue: -72012)
  /// The pairing code is mistyped, used or out of date.
  public static let pairingCodeInvalid = AgentStatus(rawValue: -72013)
  /// The other device refused.
  public static let pairingRefused = AgentStatus(rawValue: -72014)
  /// The recovery key is mistyped, or no vault at the relay has it.
  public static let recoveryKeyInvalid = AgentStatus(rawValue: -72015)
  /// The device's role does not allow it.
  public static let roleTooLow = AgentStatus(rawValue: -72016)
  /// The relay answered no: the invitation is missing or used, or a quota is reached.
  public static let relayRefused = AgentStatus(rawValue: -72017)
  /// The home directory or the database cannot be used.
  public static let storeUnusable = AgentStatus(rawValue: -72018)
  /// The relay does not answer.
  public static let relayUnreachable = AgentStatus(rawValue: -72069)
  /// The relay was caught misbehaving.
  public static let relayMisbehaved = AgentStatus(rawValue: -72070)
  /// This device was revoked.
  public static let deviceRevoked = AgentStatus(rawValue: -72077)
}
