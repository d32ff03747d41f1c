internal import CBOR
public import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
public import VaultModel
public import VaultStore

/// One vault on this device with the keys that are there: everything between a request and the store. Plaintext exists from
/// here upwards. Not Sendable: used under the agent's lock.
public final class OpenVault {
  /// The local store, shared by all vaults of the agent.
  public let store: VaultStore
  /// What the store knows of the vault.
  public internal(set) var row: VaultRow
  /// The verified chain.
  public internal(set) var chain: ChainState
  /// The device's class keys.
  public let classKeys: DeviceClassKeys
  /// Keyring C and the push signer; nil before the first unlock.
  public internal(set) var secretsC: VaultSecretsC?
  /// Keyring A and the chain-signing key; nil while locked.
  public internal(set) var secretsA: VaultSecretsA?
  /// The set hash and the listing digest over what the relay serves; `writeRow` stores them.
  var setHash: SetHash
  var listingDigest: ListingDigest
  /// The greatest sequence that the relay is known to have given, by pull or by push.
  var greatestServed: UInt64
  /// Whether a complete pull was made since the agent started; nothing is pushed before (design: a restored store pulls first).
  public internal(set) var pulledSinceStart = false
  /// The relay's count of published checkpoints, for the long poll.
  var checkpointCount: UInt64?
  /// What the relay was caught at without a fork: loss, or less than others have seen. The first finding stays.
  public private(set) var alarm: String?
  /// A digest that did not match made this pull start over; a second mismatch is reported.
  var isRepairing = false
  /// Counts how often everything was pulled from the start: answers to older requests are ignored.
  var generation: UInt64 = 0
  /// The other devices' checkpoints that disagreed and made this device pull everything again.
  var disagreements: [DeviceID: Disagreement] = [:]
  /// The sequence at which `set_hash_history` holds today's set hash.
  var hashedSequence: UInt64?

  /// Opens the vault of `row`: its chain is verified from the vault id.
  public init(store: VaultStore, row: VaultRow, classKeys: DeviceClassKeys) throws {
    self.store = store
    self.row = row
    self.classKeys = classKeys
    let entries = try store.chain(vault: row.id)
    do {
      chain = try ChainState(verifying: entries, vaultID: row.vaultID.bytes)
    } catch {
      throw VaultError.damaged("the device chain of vault \(row.name) in the local store does not verify")
    }
    do {
      setHash = try SetHash(bytes: row.setHash)
      listingDigest = try ListingDigest(bytes: row.listingDigest)
    } catch {
      throw VaultError.damaged("the set hash of vault \(row.name) in the local store is damaged")
    }
    greatestServed = max(row.cursor, try store.greatestServed(vault: row.id))
  }

  /// Writes the row with the set hash; part of the transaction that changed it.
  func writeRow() throws {
    row.setHash = setHash.bytes
    row.listingDigest = listingDigest.bytes
    try store.update(row)
  }

  /// Goes back to what is stored, after a transaction failed: memory must not be ahead of the disk.
  func reload() throws {
    guard let stored = try store.vaults().first(where: { $0.id == row.id }) else { return }
    let storedSetHash = try SetHash(bytes: stored.setHash)
    let storedDigest = try ListingDigest(bytes: stored.listingDigest)
    let storedServed = max(stored.cursor, try store.greatestServed(vault: row.id))
    // The counter alone stays: it must never be given twice, not even after a failed write.
    let counter = max(row.counter, stored.counter)
    row = stored
    row.counter = counter
    setHash = storedSetHash
    listingDigest = storedDigest
    greatestServed = storedServed
    hashedSequence = nil
  }

  /// One transaction over the vault's row and tables; on failure nothing of it stays, in memory or on disk.
  func changing<Result>(_ body: () throws -> Result) throws -> Result {
    let before = (row, setHash, listingDigest, greatestServed)
    do {
      return try store.transaction {
        let result = try body()
        try writeRow()
        return result
      }
    } catch {
      // Where even reading fails, what was in memory before is what is on disk.
      do { try reload() } catch {
        let counter = row.counter
        (row, setHash, listingDigest, greatestServed) = before
        row.counter = max(row.counter, counter)
        hashedSequence = nil
      }
      throw error
    }
  }

  /// Something that a person should know of this relay.
  func report(_ finding: String) { if alarm == nil { alarm = finding } }

  /// The person is told now: what was repaired is not said again, and what goes on is found again by the next pull.
  public func takeAlarm() -> String? {
    defer { alarm = nil }
    return alarm
  }

  /// The vault's own row id in the store.
  public var id: Int64 { row.id }

  /// Takes the keys in that are there after an unlock, those of newer epochs too if their keyrings came meanwhile.
  public func unlock() throws {
    if secretsC == nil, let classC = classKeys[.afterFirstUnlock] {
      var contents = try LocalBlob.open(row.secretsC, .vaultC, vault: row.vaultID, classKey: classC.key)
      defer { wipe(&contents) }
      secretsC = try VaultSecretsC(contents: contents, device: row.deviceID)
    }
    if secretsA == nil, let classA = classKeys[.whenUnlocked] {
      var contents = try LocalBlob.open(row.secretsA, .vaultA, vault: row.vaultID, classKey: classA.key)
      defer { wipe(&contents) }
      secretsA = try VaultSecretsA(contents: contents, device: row.deviceID)
    }
  }

  /// Lets go of what locking takes away.
  public func lock() { secretsA = nil }

  /// Whether class A is there.
  public var isUnlocked: Bool { secretsA != nil }

  /// The key that a record names; nil if it is not there.
  func sealingKey(_ id: SealingKeyID) -> SharedKey<SealingRole>? {
    switch id {
    case .device(let protection): classKeys[protection]
    case .vault(let epoch, .whenUnlocked): secretsA?.keyring.keys.key(epoch: epoch)
    case .vault(let epoch, _): secretsC?.keyring.keys.key(epoch: epoch)
    }
  }

  /// The key under which new records of a class are sealed: of the newest epoch whose keys are here. A rotation that was heard
  /// of before its keyrings came stops nobody from writing; what is sealed under an older epoch is sealed anew before it is pushed.
  func newestKeyID(_ scope: ItemScope, _ accessibility: Accessibility) -> SealingKeyID {
    switch scope {
    case .device: return .device(ProtectionClass(ofDeviceItem: accessibility))
    case .vault:
      let sealing = ProtectionClass(ofVaultItem: accessibility)
      let held = sealing == .whenUnlocked ? secretsA?.keyring.epoch : secretsC?.keyring.epoch
      return .vault(epoch: min(chain.epoch, held ?? chain.epoch), sealing)
    }
  }

  /// Who signs new records.
  var author: RecordAuthor? {
    secretsC.map { RecordAuthor(device: row.deviceID, head: chain.head, signer: $0.signer) }
  }

  /// Whether this device may write items of the vault.
  public var mayWrite: Bool { chain.isWriter(row.deviceID.bytes) }

  /// The slots that a primary key has: in the vault, and on this device under the index keys that are there.
  func slot(_ key: PrimaryKey, _ scope: ItemScope, _ accessibility: Accessibility) throws(VaultError) -> SlotID {
    switch scope {
    case .vault:
      guard let secretsC else { throw .locked }
      return Slot.derive(key, key: secretsC.keyring.slotKey.key)
    case .device:
      guard let indexKey = classKeys.indexKey(for: ProtectionClass(ofDeviceItem: accessibility)) else { throw .locked }
      return Slot.derive(key, indexKey: indexKey.key)
    }
  }

  /// Every slot where an item of this primary key can lie, as far as the keys that are there tell.
  public func slots(_ key: PrimaryKey) throws(VaultError) -> [(ItemScope, SlotID)] {
    guard let secretsC else { throw .locked }
    return [(.vault, Slot.derive(key, key: secretsC.keyring.slotKey.key))]
      + classKeys.availableIndexKeys.map { (.device, Slot.derive(key, indexKey: $0.key)) }
  }
}
