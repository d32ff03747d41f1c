import DeviceChain
import RelayCore
import RelayWire
import Testing
import VaultCrypto

@Suite struct ChainEndpointTests {
  @Test("Entries are appended under the head that was expected, and the same entry again gets its number")
  func append() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, _) = try relay.register(vault)
    let device = Device()
    let entry = vault.addition(device, .writer)
    let keyring = try { () throws -> [UInt8] in
      var next = vault
      try next.apply(entry)
      return next.keyring(device.id)
    }()
    expect(.chainMoved) { _ = try api.append(expectedHead: Randomness.bytes(32), entry: entry, keyrings: []) }
    let head = vault.state.head
    #expect(try api.append(expectedHead: head, entry: entry, keyrings: [keyring]) == 1)
    #expect(try api.append(expectedHead: head, entry: entry, keyrings: [keyring]) == 1)
    #expect(try api.keyrings().keyrings == [keyring])
    expect(.chainMoved) {
      _ = try api.append(expectedHead: head, entry: vault.addition(Device(), .reader), keyrings: [])
    }
    try vault.apply(entry)
    let page = try relay.api(vault.id, device).chain(from: 0)
    #expect(page == ChainPage(entries: [vault.genesis, entry], chainLength: 2))
    #expect(try api.chain(from: 1).entries == [entry])
    #expect(try api.chain(from: 7).entries.isEmpty)
  }

  @Test("An entry that breaks a rule of the chain is refused, and one that needs an admin says so")
  func invalidEntries() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, _) = try relay.register(vault)
    let writer = Device()
    let writerAPI = try relay.join(writer, .writer, to: &vault)
    expect(.role) {
      _ = try writerAPI.append(
        expectedHead: vault.state.head, entry: vault.addition(Device(), .admin, by: writer), keyrings: [])
    }
    expect(.malformed) {
      _ = try api.append(expectedHead: vault.state.head, entry: vault.addition(writer, .reader), keyrings: [])
    }
    expect(.malformed) { _ = try api.append(expectedHead: vault.state.head, entry: [0x80], keyrings: []) }
    let entry = vault.addition(Device(), .reader)
    expect(.malformed) {
      _ = try api.append(
        expectedHead: vault.state.head, entry: entry, keyrings: [vault.keyring(Randomness.bytes(32))])
    }
    #expect(try api.chain(from: 0).chainLength == 2)
  }

  @Test("A device that a recovery key adds signs its own admission; a stranger does not")
  func recoveredDevice() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    _ = try relay.register(vault)
    let (device, stranger) = (Device(), Device())
    let entry = vault.recovered(device)
    expect(.notADevice) {
      _ = try relay.api(vault.id, stranger).append(expectedHead: vault.state.head, entry: entry, keyrings: [])
    }
    let api = try relay.api(vault.id, device)
    expect(.notADevice) { _ = try api.chain(from: 0) }
    #expect(try api.append(expectedHead: vault.state.head, entry: entry, keyrings: []) == 1)
    try vault.apply(entry)
    #expect(try api.chain(from: 0).chainLength == 2)
  }

  @Test("A replaced device reads the chain and nothing else; its successor has its role")
  func replacedDevice() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (_, incarnation) = try relay.register(vault)
    let (old, new) = (Device(), Device())
    let oldAPI = try relay.join(old, .writer, to: &vault)
    let entry = vault.replacement(of: old, by: new)
    let newAPI = try relay.api(vault.id, new)
    #expect(try newAPI.append(expectedHead: vault.state.head, entry: entry, keyrings: []) == 2)
    #expect(try oldAPI.chain(from: 0).chainLength == 3)
    expect(.revoked) { _ = try oldAPI.changes(since: 0) }
    #expect(try newAPI.push(incarnation: incarnation, [PushItem(anySlot(), new.record())]) == [.stored(1)])
  }

  @Test("A revocation must know the whole feed and the incarnation, unless it is history that the relay lost")
  func feedPosition() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let device = Device()
    let deviceAPI = try relay.join(device, .writer, to: &vault)
    _ = try deviceAPI.push(incarnation: incarnation, [PushItem(anySlot(), device.record())])
    func revoke(_ sequence: UInt64, _ incarnation: [UInt8], isRepair: Bool = false) throws -> [UInt8] {
      let entry = vault.revocation(
        [device.id], at: FeedPosition(incarnation: incarnation, sequence: sequence))
      _ = try api.append(expectedHead: vault.state.head, entry: entry, keyrings: [], isRepair: isRepair)
      return entry
    }
    expect(.feedMoved) { _ = try revoke(0, incarnation) }
    expect(.incarnation) { _ = try revoke(1, Randomness.bytes(16)) }
    #expect(try api.chain(from: 0).chainLength == 2)
    let demotion = vault.roleChange(device, .reader, at: FeedPosition(incarnation: incarnation, sequence: 0))
    expect(.feedMoved) { _ = try api.append(expectedHead: vault.state.head, entry: demotion, keyrings: []) }
    try vault.apply(revoke(900, Randomness.bytes(16), isRepair: true))
    expect(.revoked) { _ = try deviceAPI.changes(since: 0) }
    #expect(try deviceAPI.chain(from: 0).chainLength == 3)
    expect(.revoked) { _ = try deviceAPI.push(incarnation: incarnation, []) }
    expect(.revoked) { _ = try deviceAPI.keyrings() }
    expect(.revoked) { try deviceAPI.putCheckpoint(incarnation: incarnation, device.checkpoint()) }
    // The epoch moved on with the revocation.
    #expect(
      try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record(epoch: 1))])
        == [.refused(.epoch)])
    #expect(
      try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record(epoch: 2))]) == [.stored(2)])
  }

  @Test("Keyrings are stored where none is held, for recipients and epochs of the chain alone, and come in pages")
  func keyrings() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, _) = try relay.register(vault)
    let first = vault.keyring(vault.founder.id)
    try api.putKeyrings([first])
    try api.putKeyrings([vault.keyring(vault.founder.id), vault.keyring(vault.founder.id, kind: .c)])
    #expect(try api.keyrings().keyrings.first == first)
    #expect(try api.keyrings().keyrings.count == 2)
    expect(.malformed) { try api.putKeyrings([vault.keyring(vault.founder.id, epoch: 2)]) }
    expect(.malformed) { try api.putKeyrings([vault.keyring(vault.founder.id, vault: Randomness.bytes(32))]) }
    expect(.malformed) { try api.putKeyrings([vault.keyring(Randomness.bytes(32))]) }
    expect(.malformed) { try api.putKeyrings([[0xFF]]) }
  }

  @Test("A key that belongs to another vault's device opens nothing here")
  func foreignDevice() throws {
    let relay = try TestRelay()
    let (vault, other) = (try Vault(), try Vault())
    _ = try relay.register(vault)
    _ = try relay.register(other)
    let api = try relay.api(vault.id, other.founder)
    expect(.notADevice) { _ = try api.chain(from: 0) }
    expect(.notADevice) { _ = try api.changes(since: 0) }
    expect(.notFound) { _ = try relay.api(Randomness.bytes(32), vault.founder).changes(since: 0) }
  }
}
