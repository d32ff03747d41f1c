import CBOR
import DeviceChain
import Membership
import RelayWire
import Testing
import VaultCrypto
import VaultModel

@Suite struct ChainAuthorTests {
  @Test func `A whole life of a vault is written and verifies from its id alone`() throws {
    var vault = try TestVault()
    let birch = try vault.join(.admin, name: "birch")
    let cedar = try vault.join(.writer, name: "cedar")
    let second = RecoveryKey.random().identity()
    vault.append(
      try ChainAuthor.setRecovery(
        vault.state, second, name: "paper", vault.c, by: birch.a, time: TestVault.now))
    vault.a = vault.a.adding(second)
    vault.append(
      try ChainAuthor.setRole(
        vault.state, of: cedar.device, to: .reader, TestVault.position, by: birch.a, time: TestVault.now))
    let cedar2 = DeviceKeys.random()
    vault.append(
      try ChainAuthor.replaceDevice(
        vault.state, cedar.a, by: cedar2, name: "cedar", vault.c, time: TestVault.now))
    vault.append(try ChainAuthor.leave(vault.state, cedar2.a, time: TestVault.now))
    let keyrings = try vault.rotate(removing: [cedar.device])
    vault.append(try ChainAuthor.resealDone(vault.state, epoch: 2, by: birch.a, time: TestVault.now))
    #expect(
      Set(keyrings.map(\.recipient)) == [vault.keys.device.bytes, birch.device.bytes, vault.recovery.id, second.id])
    #expect(vault.state.isRevoked(cedar2.device.bytes) && vault.state.resealedEpoch == 2)
    let names = try vault.state.devices.values.map { try SealedName.open($0.name, for: $0.id, vault.c) }
    #expect(names.sorted() == ["alder", "birch", "cedar", "cedar"])
    let paper = try #require(vault.state.recoveryKey(locator: second.locator))
    #expect(try SealedName.open(paper.keys.name, for: paper.id, vault.c) == "paper")
    #expect(try ChainState(verifying: vault.entries, vaultID: vault.state.vault.bytes) == vault.state)
    #expect(try vault.member(birch).device == birch.device)
  }

  @Test func `With the recovery key alone a new device gets in, and everything else is thrown out`() throws {
    var vault = try TestVault()
    let keyrings = try vault.rotate()
    let text = RecoveryKey.random()
    #expect(text.identity().id != vault.recovery.id)
    let a = try Keyring.openA(keyrings.first(.a, for: vault.recovery.id), vault.recovery, vault.state)
    let c = try Keyring.openC(keyrings.first(.c, for: vault.recovery.id), vault.recovery, vault.state)
    let device = DeviceKeys.random()
    let added = try ChainAuthor.recoverDevice(
      vault.state, device, name: "elder", c, by: vault.recovery, time: TestVault.now)
    #expect(added.state.isAdmin(device.device.bytes))
    let (nextA, nextC) = (a.rotated(), c.rotated())
    let revoked = try ChainAuthor.revoke(
      added.state, devices: [vault.keys.device], nextA, nextC, TestVault.position, by: .recoveryKey(vault.recovery),
      time: TestVault.now)
    let sealed = try Keyring.sealAll(nextA, nextC, revoked.state)
    #expect(Set(sealed.map(\.recipient)) == [device.device.bytes, vault.recovery.id])
    #expect(revoked.state.activeDevices.map(\.id) == [device.device.bytes])
  }

  @Test func `An entry that would break a rule is not given out`() throws {
    var vault = try TestVault()
    let birch = try vault.join(.writer)
    #expect(throws: MembershipError.chain(.signerNotAdmin)) {
      try ChainAuthor.resealDone(vault.state, epoch: 1, by: birch.a, time: TestVault.now)
    }
    #expect(throws: MembershipError.chain(.wrongEpoch)) {
      try ChainAuthor.resealDone(vault.state, epoch: 2, by: vault.keys.a, time: TestVault.now)
    }
    #expect(throws: MembershipError.chain(.noAdminLeft)) {
      try ChainAuthor.setRole(
        vault.state, of: vault.keys.device, to: .reader, TestVault.position, by: vault.keys.a, time: TestVault.now)
    }
    #expect(throws: MembershipError.missingKey(epoch: 2)) {
      try ChainAuthor.revoke(
        vault.state, vault.a, vault.c, TestVault.position, by: .device(vault.keys.a), time: TestVault.now)
    }
    #expect(throws: MembershipError.chain(.recoveryKeyAddedBefore)) {
      try ChainAuthor.setRecovery(
        vault.state, vault.recovery, name: "again", vault.c, by: vault.keys.a, time: TestVault.now)
    }
    #expect(throws: MembershipError.nameTooLong) {
      try ChainAuthor.setRecovery(
        vault.state, RecoveryKey.random().identity(), name: String(repeating: "n", count: 129), vault.c,
        by: vault.keys.a, time: TestVault.now)
    }
    // 15 recovery keys and the device are the most that can sign one entry.
    let many = (0..<16).map { _ in (RecoveryKey.random().identity(), "r") }
    #expect(throws: MembershipError.chain(.malformed(.outOfRange))) {
      try ChainAuthor.genesis(
        DeviceKeys.random(), name: "n", .fresh(recovery: many.map(\.0)), .fresh(), recovery: many, time: 0)
    }
  }

  @Test func `A name opens for its own device with its own key and is what the chain commits to`() throws {
    let vault = try TestVault()
    let id = vault.keys.device.bytes
    let name = try vault.member(vault.keys).name
    #expect(name.sealed.count == ChainLimits.sealedNameBytes)
    #expect(try SealedName.open(name, for: id, vault.c) == "alder")
    #expect(throws: MembershipError.notAuthentic) { try SealedName.open(name, for: vault.recovery.id, vault.c) }
    #expect(throws: MembershipError.notAuthentic) { try SealedName.open(name, for: id, TestVault().c) }
    for epoch: UInt64 in [0, 2] {
      let moved = ChainName(commitment: name.commitment, epoch: epoch, nonce: name.nonce, sealed: name.sealed)
      #expect(throws: MembershipError.missingKey(epoch: epoch)) { try SealedName.open(moved, for: id, vault.c) }
    }
    for index in name.sealed.indices {
      var sealed = name.sealed
      sealed[index] ^= 1
      let altered = ChainName(commitment: name.commitment, epoch: 1, nonce: name.nonce, sealed: sealed)
      #expect(throws: MembershipError.notAuthentic) { try SealedName.open(altered, for: id, vault.c) }
    }
    for text in ["", String(repeating: "é", count: 64)] {
      #expect(try SealedName.open(SealedName.seal(text, for: id, vault.c), for: id, vault.c) == text)
    }
  }

  @Test func `A name whose text is not what its commitment says is refused`() throws {
    let vault = try TestVault()
    let id = vault.keys.device.bytes
    // Sealed by a member, for a commitment that the device never signed.
    let commitment = Randomness.bytes(32)
    let nonce = Randomness.bytes(24)
    let key = try vault.keyC(1).key.derive(EncryptionRole.self, "lockstep/name/1", [.bytes(id)])
    let sealed = key.encrypt(
      Padding.pad([0x82, 0x58, 32] + Randomness.bytes(32) + [0x61, 0x61]), nonce: nonce, "lockstep/name/1",
      [.bytes(id), 1, .bytes(commitment)])
    let name = ChainName(commitment: commitment, epoch: 1, nonce: nonce, sealed: sealed)
    #expect(throws: MembershipError.wrongCommitment) { try SealedName.open(name, for: id, vault.c) }
  }

  @Test func `What a device keeps locally is read again, half by half`() throws {
    var vault = try TestVault()
    _ = try vault.rotate()
    let device = vault.keys.device
    let a = LocalSecrets.export(vault.keys.a, vault.a)
    let c = LocalSecrets.export(vault.keys.c, vault.c)
    let readA = try LocalSecrets.readA(a, device: device)
    let readC = try LocalSecrets.readC(c, device: device)
    #expect(DeviceKeys(a: readA.keys, c: readC.keys).publicKeys == vault.keys.publicKeys)
    #expect(readA.keyring.matches(vault.state) && readC.keyring.matches(vault.state))
    #expect(readA.keyring.exportContents() == vault.a.exportContents())
    for length in 0..<a.count {
      #expect(throws: MembershipError.malformed) { try LocalSecrets.readA(Array(a[..<length]), device: device) }
    }
    #expect(throws: MembershipError.malformed) { try LocalSecrets.readA(a + [0], device: device) }
    #expect(throws: MembershipError.malformed) { try LocalSecrets.readA(c, device: device) }
    #expect(throws: MembershipError.malformed) { try LocalSecrets.readC(a, device: device) }
  }
}
