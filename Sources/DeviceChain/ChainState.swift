public import RelayWire

/// What a chain says, verified from genesis to `head`. There is no other way to make one than to verify entries, so whoever
/// holds a `ChainState` need not ask whether its devices, roles and commitments are true.
public struct ChainState: Sendable, Equatable {
  /// The hash of genesis.
  public let vaultID: [UInt8]
  /// The salt of the key commitments.
  public let salt: [UInt8]
  /// The commitment to the slot key.
  public let slotCommitment: [UInt8]
  /// The commitment to the set-hash key.
  public let setHashCommitment: [UInt8]
  /// The hash of the newest entry.
  public internal(set) var head: [UInt8]
  /// The number of the newest entry.
  public internal(set) var number: UInt64 = 0
  /// The greatest epoch that a `reseal-done` named; 0 if none did.
  public internal(set) var resealedEpoch: UInt64 = 0
  /// Every device that ever was, by id.
  public internal(set) var devices: [[UInt8]: ChainDevice] = [:]
  /// Every recovery key that ever was, by id.
  public internal(set) var recoveryKeys: [[UInt8]: ChainRecoveryKey] = [:]
  /// The number of every entry by its hash.
  var numbers: [[UInt8]: UInt64]
  /// Invariants: commitments of epoch e at index e − 1, at least one; the counts match `devices` and `recoveryKeys`.
  var epochs: [EpochCommitments]
  /// Who took over from whom through replace-device.
  var replacements: [[UInt8]: [UInt8]] = [:]
  var activeDeviceCount = 0
  var activeRecoveryKeyCount = 0

  init(vaultID: [UInt8], _ body: GenesisBody) {
    self.vaultID = vaultID
    self.head = vaultID
    self.numbers = [vaultID: 0]
    self.salt = body.salt
    self.slotCommitment = body.slotCommitment
    self.setHashCommitment = body.setHashCommitment
    self.epochs = [body.commitments]
  }

  /// Verifies a genesis entry against the vault id that came from elsewhere: a pairing code, a store, or, at a relay that
  /// registers a vault, `ChainHash.entry` itself.
  public init(genesis: [UInt8], vaultID: [UInt8]) throws(ChainError) {
    self = try ChainState.verifyingGenesis(try decodeEntry(genesis), vaultID: vaultID)
  }

  /// Verifies a whole chain, genesis first.
  public init(verifying entries: [[UInt8]], vaultID: [UInt8]) throws(ChainError) {
    guard let genesis = entries.first else { throw .misplacedGenesis }
    self = try ChainState(genesis: genesis, vaultID: vaultID)
    for entry in entries.dropFirst() { try apply(try decodeEntry(entry)) }
  }

  /// The state after `entry`, which is verified against this one.
  public func applying(_ entry: [UInt8]) throws(ChainError) -> ChainState {
    try applying(try decodeEntry(entry))
  }

  /// The state after `entry`, which is verified against this one.
  public func applying(_ entry: ChainEntry) throws(ChainError) -> ChainState {
    var next = self
    try next.apply(entry)
    return next
  }
}

func decodeEntry(_ bytes: [UInt8]) throws(ChainError) -> ChainEntry {
  do {
    return try ChainEntry(decoding: bytes)
  } catch {
    throw .malformed(error)
  }
}
