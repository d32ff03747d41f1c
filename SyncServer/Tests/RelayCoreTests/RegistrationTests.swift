import DeviceChain
import RelayCore
import RelayStorageSQLite
import RelayWire
import Testing
import VaultCrypto

@Suite struct RegistrationTests {
  @Test("A closed relay registers a vault with an invite, once, and answers the same registration again")
  func inviteIsUsedOnce() throws {
    let relay = try TestRelay(openRegistration: false)
    let (first, second) = (try Vault(), try Vault())
    let token = Invite.token()
    #expect(token.utf8.count == 26)
    try relay.storage.addInvite(hash: #require(Invite.hash(of: token)), uses: 1, expires: relay.now + 1_000)
    let api = try relay.api(first.id, first.founder)
    expect(.invite) { _ = try api.createVault(invite: nil, genesis: first.genesis, keyrings: []) }
    expect(.invite) { _ = try api.createVault(invite: Invite.token(), genesis: first.genesis, keyrings: []) }
    expect(.invite) { _ = try api.createVault(invite: "no token", genesis: first.genesis, keyrings: []) }
    // As a person types it: lower case, grouped.
    let typed = token.lowercased().prefix(5) + "-" + token.dropFirst(5)
    let incarnation = try api.createVault(invite: String(typed), genesis: first.genesis, keyrings: [])
    #expect(try api.createVault(invite: token, genesis: first.genesis, keyrings: []) == incarnation)
    expect(.invite) {
      _ = try relay.api(second.id, second.founder).createVault(invite: token, genesis: second.genesis, keyrings: [])
    }
  }

  @Test("An invite ends at its time")
  func inviteExpires() throws {
    let relay = try TestRelay(openRegistration: false)
    let vault = try Vault()
    let token = Invite.token()
    try relay.storage.addInvite(hash: #require(Invite.hash(of: token)), uses: 5, expires: relay.now + 60_000)
    relay.advance(seconds: 60)
    expect(.invite) {
      _ = try relay.api(vault.id, vault.founder).createVault(invite: token, genesis: vault.genesis, keyrings: [])
    }
  }

  @Test("Only the device of the genesis entry registers a vault, and only with a genesis that verifies")
  func genesisIsVerified() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    expect(.notADevice) {
      _ = try relay.api(vault.id, Device()).createVault(invite: nil, genesis: vault.genesis, keyrings: [])
    }
    let entry = try ChainEntry(decoding: vault.genesis)
    let unsigned = ChainEntry(content: entry.content, signatures: Array(entry.signatures.dropLast()))
    let api = try relay.api(vault.id, vault.founder)
    expect(.malformed) { _ = try api.createVault(invite: nil, genesis: unsigned.encoded, keyrings: []) }
    expect(.malformed) { _ = try api.createVault(invite: nil, genesis: [1, 2, 3], keyrings: []) }
    expect(.malformed) {
      _ = try api.createVault(
        invite: nil, genesis: vault.genesis, keyrings: [vault.keyring(Randomness.bytes(32))])
    }
    expect(.notFound) { _ = try api.chain(from: 0) }
  }

  @Test("Two incarnations of a vault never agree, and neither do two vaults")
  func incarnations() throws {
    let (first, second) = (try TestRelay(), try TestRelay())
    let vault = try Vault()
    let (api, incarnation) = try first.register(vault)
    #expect(incarnation != (try second.register(vault).incarnation))
    try first.storage.renewIncarnations()
    let page = try api.changes(since: 0)
    #expect(page.incarnation != incarnation)
    expect(.incarnation) {
      _ = try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record())])
    }
  }

  @Test("A recovery key finds its vault by its locator, with its keyrings, newest epoch first")
  func recoveryLookup() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let keyrings = [
      vault.keyring(vault.recovery.id), vault.keyring(vault.recovery.id, kind: .c), vault.keyring(vault.founder.id),
    ]
    try api.putKeyrings(keyrings)
    let anonymous = try relay.api([UInt8](repeating: 0, count: 32), nil)
    let page = try anonymous.recovery(locator: vault.recovery.keys.locator)
    #expect(page.vault == vault.id)
    #expect(page.incarnation == incarnation)
    #expect(page.entries == [vault.genesis])
    #expect(page.keyrings == Array(keyrings.prefix(2)))
    #expect(try anonymous.recovery(locator: vault.recovery.keys.locator, from: 1).entries.isEmpty)
    expect(.notFound) { _ = try anonymous.recovery(locator: Randomness.bytes(32)) }
  }

  @Test("A later vault that claims the same locator does not hide the first")
  func locatorIsNotTaken() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    _ = try relay.register(vault)
    var thief = try Vault()
    let (api, _) = try relay.register(thief)
    let recovery = Recovery(locator: vault.recovery.keys.locator)
    let entry = thief.entry(.setRecovery(recovery.keys), author: thief.founder.id) {
      [thief.founder.signature($0), recovery.signature($0)]
    }
    _ = try api.append(expectedHead: thief.state.head, entry: entry, keyrings: [])
    try thief.apply(entry)
    #expect(try relay.api(vault.id, nil).recovery(locator: vault.recovery.keys.locator).vault == vault.id)
  }
}
