import DeviceChain
import RelayWire
import Testing
import VaultCrypto

/// What an entry says: one broken rule each.
@Suite struct RefusedBodyTests {
  @Test func `A genesis that the vault id does not name is refused, altered or another's`() throws {
    let world = try TestWorld()
    let other = genesis(genesisBody(world.first), [.device(world.first)])
    #expect(throws: ChainError.wrongVault) { try ChainState(genesis: other.encoded, vaultID: world.state.vaultID) }
    #expect(throws: ChainError.misplacedGenesis) {
      try ChainState(genesis: world.entries[1].encoded, vaultID: ChainHash.entry(world.entries[1]))
    }
  }

  @Test func `Genesis needs its device's signature and then each recovery key's, in order, and no other`() throws {
    let device = TestDevice()
    let keys = [TestRecovery(), TestRecovery()]
    let body = genesisBody(device, keys)
    let lists: [([TestSigner], ChainError)] = [
      ([], .wrongSigners), ([.device(device)], .wrongSigners),
      ([.device(device), .recovery(keys[0])], .wrongSigners),
      ([.device(device), .recovery(keys[1]), .recovery(keys[0])], .wrongSigners),
      ([.recovery(keys[0]), .device(device), .recovery(keys[1])], .wrongSigners),
      ([.device(device), .recovery(keys[0]), .recovery(keys[1]), .recovery(keys[1])], .wrongSigners),
      ([.device(TestDevice()), .recovery(keys[0]), .recovery(keys[1])], .wrongSigners),
      ([.pretending(TestDevice(), id: device.id), .recovery(keys[0]), .recovery(keys[1])], .wrongSignature),
      (
        [.device(device), .pretending(TestDevice(), id: keys[0].id, kind: .recoveryKey), .recovery(keys[1])],
        .wrongSignature
      ),
    ]
    for (signers, error) in lists {
      let entry = genesis(body, signers)
      #expect(throws: error) { try ChainState(genesis: entry.encoded, vaultID: ChainHash.entry(entry)) }
    }
  }

  @Test func `Genesis refuses a recovery key twice, a locator twice, and names of an epoch that is not 1`() throws {
    let device = TestDevice()
    let key = TestRecovery()
    let twin = TestRecovery(locator: key.keys.locator)
    let late = TestRecovery(nameEpoch: 2)
    let cases: [(GenesisBody, [TestSigner], ChainError)] = [
      (genesisBody(device, [key, key]), [.device(device), .recovery(key), .recovery(key)], .recoveryKeyAddedBefore),
      (genesisBody(device, [key, twin]), [.device(device), .recovery(key), .recovery(twin)], .recoveryKeyAddedBefore),
      (genesisBody(device, [late]), [.device(device), .recovery(late)], .wrongEpoch),
      (genesisBody(device, nameEpoch: 2), [.device(device)], .wrongEpoch),
      (genesisBody(device, nameEpoch: 0), [.device(device)], .wrongEpoch),
    ]
    for (body, signers, error) in cases {
      let entry = genesis(body, signers)
      #expect(throws: error) { try ChainState(genesis: entry.encoded, vaultID: ChainHash.entry(entry)) }
    }
  }

  @Test func `A device id is added once: not while active, not after a revocation, not after a replacement`() throws {
    var world = try TestWorld()
    world.expect(.deviceAddedBefore, world.addition(world.writer, .admin))
    world.expect(.deviceAddedBefore, world.replacement(of: world.reader, by: world.writer))
    world.expect(.deviceAddedBefore, world.replacement(of: world.reader, by: world.reader))
    try world.append(world.replacement(of: world.reader, by: TestDevice()))
    try world.append(entry(world.state, world.revocation([world.writer.id]), [.device(world.first)]))
    for gone in [world.writer, world.reader] {
      world.expect(.deviceAddedBefore, world.addition(gone, .writer))
      world.expect(.deviceAddedBefore, world.replacement(of: world.second, by: gone))
      world.expect(
        .deviceAddedBefore,
        world.addition(gone, .writer, mailbox: ChainSigning.noMailbox, by: .recovery(world.recovery)))
    }
  }

  @Test func `A ghost device that never signed is refused, and so is one whose signature is for something else`() throws
  {
    let world = try TestWorld()
    let ghost = TestDevice()
    let name = anyName()
    let mailbox = Randomness.bytes(32)
    func add(_ joining: TestSigner, role: DeviceRole = .writer) -> ChainEntry {
      let body = AddDeviceBody(device: ghost.keys, name: name, role: role, mailbox: mailbox)
      return entry(world.state, .addDevice(body), [.device(world.first), joining])
    }
    world.expect(.wrongSignature, add(.pretending(world.first, id: ghost.id, kind: .joiningDevice)))
    world.expect(.wrongSignature, add(.pretending(ghost, id: ghost.id, kind: .joiningDevice)))
    world.expect(.wrongSignature, add(.joining(ghost, anyName(), mailbox: mailbox)))
    world.expect(.wrongSignature, add(.joining(ghost, name, mailbox: Randomness.bytes(32))))
    world.expect(.wrongSigners, add(.joining(TestDevice(), name, mailbox: mailbox)))
    world.expect(.wrongSigners, add(.device(ghost)))
    #expect(throws: Never.self) { try world.state.applying(add(.joining(ghost, name, mailbox: mailbox))) }
  }

  @Test func `A join signature for another vault is refused`() throws {
    let world = try TestWorld()
    let device = TestDevice()
    let name = anyName()
    let mailbox = Randomness.bytes(32)
    let body = AddDeviceBody(device: device.keys, name: name, role: .writer, mailbox: mailbox)
    let right = entry(
      world.state, .addDevice(body), [.device(world.first), .joining(device, name, mailbox: mailbox)])
    let foreign = TestSigner.joining(device, name, mailbox: mailbox).sign([], vaultID: Randomness.bytes(32))
    world.expect(.wrongSignature, ChainEntry(content: right.content, signatures: [right.signatures[0], foreign]))
  }

  @Test func `Swapped keys make another device, whose signature is missing`() throws {
    let world = try TestWorld()
    let device = TestDevice()
    let name = anyName()
    let mailbox = Randomness.bytes(32)
    let keys = device.keys
    let other = TestDevice().keys
    for swapped in [
      DevicePublicKeys(
        chainSigning: keys.chainSigning, exchangeA: other.exchangeA, pushSigning: keys.pushSigning,
        exchangeC: keys.exchangeC),
      DevicePublicKeys(
        chainSigning: keys.chainSigning, exchangeA: keys.exchangeC, pushSigning: keys.pushSigning,
        exchangeC: keys.exchangeA),
      DevicePublicKeys(
        chainSigning: keys.chainSigning, exchangeA: keys.exchangeA, pushSigning: other.pushSigning,
        exchangeC: keys.exchangeC),
    ] {
      let body = AddDeviceBody(device: swapped, name: name, role: .writer, mailbox: mailbox)
      let signed = entry(
        world.state, .addDevice(body), [.device(world.first), .joining(device, name, mailbox: mailbox)])
      world.expect(.wrongSigners, signed)
      let renamed = ChainSignature(
        kind: .joiningDevice, signer: ChainHash.deviceID(swapped), signature: signed.signatures[1].signature)
      world.expect(
        .wrongSignature, ChainEntry(content: signed.content, signatures: [signed.signatures[0], renamed]))
    }
  }

  @Test func `A recovered device's mailbox is zero`() throws {
    let world = try TestWorld()
    world.expect(.wrongMailbox, world.addition(TestDevice(), .admin, by: .recovery(world.recovery)))
  }

  @Test func `A name sealed under an epoch that does not exist is refused`() throws {
    let world = try TestWorld()
    for epoch: UInt64 in [0, 2, .max] {
      world.expect(.wrongEpoch, world.addition(TestDevice(), .writer, nameEpoch: epoch))
      world.expect(.wrongEpoch, world.replacement(of: world.writer, by: TestDevice(), nameEpoch: epoch))
      let key = TestRecovery(nameEpoch: epoch)
      world.expect(
        .wrongEpoch, entry(world.state, .setRecovery(key.keys), [.device(world.first), .recovery(key)]))
    }
  }

  @Test func `A revoke names the next epoch and no other`() throws {
    let world = try TestWorld()
    for epoch: UInt64 in [0, 1, 3, .max] {
      world.expect(.wrongEpoch, entry(world.state, world.revocation(epoch: epoch), [.device(world.first)]))
    }
  }

  @Test func `A revoke removes only what is active`() throws {
    var world = try TestWorld()
    let stranger = TestDevice().id
    world.expect(.deviceNotActive, entry(world.state, world.revocation([stranger]), [.device(world.first)]))
    world.expect(
      .recoveryKeyNotActive,
      entry(world.state, world.revocation(recoveryKeys: [stranger]), [.device(world.first)]))
    try world.append(
      entry(
        world.state, world.revocation([world.reader.id], recoveryKeys: [world.recovery.id]), [.device(world.first)]))
    world.expect(.deviceNotActive, entry(world.state, world.revocation([world.reader.id]), [.device(world.first)]))
    world.expect(
      .recoveryKeyNotActive,
      entry(world.state, world.revocation(recoveryKeys: [world.recovery.id]), [.device(world.first)]))
  }

  @Test func `The lists of a revoke ascend`() throws {
    let world = try TestWorld()
    let ids = sorted([world.writer.id, world.reader.id])
    for devices in [[ids[1], ids[0]], [ids[0], ids[0]]] {
      world.expect(.unsortedList, entry(world.state, world.revocation(devices), [.device(world.first)]))
    }
    world.expect(
      .unsortedList,
      entry(
        world.state, world.revocation(recoveryKeys: [world.recovery.id, world.recovery.id]), [.device(world.first)]))
  }

  @Test func `The recipients are exactly who remains: nobody forgotten, nobody smuggled in, no other order`() throws {
    let world = try TestWorld()
    let remaining = world.state.activeDevices.map(\.id).filter { $0 != world.reader.id }
    let right = world.revocation([world.reader.id])
    #expect(throws: Never.self) { try world.state.applying(entry(world.state, right, [.device(world.first)])) }
    for recipients in [
      [], Array(remaining.dropLast()), remaining.reversed(), sorted(remaining + [world.reader.id]),
      sorted(remaining + [TestDevice().id]), remaining + [remaining[2]],
    ] {
      world.expect(
        .wrongRecipients,
        entry(world.state, world.revocation([world.reader.id], recipients: recipients), [.device(world.first)]))
    }
    for recipients in [[], sorted([world.recovery.id, TestRecovery().id])] {
      world.expect(
        .wrongRecipients,
        entry(world.state, world.revocation(recoveryRecipients: recipients), [.device(world.first)]))
    }
    world.expect(
      .wrongRecipients,
      entry(
        world.state, world.revocation(recoveryKeys: [world.recovery.id], recoveryRecipients: [world.recovery.id]),
        [.device(world.first)]))
  }

  @Test func `The last admin is neither removed nor demoted`() throws {
    var world = try TestWorld()
    world.expect(
      .noAdminLeft,
      entry(world.state, world.revocation(sorted([world.first.id, world.second.id])), [.device(world.first)]))
    world.expect(
      .noAdminLeft,
      entry(world.state, world.revocation(sorted([world.first.id, world.second.id])), [.recovery(world.recovery)]))
    try world.append(entry(world.state, world.revocation([world.second.id]), [.device(world.first)]))
    for role in [DeviceRole.writer, .reader] {
      let body = SetRoleBody(device: world.first.id, role: role, position: anyPosition)
      world.expect(.noAdminLeft, entry(world.state, .setRole(body), [.device(world.first)]))
    }
    let next = TestDevice()
    try world.append(world.replacement(of: world.first, by: next))
    world.expect(.noAdminLeft, entry(world.state, world.revocation([world.first.id]), [.device(next)]))
  }

  @Test func `A role is given to members alone`() throws {
    var world = try TestWorld()
    try world.append(entry(world.state, world.revocation([world.reader.id]), [.device(world.first)]))
    for id in [world.reader.id, TestDevice().id] {
      let body = SetRoleBody(device: id, role: .admin, position: anyPosition)
      world.expect(.deviceNotActive, entry(world.state, .setRole(body), [.device(world.first)]))
    }
  }

  @Test func `A device leaves once`() throws {
    var world = try TestWorld()
    try world.append(entry(world.state, .leave, [.device(world.reader)]))
    world.expect(.leftBefore, entry(world.state, .leave, [.device(world.reader)]))
  }

  @Test func `A device replaces itself once, with the new one's signature over a zero mailbox`() throws {
    let world = try TestWorld()
    let next = TestDevice()
    let name = anyName()
    let body = ChainBody.replaceDevice(ReplaceDeviceBody(device: next.keys, name: name))
    world.expect(
      .wrongSignature,
      entry(world.state, body, [.device(world.writer), .joining(next, name, mailbox: Randomness.bytes(32))]))
    world.expect(
      .wrongSignature,
      entry(world.state, body, [.device(world.writer), .joining(next, anyName(), mailbox: ChainSigning.noMailbox)]))
    world.expect(.wrongSigners, entry(world.state, body, [.device(world.writer)]))
    world.expect(.wrongSigners, entry(world.state, body, [.device(world.writer), .device(next)]))
  }

  @Test func `A recovery key signs its own installation, and is installed once`() throws {
    var world = try TestWorld()
    let key = TestRecovery()
    let body = ChainBody.setRecovery(key.keys)
    world.expect(.wrongSigners, entry(world.state, body, [.device(world.first)]))
    world.expect(.wrongSigners, entry(world.state, body, [.device(world.first), .recovery(world.recovery)]))
    world.expect(
      .wrongSignature,
      entry(
        world.state, body, [.device(world.first), .pretending(world.first, id: key.id, kind: .recoveryKey)]))
    let twin = TestRecovery(locator: world.recovery.keys.locator)
    world.expect(
      .recoveryKeyAddedBefore,
      entry(world.state, .setRecovery(twin.keys), [.device(world.first), .recovery(twin)]))
    world.expect(
      .recoveryKeyAddedBefore,
      entry(
        world.state, .setRecovery(world.recovery.keys), [.device(world.first), .recovery(world.recovery)]))
    try world.append(
      entry(world.state, world.revocation(recoveryKeys: [world.recovery.id]), [.device(world.first)]))
    world.expect(
      .recoveryKeyAddedBefore,
      entry(
        world.state, .setRecovery(world.recovery.keys), [.device(world.first), .recovery(world.recovery)]))
  }

  @Test func `Resealing ends for an epoch that exists`() throws {
    let world = try TestWorld()
    for epoch: UInt64 in [0, 2, .max] {
      world.expect(.wrongEpoch, entry(world.state, .resealDone(epoch: epoch), [.device(world.first)]))
    }
  }

  @Test func `There are at most 64 recovery keys`() throws {
    var world = try TestWorld()
    for _ in 1..<64 {
      let key = TestRecovery()
      try world.append(entry(world.state, .setRecovery(key.keys), [.device(world.first), .recovery(key)]))
    }
    let key = TestRecovery()
    world.expect(
      .tooManyRecoveryKeys, entry(world.state, .setRecovery(key.keys), [.device(world.first), .recovery(key)]))
  }

  @Test func `There are at most 1,000 active devices, and the revoke of such a vault still fits`() throws {
    var world = try TestWorld()
    while world.state.activeDevices.count < 1_000 { try world.append(world.addition(TestDevice(), .reader)) }
    world.expect(.tooManyDevices, world.addition(TestDevice(), .reader))
    #expect(throws: Never.self) {
      try world.state.applying(world.replacement(of: world.writer, by: TestDevice()).encoded)
    }
    let half = world.state.activeDevices.map(\.id).filter { $0 != world.first.id }.prefix(500)
    try world.append(entry(world.state, world.revocation(Array(half)), [.device(world.first)]))
    #expect(world.state.activeDevices.count == 500)
  }
}
