import DeviceChain
import Membership
import RelayWire
import SQLiteKit
import SealedRecords
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

/// A vault, its devices and its relay, all real but for the network between them.
final class World: @unchecked Sendable {
  // Unchecked: changed by the test's own thread alone.
  let clock = TestClock()
  let relay: TestRelay
  private(set) var devices: [TestDevice] = []

  /// A vault with an admin device and as many more.
  init(devices count: Int = 2) throws {
    relay = try TestRelay(clock: clock)
    let keys = DeviceKeys.random()
    let a = KeyringA.fresh()
    let c = KeyringC.fresh()
    let genesis = try ChainAuthor.genesis(keys, name: "device 0", a, c, time: clock.now)
    let api = RelayAPI(
      transport: relay.transport, address: try #require(TestRelay.address), vault: genesis.state.vaultID,
      signer: DeviceRequestSigner(keys: keys.c))
    let incarnation = try api.createVault(invite: nil, genesis: genesis.encoded, keyrings: [])
    devices.append(
      try TestDevice(
        self, name: "device 0", genesis.state, entries: [genesis.encoded], keys: keys, a, c, incarnation: incarnation))
    for _ in 1..<max(count, 1) { try join() }
  }

  var admin: TestDevice { devices[0] }

  subscript(_ index: Int) -> TestDevice { devices[index] }

  /// Adds a device by pairing with the admin.
  @discardableResult
  func join(_ role: DeviceRole = .admin) throws -> TestDevice {
    let keys = DeviceKeys.random()
    let name = "device \(devices.count)"
    let vault = admin.vault
    let (a, c) = (try #require(vault.secretsA), try #require(vault.secretsC))
    let secret = PairingSecret.random(vault: vault.row.vaultID)
    let request = try PairingRequest(keys, name: name, secret)
    let entry = try ChainAuthor.addDevice(
      vault.chain, request, role, secret, c.keyring, by: a.device, time: clock.now)
    try append(entry, keyrings: [])
    let entries = try vault.store.chain(vault: vault.id)
    let device = try TestDevice(
      self, name: name, entry.state, entries: entries, keys: keys, a.keyring, c.keyring, incarnation: [])
    try device.vault.takeKeyrings(try vault.store.keyrings(vault: vault.id).map(\.bytes), clock: clock.now)
    devices.append(device)
    return device
  }

  /// The admin appends an entry at the relay and here.
  private func append(_ entry: AuthoredEntry, keyrings: [SealedKeyring]) throws {
    let vault = admin.vault
    _ = try admin.api.append(
      expectedHead: vault.chain.head, entry: entry.encoded, keyrings: keyrings.map(\.encoded))
    try vault.extendChain([entry.encoded])
    try vault.takeKeyrings(keyrings.map(\.encoded), clock: clock.now)
  }

  /// The admin revokes devices and so rotates the keys; with none, it only rotates.
  func revoke(_ revoked: TestDevice...) throws {
    try admin.sync()
    let vault = admin.vault
    let (a, c) = (try #require(vault.secretsA), try #require(vault.secretsC))
    let (newA, newC) = (a.keyring.rotated(), c.keyring.rotated())
    let position = FeedPosition(incarnation: vault.row.incarnation, sequence: vault.row.cursor)
    let entry = try ChainAuthor.revoke(
      vault.chain, devices: revoked.map(\.device), newA, newC, position, by: .device(a.device), time: clock.now)
    try append(entry, keyrings: try Keyring.sealAll(newA, newC, entry.state))
  }

  func setRole(_ device: TestDevice, _ role: DeviceRole) throws {
    try admin.sync()
    let vault = admin.vault
    let position = FeedPosition(incarnation: vault.row.incarnation, sequence: vault.row.cursor)
    let entry = try ChainAuthor.setRole(
      vault.chain, of: device.device, to: role, position, by: try #require(vault.secretsA).device, time: clock.now)
    try append(entry, keyrings: [])
  }

  /// Syncs all devices until none has anything new.
  func settle(_ some: [TestDevice]? = nil) throws {
    for _ in 0..<3 {
      for device in some ?? devices { try device.sync() }
    }
  }

  /// Every device holds the same bytes for every slot, nothing waits anywhere, and nobody was alarmed.
  func expectSettled(
    _ some: [TestDevice]? = nil, startedOver: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let some = some ?? devices
    let first = try some[0].records()
    for device in some {
      #expect(try device.records() == first, "\(device.name) holds other records", sourceLocation: sourceLocation)
      #expect(try !device.hasDirty, "\(device.name) has unpushed writes", sourceLocation: sourceLocation)
      let hasUnstored = try device.withVault { try $0.store.hasUnstored(vault: $0.id) }
      #expect(!hasUnstored, "\(device.name) has writes that nobody acknowledged", sourceLocation: sourceLocation)
      let counts = try device.counts
      #expect(counts.waiting + counts.quarantined == 0, "\(device.name) has an inbox", sourceLocation: sourceLocation)
    }
    expectCalm(some, startedOver: startedOver, sourceLocation: sourceLocation)
  }

  /// Nobody was alarmed; and where no test made it so, nobody pulled everything again.
  func expectCalm(
    _ some: [TestDevice]? = nil, startedOver: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for device in some ?? devices {
      #expect(device.vault.alarm == nil, "\(device.name)", sourceLocation: sourceLocation)
      #expect(device.vault.row.state == .active, "\(device.name)", sourceLocation: sourceLocation)
      #expect(startedOver || device.vault.generation == 0, "\(device.name)", sourceLocation: sourceLocation)
    }
  }
}

extension TestDevice {
  /// The sealed records of the vault's items by slot, tombstones too.
  func records() throws -> [[UInt8]: [UInt8]] {
    let connection = try Connection(path: path)
    let rows = try connection.rows("SELECT slot, record FROM item WHERE scope = 0") { row throws(SQLiteError) in
      (try row.blob(0), try row.blob(1))
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }
}
