import DeviceChain
import RelayWire
import Testing
import VaultCrypto

/// What the rules of the chain allow.
@Suite struct AcceptedEntryTests {
  @Test func `Genesis makes its device an admin and installs its recovery keys`() throws {
    let device = TestDevice()
    let keys = [TestRecovery(), TestRecovery()]
    let body = genesisBody(device, keys)
    let entry = genesis(body, [.device(device), .recovery(keys[0]), .recovery(keys[1])])
    let state = try ChainState(genesis: entry.encoded, vaultID: ChainHash.entry(entry))
    #expect(state.number == 0 && state.length == 1 && state.epoch == 1)
    #expect(state.head == state.vaultID && state.number(ofHead: state.vaultID) == 0)
    #expect(state.isAdmin(device.id) && state.isWriter(device.id))
    #expect(state.device(device.id)?.addedBy == .genesis)
    #expect(state.activeRecoveryKeys.map(\.id) == sorted(keys.map(\.id)))
    #expect(state.recoveryKey(locator: keys[1].keys.locator)?.id == keys[1].id)
    #expect(state.commitments(epoch: 1) == body.commitments)
    #expect(state.commitments(epoch: 0) == nil && state.commitments(epoch: 2) == nil)
    #expect(state.salt == body.salt)
  }

  @Test func `Members have the role they were added with, and their push-signing key is known`() throws {
    let world = try TestWorld()
    #expect(
      world.state.activeDevices.map(\.id) == sorted([world.first, world.second, world.writer, world.reader].map(\.id)))
    #expect(world.state.isAdmin(world.second.id) && !world.state.isAdmin(world.writer.id))
    #expect(world.state.isWriter(world.writer.id) && !world.state.isWriter(world.reader.id))
    #expect(world.state.pushSigningKey(of: world.reader.id) == world.reader.keys.pushSigning)
    #expect(world.state.pushSigningKey(of: TestDevice().id) == nil)
    #expect(world.state.device(world.writer.id)?.addedBy == .device(world.first.id))
    #expect(world.state.device(world.writer.id)?.entryNumber == 2)
  }

  @Test func `A recovery key adds a device whose mailbox is zero`() throws {
    var world = try TestWorld()
    let device = TestDevice()
    try world.append(
      world.addition(device, .admin, mailbox: ChainSigning.noMailbox, by: .recovery(world.recovery)))
    #expect(world.state.isAdmin(device.id))
    #expect(world.state.device(device.id)?.addedBy == .recoveryKey(world.recovery.id))
  }

  @Test func `A revocation removes, begins an epoch, and is remembered`() throws {
    var world = try TestWorld()
    let body = world.revocation([world.writer.id])
    try world.append(entry(world.state, body, [.device(world.second)]))
    #expect(world.state.isRevoked(world.writer.id))
    #expect(world.state.device(world.writer.id)?.standing == .revoked(entry: 4))
    #expect(!world.state.isWriter(world.writer.id) && world.state.activeDevice(world.writer.id) == nil)
    #expect(world.state.pushSigningKey(of: world.writer.id) != nil)
    #expect(world.state.epoch == 2)
    guard case .revoke(let revoke) = body else { return }
    #expect(world.state.commitments(epoch: 2) == revoke.commitments)
  }

  @Test func `A rotation removes nobody; a recovery key may sign it, and may remove devices and itself`() throws {
    var world = try TestWorld()
    try world.append(entry(world.state, world.revocation(), [.device(world.first)]))
    #expect(world.state.epoch == 2 && world.state.activeDevices.count == 4)
    try world.append(
      entry(
        world.state, world.revocation([world.second.id], recoveryKeys: [world.recovery.id]), [.recovery(world.recovery)]
      ))
    #expect(world.state.isRevoked(world.second.id))
    #expect(world.state.activeRecoveryKeys.isEmpty)
    #expect(world.state.recoveryKey(locator: world.recovery.keys.locator) == nil)
    #expect(world.state.recoveryKeys[world.recovery.id]?.removedBy == 5)
  }

  @Test func `An admin may remove itself while another remains`() throws {
    var world = try TestWorld()
    try world.append(entry(world.state, world.revocation([world.first.id]), [.device(world.first)]))
    #expect(world.state.isRevoked(world.first.id))
  }

  @Test func `A replaced device goes on under a new id in the same role, and revoking the old id revokes the new one`()
    throws
  {
    var world = try TestWorld()
    let next = TestDevice()
    let last = TestDevice()
    try world.append(world.replacement(of: world.writer, by: next))
    try world.append(world.replacement(of: next, by: last))
    #expect(world.state.device(world.writer.id)?.standing == .replaced(by: next.id))
    #expect(!world.state.isWriter(world.writer.id) && world.state.isWriter(last.id))
    #expect(!world.state.isRevoked(world.writer.id))
    #expect(world.state.device(last.id)?.addedBy == .replaced(next.id))
    #expect(world.state.successors(of: world.writer.id) == [next.id, last.id])
    #expect(world.state.activeDevices.count == 4)
    try world.append(entry(world.state, world.revocation([world.writer.id]), [.device(world.first)]))
    #expect(world.state.isRevoked(last.id) && world.state.isRevoked(next.id) && world.state.isRevoked(world.writer.id))
    #expect(world.state.successors(of: world.writer.id) == [next.id, last.id])
    #expect(world.state.activeDevices.count == 3)
  }

  @Test func `Revoking the newest id alone leaves its predecessors replaced`() throws {
    var world = try TestWorld()
    let next = TestDevice()
    try world.append(world.replacement(of: world.writer, by: next))
    try world.append(entry(world.state, world.revocation([next.id]), [.device(world.first)]))
    #expect(world.state.isRevoked(next.id) && !world.state.isRevoked(world.writer.id))
  }

  @Test func `A device that leaves keeps its standing until it is revoked`() throws {
    var world = try TestWorld()
    try world.append(entry(world.state, .leave, [.device(world.reader)]))
    #expect(world.state.activeDevice(world.reader.id)?.hasLeft == true)
    try world.append(entry(world.state, world.revocation([world.reader.id]), [.device(world.first)]))
    #expect(world.state.isRevoked(world.reader.id))
  }

  @Test func `A role changes both ways`() throws {
    var world = try TestWorld()
    for role in [DeviceRole.admin, .reader, .writer] {
      let body = SetRoleBody(device: world.writer.id, role: role, position: anyPosition)
      try world.append(entry(world.state, .setRole(body), [.device(world.first)]))
      #expect(world.state.activeDevice(world.writer.id)?.role == role)
    }
    let own = SetRoleBody(device: world.first.id, role: .reader, position: anyPosition)
    try world.append(entry(world.state, .setRole(own), [.device(world.first)]))
    #expect(!world.state.isAdmin(world.first.id))
  }

  @Test func `A recovery key is installed by an admin and itself, and may then act`() throws {
    var world = try TestWorld()
    let key = TestRecovery()
    try world.append(entry(world.state, .setRecovery(key.keys), [.device(world.second), .recovery(key)]))
    #expect(world.state.recoveryKey(locator: key.keys.locator)?.entryNumber == 4)
    try world.append(entry(world.state, world.revocation([world.reader.id]), [.recovery(key)]))
  }

  @Test func `The end of resealing is remembered, the newest wins`() throws {
    var world = try TestWorld()
    try world.append(entry(world.state, world.revocation(), [.device(world.first)]))
    #expect(world.state.resealedEpoch == 0)
    try world.append(entry(world.state, .resealDone(epoch: 2), [.device(world.first)]))
    try world.append(entry(world.state, .resealDone(epoch: 1), [.device(world.first)]))
    #expect(world.state.resealedEpoch == 2)
  }

  @Test func `A whole chain verifies in one go to the same state, whatever else signs the same content`() throws {
    var world = try TestWorld()
    try world.append(entry(world.state, world.revocation([world.reader.id]), [.device(world.first)]))
    let state = try ChainState(verifying: world.entries.map(\.encoded), vaultID: world.state.vaultID)
    #expect(state == world.state)
    for (number, entry) in world.entries.enumerated() {
      #expect(state.number(ofHead: ChainHash.entry(entry)) == UInt64(number))
    }
    #expect(state.number(ofHead: Randomness.bytes(32)) == nil)
  }
}
