public import SQLiteKit
public import VaultModel

/// A vault as it is known on this device.
public struct VaultRow: Sendable {
  /// Whether the vault syncs.
  public enum State: String, Sendable {
    /// It does.
    case active
    /// The verified chain says that this device was revoked; local data stay.
    case revoked
    /// The relay was caught showing different states; sync stops until a person decides.
    case forked
  }

  /// The row id.
  public let id: Int64
  /// Hash of genesis.
  public let vaultID: VaultID
  /// Its name on this machine.
  public var name: String
  /// The relay's address.
  public var relay: String
  /// This device in this vault.
  public var deviceID: DeviceID
  /// Local blob "vault A".
  public var secretsA: [UInt8]
  /// Local blob "vault C".
  public var secretsC: [UInt8]
  /// The relay's incarnation, 16 bytes; empty before the first answer.
  public var incarnation: [UInt8]
  /// Everything up to this sequence was received.
  public var cursor: UInt64
  /// The sequence of the last complete pull; nil before the first.
  public var complete: UInt64?
  /// The last own counter that was taken.
  public var counter: UInt64
  /// The own counter in the last clean checkpoint.
  public var cleanCounter: UInt64
  /// The number of the last checkpoint, stored before it is published.
  public var checkpointNumber: UInt64
  /// The sequence at which the checkpoint of that number was made.
  public var checkpointMade: UInt64?
  /// The sequence of the last published checkpoint.
  public var checkpointSequence: UInt64?
  /// The number of the chain entry that it named.
  public var checkpointChain: UInt64?
  /// The lanes of the set hash.
  public var setHash: [UInt8]
  /// The listing digest over what is served.
  public var listingDigest: [UInt8]
  /// Whether it syncs.
  public var state: State
  /// Why it does not.
  public var evidence: String
  /// When the last full cycle succeeded, ms; 0 never.
  public var lastSuccess: UInt64

  /// A vault that was just created or joined; `id` is given by `insert`.
  public init(
    vaultID: VaultID, name: String, relay: String, deviceID: DeviceID, secretsA: [UInt8], secretsC: [UInt8],
    incarnation: [UInt8], setHash: [UInt8], listingDigest: [UInt8]
  ) {
    self.id = 0
    self.vaultID = vaultID
    self.name = name
    self.relay = relay
    self.deviceID = deviceID
    self.secretsA = secretsA
    self.secretsC = secretsC
    self.incarnation = incarnation
    self.cursor = 0
    self.complete = nil
    self.counter = 0
    self.cleanCounter = 0
    self.checkpointNumber = 0
    self.checkpointMade = nil
    self.checkpointSequence = nil
    self.checkpointChain = nil
    self.setHash = setHash
    self.listingDigest = listingDigest
    self.state = .active
    self.evidence = ""
    self.lastSuccess = 0
  }

  init(_ row: Statement) throws(SQLiteError) {
    guard let vaultID = VaultID(try row.blob(1)), let deviceID = DeviceID(try row.blob(4)),
      let state = State(rawValue: try row.text(16))
    else { throw .unexpected("a vault's row") }
    id = try row.integer(0)
    self.vaultID = vaultID
    name = try row.text(2)
    relay = try row.text(3)
    self.deviceID = deviceID
    secretsA = try row.blob(5)
    secretsC = try row.blob(6)
    incarnation = try row.blob(7)
    cursor = try row.unsigned(8)
    complete = UInt64(exactly: try row.integer(9))
    counter = try row.unsigned(10)
    cleanCounter = try row.unsigned(11)
    checkpointNumber = try row.unsigned(12)
    checkpointSequence = UInt64(exactly: try row.integer(13))
    setHash = try row.blob(14)
    listingDigest = try row.blob(15)
    self.state = state
    evidence = try row.text(17)
    lastSuccess = try row.unsigned(18)
    checkpointMade = UInt64(exactly: try row.integer(19))
    checkpointChain = UInt64(exactly: try row.integer(20))
  }
}

extension VaultStore {
  private static let vaultColumns = """
    id, vault_id, name, relay, device_id, secrets_a, secrets_c, incarnation, cursor, complete, counter, clean_counter, \
    checkpoint_number, checkpoint_sequence, set_hash, listing_digest, state, evidence, last_success, checkpoint_made, checkpoint_chain
    """

  /// All vaults, the first one first.
  public func vaults() throws(SQLiteError) -> [VaultRow] {
    try connection.rows("SELECT \(Self.vaultColumns) FROM vault ORDER BY id") { row throws(SQLiteError) in
      try VaultRow(row)
    }
  }

  /// Adds a vault; answers its row id.
  public func insert(_ vault: VaultRow) throws(SQLiteError) -> Int64 {
    try connection.run(
      """
      INSERT INTO vault (vault_id, name, relay, device_id, secrets_a, secrets_c, incarnation, set_hash, listing_digest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .blob(vault.vaultID.bytes), .text(vault.name), .text(vault.relay), .blob(vault.deviceID.bytes),
        .blob(vault.secretsA), .blob(vault.secretsC), .blob(vault.incarnation), .blob(vault.setHash),
        .blob(vault.listingDigest),
      ])
    return connection.lastInsertedRowID
  }

  /// Writes all that changes of a vault. Its ids never do.
  public func update(_ vault: VaultRow) throws(SQLiteError) {
    try connection.run(
      """
      UPDATE vault SET name = ?2, relay = ?3, secrets_a = ?4, secrets_c = ?5, incarnation = ?6, cursor = ?7, complete = ?8,
        counter = ?9, clean_counter = ?10, checkpoint_number = ?11, checkpoint_sequence = ?12, set_hash = ?13,
        listing_digest = ?14, state = ?15, evidence = ?16, last_success = ?17, checkpoint_made = ?18,
        checkpoint_chain = ?19 WHERE id = ?1
      """,
      [
        .integer(vault.id), .text(vault.name), .text(vault.relay), .blob(vault.secretsA), .blob(vault.secretsC),
        .blob(vault.incarnation), .unsigned(vault.cursor), vault.complete.map { .unsigned($0) } ?? .integer(-1),
        .unsigned(vault.counter), .unsigned(vault.cleanCounter), .unsigned(vault.checkpointNumber),
        vault.checkpointSequence.map { .unsigned($0) } ?? .integer(-1), .blob(vault.setHash),
        .blob(vault.listingDigest), .text(vault.state.rawValue), .text(vault.evidence), .unsigned(vault.lastSuccess),
        vault.checkpointMade.map { .unsigned($0) } ?? .integer(-1),
        vault.checkpointChain.map { .unsigned($0) } ?? .integer(-1),
      ])
  }

  /// Writes the own counter alone: what a local write changes of its vault.
  public func setCounter(_ counter: UInt64, vault: Int64) throws(SQLiteError) {
    try connection.run("UPDATE vault SET counter = ? WHERE id = ?", [.unsigned(counter), .integer(vault)])
  }

  /// Notes when the last full cycle succeeded.
  public func setLastSuccess(_ time: UInt64, vault: Int64) throws(SQLiteError) {
    try connection.run("UPDATE vault SET last_success = ? WHERE id = ?", [.unsigned(time), .integer(vault)])
  }
}

extension SQLiteError {
  static func unexpected(_ what: String) -> SQLiteError { SQLiteError(.corrupt, "\(what) in the store is damaged") }
}
