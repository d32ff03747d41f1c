import DeviceChain
import Foundation
import Membership
import RelayWire
import SealedRecords
import Testing
import VaultCrypto
import VaultModel
import VaultStore
import VaultSync

@testable import VaultSync

/// One device over its own SQLite file. It can be dropped at any point and opened again from disk.
final class TestDevice: VaultAccess, @unchecked Sendable {
  // Unchecked: `open` is touched while `lock` is held, or by the test's own thread alone.
  let name: String
  let device: DeviceID
  let transport: TestTransport
  // Unowned: the world owns its devices.
  private unowned let world: World
  private let folder: Folder
  private let lock = NSLock()
  private var open: OpenVault
  private let classA = SharedKey<SealingRole>(.random())
  private let classC = SharedKey<SealingRole>(.random())
  private let classD = SharedKey<SealingRole>(.random())
  /// This device's clock against the world's, ms.
  var clockOffset: Int64 = 0

  /// Stores a vault as the agent does after it was made or joined.
  init(
    _ world: World, name: String, _ chain: ChainState, entries: [[UInt8]], keys: DeviceKeys, _ a: KeyringA,
    _ c: KeyringC, incarnation: [UInt8]
  ) throws {
    self.world = world
    self.name = name
    device = keys.device
    folder = try Folder()
    transport = TestTransport(world.relay)
    let store = try VaultStore(path: folder.path + "/lockstep.db")
    let row = VaultRow(
      vaultID: chain.vault, name: "personal", relay: "http://relay.example:7440", deviceID: keys.device,
      secretsA: try LocalBlob.seal(
        LocalSecrets.export(keys.a, a), .vaultA, vault: chain.vault, classKey: classA.key),
      secretsC: try LocalBlob.seal(
        LocalSecrets.export(keys.c, c), .vaultC, vault: chain.vault, classKey: classC.key),
      incarnation: incarnation, setHash: SetHash().bytes, listingDigest: ListingDigest().bytes)
    try store.transaction {
      let id = try store.insert(row)
      for (number, entry) in entries.enumerated() {
        try store.appendChain(entry, number: UInt64(number), vault: id)
      }
    }
    let classKeys = DeviceClassKeys(always: classD)
    let stored = try #require(try store.vaults().first)
    open = try OpenVault(store: store, row: stored, classKeys: classKeys)
    try unlock()
  }

  var path: String { folder.path + "/lockstep.db" }

  // MARK: - VaultAccess

  func withVault<Result: Sendable>(_ body: (OpenVault) throws -> Result) throws -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(open)
  }

  var clock: UInt64 { UInt64(Int64(world.clock.now) + clockOffset) }

  // MARK: - Life

  /// The vault, for a test that looks inside.
  var vault: OpenVault { open }

  /// The process dies and starts again: whatever was not on disk is gone. A device without a passphrase starts unlocked.
  func crash(locked: Bool = false) throws {
    lock.lock()
    let classKeys = DeviceClassKeys(always: classD)
    let store = try VaultStore(path: path)
    open = try OpenVault(store: store, row: try #require(try store.vaults().first), classKeys: classKeys)
    lock.unlock()
    if !locked { try unlock() }
  }

  func unlock() throws {
    let clock = clock
    try withVault { vault in
      vault.classKeys.set(classC, .afterFirstUnlock)
      vault.classKeys.set(classA, .whenUnlocked)
      try vault.unlock()
      try vault.mergeWaiting(clock: clock)
    }
  }

  func lockNow() throws {
    try withVault { vault in
      vault.classKeys.lock()
      vault.lock()
    }
  }

  var isUnlocked: Bool { open.isUnlocked }

  // MARK: - Sync

  var api: RelayAPI {
    get throws {
      let signer = try #require(open.secretsC).signer
      return RelayAPI(
        transport: transport, address: try #require(TestRelay.address), vault: open.row.vaultID.bytes,
        signer: DeviceRequestSigner(device: device, signer: signer))
    }
  }

  var engine: SyncEngine { get throws { SyncEngine(access: self, api: try api) } }

  /// One full cycle.
  func sync() throws { try engine.cycle() }

  /// Pulls and no more.
  func pull() throws { _ = try engine.wait(seconds: 0, ticket: transport.waitTicket) }

  // MARK: - Items

  private func key(_ account: String) -> PrimaryKey {
    PrimaryKey(itemClass: .genericPassword, attributes: Self.place(account))
  }

  private static func place(_ account: String) -> [AttributeName: AttributeValue] {
    [.account: .text(account), .service: .text("mail"), .accessGroup: .text("lockstep")]
  }

  @discardableResult
  func add(
    _ account: String, _ secret: String, label: String? = nil, _ accessible: Accessibility = .whenUnlocked,
    scope: ItemScope = .vault, replace: Bool = false
  ) throws -> ItemRow {
    var values = Self.place(account)
    values[.secret] = .bytes(Array(secret.utf8))
    values[.accessible] = .text(accessible.rawValue)
    if let label { values[.label] = .text(label) }
    world.clock.tick()
    let clock = clock
    return try withVault { try $0.add(.genericPassword, values, scope: scope, replace: replace, clock: clock) }
  }

  func edit(_ account: String, _ changes: [AttributeName: AttributeValue]) throws {
    world.clock.tick()
    let clock = clock
    try withVault { vault in
      guard let row = try row(account, vault), !row.isDeleted else { throw VaultError.notFound }
      try vault.edit(row, changes, clock: clock)
    }
  }

  func edit(_ account: String, secret: String) throws { try edit(account, [.secret: .bytes(Array(secret.utf8))]) }

  func remove(_ account: String) throws {
    world.clock.tick()
    let clock = clock
    try withVault { vault in
      guard let row = try row(account, vault), !row.isDeleted else { throw VaultError.notFound }
      try vault.remove(row, clock: clock)
    }
  }

  private func row(_ account: String, _ vault: OpenVault) throws -> ItemRow? {
    for (scope, slot) in try vault.slots(key(account)) {
      if let row = try vault.store.item(vault: vault.id, scope: scope, slot: slot) { return row }
    }
    return nil
  }

  func row(_ account: String) throws -> ItemRow? { try withVault { try row(account, $0) } }

  func slot(_ account: String) throws -> SlotID {
    try withVault { try $0.slot(key(account), .vault, .whenUnlocked) }
  }

  /// The item; nil if there is none or it is deleted. Throws `locked` as the agent answers it.
  func item(_ account: String) throws -> ItemState? {
    try withVault { vault in
      let slot = try vault.slot(key(account), .vault, .whenUnlocked)
      if try vault.store.hasWaiting(vault: vault.id, slot: slot) { throw VaultError.locked }
      guard let row = try row(account, vault), !row.isDeleted else { return nil }
      return try vault.open(row)
    }
  }

  func secret(_ account: String) throws -> String? {
    guard case .bytes(let bytes)? = try item(account)?.visible[.secret] else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All open values of the secret, sorted.
  func secrets(_ account: String) throws -> [String] {
    let writes = try item(account)?.registers[.secret]?.writes ?? []
    return writes.compactMap { write in
      if case .bytes(let bytes) = write.value { String(decoding: bytes, as: UTF8.self) } else { nil }
    }.sorted()
  }

  func label(_ account: String) throws -> String? {
    guard case .text(let text)? = try item(account)?.visible[.label] else { return nil }
    return text
  }

  var counts: (waiting: Int, quarantined: Int) {
    get throws { try withVault { try $0.store.inboxCounts(vault: $0.id) } }
  }

  var hasDirty: Bool { get throws { try withVault { try $0.store.hasDirty(vault: $0.id) } } }
}

extension TestDevice {
  /// One batch and its answers, without the pull that follows.
  func pushOnce() throws {
    let batch = try withVault { try $0.nextBatch() }
    let items = batch.records.map { PushItem(slot: $0.slot.bytes, base: $0.base, content: .record($0.bytes)) }
    let answers = try api.push(incarnation: batch.incarnation, items)
    let clock = clock
    _ = try withVault { try $0.apply(answers, to: batch, clock: clock) }
  }

  /// This device, an admin, adds some device that never does anything.
  func addSomebody() throws {
    let (a, c) = (try #require(vault.secretsA), try #require(vault.secretsC))
    let secret = PairingSecret.random(vault: vault.row.vaultID)
    let request = try PairingRequest(.random(), name: "somebody", secret)
    let entry = try ChainAuthor.addDevice(
      vault.chain, request, .writer, secret, c.keyring, by: a.device, time: clock)
    _ = try api.append(expectedHead: vault.chain.head, entry: entry.encoded, keyrings: [])
    try vault.extendChain([entry.encoded])
  }

  /// Pulls to the end, with fewer pages than the engine would take from an honest relay.
  func pull(atMost pages: Int) throws {
    try SyncEngine(access: self, api: try api, mostPages: pages).cycle()
  }
}
