import DeviceChain
import RelayWire
import Testing
import VaultCrypto

/// Where an entry stands and who signs it: one broken rule each.
@Suite struct RefusedEntryTests {
  @Test func `Another vault's entry is refused`() throws {
    let world = try TestWorld()
    world.expect(
      .wrongVault, entry(world.state, .leave, [.device(world.first)], vaultID: Randomness.bytes(32)))
  }

  @Test func `A number that repeats or skips is refused`() throws {
    let world = try TestWorld()
    for number: UInt64 in [1, world.state.number, world.state.number + 2] {
      world.expect(.wrongNumber, entry(world.state, .leave, [.device(world.first)], number: number))
    }
  }

  @Test func `Another previous hash is refused, an older head too`() throws {
    let world = try TestWorld()
    for previous in [Randomness.bytes(32), world.state.vaultID] {
      world.expect(.wrongPrevious, entry(world.state, .leave, [.device(world.first)], previous: previous))
    }
  }

  @Test func `A second genesis is refused, its own and another's`() throws {
    let world = try TestWorld()
    world.expect(.misplacedGenesis, world.entries[0])
    world.expect(.misplacedGenesis, genesis(genesisBody(world.first), [.device(world.first)]))
  }

  @Test func `A replayed entry is refused, and so is one out of order`() throws {
    var world = try TestWorld()
    let first = entry(world.state, .leave, [.device(world.reader)])
    try world.append(first)
    world.expect(.wrongNumber, first)
    var shuffled = world.entries.map(\.encoded)
    shuffled.swapAt(2, 3)
    #expect(throws: ChainError.wrongNumber) { try ChainState(verifying: shuffled, vaultID: world.state.vaultID) }
    var shortened = world.entries.map(\.encoded)
    shortened.remove(at: 2)
    #expect(throws: ChainError.wrongNumber) { try ChainState(verifying: shortened, vaultID: world.state.vaultID) }
    shortened.removeFirst()
    #expect(throws: ChainError.misplacedGenesis) { try ChainState(verifying: shortened, vaultID: world.state.vaultID) }
    #expect(throws: ChainError.misplacedGenesis) { try ChainState(verifying: [], vaultID: world.state.vaultID) }
  }

  @Test func `The chain ends at 10,000 entries`() throws {
    var state = try TestWorld().state
    let admin = TestDevice()
    let start = genesis(genesisBody(admin), [.device(admin)])
    state = try ChainState(genesis: start.encoded, vaultID: ChainHash.entry(start))
    var entries = [start.encoded]
    var contentState = (head: state.head, number: UInt64(0))
    for _ in 1..<10_000 {
      let content = ChainContent(
        vaultID: state.vaultID, number: contentState.number + 1, previous: contentState.head, time: 1, author: admin.id,
        body: .resealDone(epoch: 1))
      let next = ChainEntry(
        content: content, signatures: [TestSigner.device(admin).sign(content.encoded, vaultID: state.vaultID)])
      entries.append(next.encoded)
      contentState = (ChainHash.entry(next), content.number)
    }
    state = try ChainState(verifying: entries, vaultID: state.vaultID)
    #expect(state.length == 10_000)
    let more = entry(state, .leave, [.device(admin)])
    #expect(throws: ChainError.chainTooLong) { try state.applying(more) }
  }

  @Test func `A signature by another key is refused, for every type of entry`() throws {
    let world = try TestWorld()
    let stranger = TestDevice()
    let pretending = TestSigner.pretending(stranger, id: world.first.id)
    let name = anyName()
    let mailbox = Randomness.bytes(32)
    let key = TestRecovery()
    let join = TestSigner.joining(stranger, name, mailbox: mailbox)
    let replace = TestSigner.joining(stranger, name, mailbox: ChainSigning.noMailbox)
    let bodies: [(ChainBody, [TestSigner])] = [
      (
        .addDevice(AddDeviceBody(device: stranger.keys, name: name, role: .admin, mailbox: mailbox)),
        [pretending, join]
      ),
      (world.revocation([world.second.id]), [pretending]),
      (.setRole(SetRoleBody(device: world.reader.id, role: .admin, position: anyPosition)), [pretending]),
      (.leave, [pretending]),
      (.replaceDevice(ReplaceDeviceBody(device: stranger.keys, name: name)), [pretending, replace]),
      (.setRecovery(key.keys), [pretending, .recovery(key)]),
      (.resealDone(epoch: 1), [pretending]),
    ]
    for (body, signers) in bodies { world.expect(.wrongSignature, entry(world.state, body, signers)) }
  }

  @Test func `An altered signature is refused at every byte, an altered content by its hash and signature`() throws {
    let world = try TestWorld()
    let right = world.addition(TestDevice(), .writer)
    for index in right.signatures.indices {
      for byte in 0..<64 {
        var signatures = right.signatures
        var altered = signatures[index].signature
        altered[byte] ^= 1
        signatures[index] = ChainSignature(
          kind: signatures[index].kind, signer: signatures[index].signer, signature: altered)
        world.expect(.wrongSignature, ChainEntry(content: right.content, signatures: signatures))
      }
    }
    var bytes = right.encoded
    for index in bytes.indices {
      bytes[index] ^= 1
      #expect(throws: ChainError.self) { try world.state.applying(bytes) }
      bytes[index] ^= 1
    }
  }

  @Test func `Signers in another order, missing, repeated or too many are refused`() throws {
    let world = try TestWorld()
    let right = world.addition(TestDevice(), .writer)
    let (admin, joining) = (right.signatures[0], right.signatures[1])
    let second = TestSigner.device(world.second).sign(right.contentBytes, vaultID: world.state.vaultID)
    for signatures in [
      [], [admin], [joining], [joining, admin], [admin, admin], [admin, joining, joining], [admin, joining, second],
      [admin, second, joining],
    ] {
      world.expect(.wrongSigners, ChainEntry(content: right.content, signatures: signatures))
    }
    let alone = entry(world.state, .resealDone(epoch: 1), [.device(world.first), .device(world.second)])
    world.expect(.wrongSigners, alone)
    world.expect(.wrongSigners, entry(world.state, .leave, []))
  }

  @Test func `An author who is not the first signer is refused`() throws {
    let world = try TestWorld()
    let next = TestDevice()
    let name = anyName()
    let replace = ChainBody.replaceDevice(ReplaceDeviceBody(device: next.keys, name: name))
    let joining = TestSigner.joining(next, name, mailbox: ChainSigning.noMailbox)
    let other = world.second.id
    world.expect(.wrongSigners, entry(world.state, .leave, [.device(world.first)], author: other))
    world.expect(.wrongSigners, entry(world.state, replace, [.device(world.first), joining], author: other))
    world.expect(.wrongSigners, entry(world.state, world.revocation(), [.device(world.first)], author: other))
    world.expect(
      .wrongSigners, entry(world.state, world.revocation(), [.recovery(world.recovery)], author: world.first.id))
    let start = genesis(genesisBody(next), [.device(next)], author: other)
    #expect(throws: ChainError.wrongSigners) {
      try ChainState(genesis: start.encoded, vaultID: ChainHash.entry(start))
    }
  }

  @Test func `A signer that the chain does not know is refused`() throws {
    let world = try TestWorld()
    let stranger = TestDevice()
    world.expect(.unknownSigner, entry(world.state, .leave, [.device(stranger)]))
    world.expect(.unknownSigner, entry(world.state, world.revocation(), [.device(stranger)]))
    world.expect(.unknownSigner, entry(world.state, world.revocation(), [.recovery(TestRecovery())]))
  }

  @Test func `Revoked and replaced devices and removed recovery keys sign no more`() throws {
    var world = try TestWorld()
    let next = TestDevice()
    try world.append(world.replacement(of: world.second, by: next))
    try world.append(
      entry(
        world.state, world.revocation([world.writer.id], recoveryKeys: [world.recovery.id]), [.device(world.first)]))
    world.expect(.signerNotActive, entry(world.state, .leave, [.device(world.writer)]))
    world.expect(.signerNotActive, entry(world.state, world.revocation(), [.device(world.second)]))
    world.expect(.signerNotActive, entry(world.state, world.revocation(), [.recovery(world.recovery)]))
    world.expect(
      .signerNotActive, world.addition(TestDevice(), .admin, by: .device(world.second)))
    world.expect(.signerNotActive, world.replacement(of: world.second, by: TestDevice()))
  }

  @Test func `Writers and readers do nothing that needs an admin`() throws {
    let world = try TestWorld()
    let key = TestRecovery()
    for device in [world.writer, world.reader] {
      let signer = TestSigner.device(device)
      let role = SetRoleBody(device: device.id, role: .admin, position: anyPosition)
      world.expect(.signerNotAdmin, world.addition(TestDevice(), .reader, by: signer))
      world.expect(.signerNotAdmin, entry(world.state, world.revocation(), [signer]))
      world.expect(.signerNotAdmin, entry(world.state, .setRole(role), [signer]))
      world.expect(.signerNotAdmin, entry(world.state, .setRecovery(key.keys), [signer, .recovery(key)]))
      world.expect(.signerNotAdmin, entry(world.state, .resealDone(epoch: 1), [signer]))
    }
  }

  @Test func `A demoted admin is no admin`() throws {
    var world = try TestWorld()
    let body = SetRoleBody(device: world.second.id, role: .writer, position: anyPosition)
    try world.append(entry(world.state, .setRole(body), [.device(world.first)]))
    world.expect(.signerNotAdmin, entry(world.state, world.revocation(), [.device(world.second)]))
  }

  @Test func `A recovery key does nothing but add and revoke`() throws {
    let world = try TestWorld()
    let signer = TestSigner.recovery(world.recovery)
    let key = TestRecovery()
    let role = SetRoleBody(device: world.reader.id, role: .admin, position: anyPosition)
    world.expect(.wrongSigners, entry(world.state, .setRole(role), [signer]))
    world.expect(.wrongSigners, entry(world.state, .leave, [signer]))
    world.expect(.wrongSigners, entry(world.state, .setRecovery(key.keys), [signer, .recovery(key)]))
    world.expect(.wrongSigners, entry(world.state, .resealDone(epoch: 1), [signer]))
    let next = TestDevice()
    let name = anyName()
    world.expect(
      .wrongSigners,
      entry(
        world.state, .replaceDevice(ReplaceDeviceBody(device: next.keys, name: name)),
        [signer, .joining(next, name, mailbox: ChainSigning.noMailbox)]))
  }

  @Test func `A device's key does not sign as a recovery key, nor the other way round`() throws {
    let world = try TestWorld()
    world.expect(
      .unknownSigner,
      entry(world.state, world.revocation(), [.pretending(world.first, id: world.first.id, kind: .recoveryKey)]))
    world.expect(
      .wrongSignature,
      entry(world.state, world.revocation(), [.pretending(world.first, id: world.recovery.id, kind: .recoveryKey)]))
    world.expect(
      .unknownSigner, entry(world.state, world.revocation(), [.pretending(world.first, id: world.recovery.id)]))
  }
}
