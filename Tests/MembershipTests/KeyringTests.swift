import CBOR
import DeviceChain
import Membership
import RelayWire
import Testing
import VaultCrypto
import VaultModel

@Suite struct KeyringTests {
  @Test func `A fresh keyring matches the chain of its own vault and no other`() throws {
    let vault = try TestVault()
    let other = try TestVault()
    #expect(vault.a.matches(vault.state) && vault.c.matches(vault.state))
    #expect(!vault.a.matches(other.state) && !vault.c.matches(other.state))
    #expect(!vault.a.rotated().matches(vault.state) && !vault.c.rotated().matches(vault.state))
  }

  @Test func `Contents are read as they were written, and nothing shorter, longer or altered in form is`() throws {
    var vault = try TestVault()
    _ = try vault.rotate()
    let a = vault.a.exportContents()
    let c = vault.c.exportContents()
    #expect(try KeyringA(contents: a).exportContents() == a)
    #expect(try KeyringC(contents: c).exportContents() == c)
    #expect(try KeyringA(contents: a).matches(vault.state))
    for (contents, open) in [
      (a, { _ = try KeyringA(contents: $0) }), (c, { _ = try KeyringC(contents: $0) }),
    ] as [([UInt8], ([UInt8]) throws -> Void)] {
      for length in 0..<contents.count {
        #expect(throws: MembershipError.malformed) { try open(Array(contents[..<length])) }
      }
      #expect(throws: MembershipError.malformed) { try open(contents + [0]) }
    }
    #expect(throws: MembershipError.malformed) { try KeyringA(contents: c) }
    #expect(throws: MembershipError.malformed) { try KeyringC(contents: a) }
  }

  @Test func `Contents with epochs or recovery keys out of order, none, too many or short are refused`() throws {
    let key = CBORValue.bytes(Randomness.bytes(32))
    let id = CBORValue.bytes(Randomness.bytes(32))
    func expectRefused(_ value: CBORValue) {
      #expect(throws: MembershipError.malformed) { try KeyringA(contents: value.encoded) }
    }
    #expect(throws: Never.self) { try KeyringA(contents: ([1, 1, [[1, key], [3, key]], []] as CBORValue).encoded) }
    expectRefused([1, 1, [], []])
    expectRefused([2, 1, [[1, key]], []])
    expectRefused([1, 1, [[0, key]], []])
    expectRefused([1, 1, [[2, key], [1, key]], []])
    expectRefused([1, 1, [[1, key], [1, key]], []])
    expectRefused([1, 1, [[.unsigned(.max), key]], []])
    expectRefused([1, 1, [[1, .bytes(Randomness.bytes(31))]], []])
    expectRefused([1, 1, [[1, key, key]], []])
    expectRefused([1, 1, [[1, key]], [[id, key], [id, key]]])
    expectRefused([1, 1, .array((1...1_025).map { [.unsigned($0), key] }), []])
    expectRefused(
      [1, 1, [[1, key]], .array((0..<65).map { [.bytes([UInt8](repeating: UInt8($0), count: 32)), key] })])
  }

  @Test func `A keyring of the greatest size fits its limits`() throws {
    let key = CBORValue.bytes(Randomness.bytes(32))
    let contents: CBORValue = [
      1, 1, .array((8_977...10_000).map { [.unsigned($0), key] }),
      .array((0..<64).map { [.bytes([UInt8](repeating: UInt8($0), count: 32)), key] }),
    ]
    let vault = try TestVault()
    let keyring = try KeyringA(contents: contents.encoded)
    let sealed = try Keyring.seal(
      keyring, to: vault.member(vault.keys), .pairing(.random(vault: vault.state.vault)), vault.state)
    #expect(throws: Never.self) { try SealedKeyring(decoding: sealed.encoded) }
    #expect(keyring.keys.rotated().entries.count == 1_024)
  }

  @Test func `A rotation reaches every member and every recovery key under the previous epoch's keys`() throws {
    var vault = try TestVault()
    let birch = try vault.join()
    let (oldA, oldC) = (try vault.keyA(1), try vault.keyC(1))
    let keyrings = try vault.rotate()
    #expect(keyrings.count == 6)
    for member in [vault.keys, birch] {
      let a = try Keyring.open(
        keyrings.first(.a, for: member.device.bytes), member.a, .previousEpoch(oldA), vault.state)
      let c = try Keyring.open(
        keyrings.first(.c, for: member.device.bytes), member.c, .previousEpoch(oldC), vault.state)
      #expect(a.exportContents() == vault.a.exportContents() && c.exportContents() == vault.c.exportContents())
    }
    let a = try Keyring.openA(keyrings.first(.a, for: vault.recovery.id), vault.recovery, vault.state)
    let c = try Keyring.openC(keyrings.first(.c, for: vault.recovery.id), vault.recovery, vault.state)
    #expect(a.epoch == 2 && c.epoch == 2)
  }

  @Test func `A removed device gets nothing, and a removed recovery key neither`() throws {
    var vault = try TestVault()
    let birch = try vault.join()
    let keyrings = try vault.rotate(removing: [birch.device], recoveryKeys: [vault.recovery.id])
    #expect(Set(keyrings.map(\.recipient)) == [vault.keys.device.bytes])
    #expect(vault.a.recovery.isEmpty)
  }

  @Test func `A device that missed rotations opens them one after the other and keeps the older keys`() throws {
    var vault = try TestVault()
    let birch = try vault.join()
    var held = vault.a
    let second = try vault.rotate()
    let third = try vault.rotate()
    #expect(throws: MembershipError.notAuthentic) {
      try Keyring.open(
        third.first(.a, for: birch.device.bytes), birch.a, .previousEpoch(held.keys.entries[0].key), vault.state)
    }
    for (epoch, keyrings) in [(1, second), (2, third)] as [(UInt64, [SealedKeyring])] {
      let key = try #require(held.keys.key(epoch: epoch))
      let next = try Keyring.open(
        keyrings.first(.a, for: birch.device.bytes), birch.a, .previousEpoch(key), vault.state)
      held = next.joined(held, vault.state)
    }
    #expect(held.keys.entries.map(\.epoch) == [1, 2, 3])
    #expect(held.dropping(below: 3).keys.entries.map(\.epoch) == [3])
    #expect(held.dropping(below: 9).keys.entries.map(\.epoch) == [3])
  }

  @Test func `An altered byte, anywhere, does not open`() throws {
    var vault = try TestVault()
    let old = try vault.keyA(1)
    let sealed = try vault.rotate().first(.a, for: vault.keys.device.bytes)
    var bytes = sealed.encoded
    for index in bytes.indices {
      bytes[index] ^= 0x10
      #expect(throws: (any Error).self) {
        try Keyring.open(SealedKeyring(decoding: bytes), vault.keys.a, .previousEpoch(old), vault.state)
      }
      bytes[index] ^= 0x10
    }
  }

  @Test func `A wrong recipient, wrap, kind, vault or epoch does not open`() throws {
    var vault = try TestVault()
    let birch = try vault.join()
    let old = KeyringWrap.previousEpoch(try vault.keyA(1))
    let keyrings = try vault.rotate()
    let sealed = try keyrings.first(.a, for: vault.keys.device.bytes)
    func expect(
      _ error: MembershipError, _ sealed: SealedKeyring, _ keys: DeviceKeysA, _ wrap: KeyringWrap,
      _ state: ChainState? = nil
    ) {
      #expect(throws: error) { try Keyring.open(sealed, keys, wrap, state ?? vault.state) }
    }
    let mine = vault.keys.a
    expect(.wrongRecipient, sealed, birch.a, old)
    expect(.notAuthentic, altered(sealed, recipient: birch.device.bytes), birch.a, old)
    expect(.wrongWrap, sealed, mine, .recoveryKey(vault.recovery.preSharedKey))
    expect(.wrongWrap, sealed, mine, .pairing(.random(vault: vault.state.vault)))
    expect(.notAuthentic, altered(sealed, wrap: .pairing), mine, .pairing(.random(vault: vault.state.vault)))
    expect(.notAuthentic, sealed, mine, .previousEpoch(try vault.keyA(2)))
    expect(.notAuthentic, altered(sealed, epoch: 3), mine, old)
    #expect(throws: CBORError.outOfRange) { try SealedKeyring(decoding: altered(sealed, epoch: 1).encoded) }
    expect(.wrongVault, sealed, mine, old, try TestVault().state)
    expect(.wrongKind, try keyrings.first(.c, for: vault.keys.device.bytes), mine, old)
    expect(.notAuthentic, altered(try keyrings.first(.c, for: vault.keys.device.bytes), kind: .a), mine, old)
  }

  @Test func `Sealed to another's exchange key it does not open, whatever the header says`() throws {
    var vault = try TestVault()
    let birch = try vault.join()
    let state = vault.state
    let wrap = KeyringWrap.pairing(.random(vault: state.vault))
    let swapped = DeviceKeysA(
      device: birch.device, chainSigning: .random(), exchange: .random())
    let sealed = try Keyring.seal(vault.a, to: vault.member(birch), wrap, state)
    #expect(throws: MembershipError.notAuthentic) { try Keyring.open(sealed, swapped, wrap, state) }
    #expect(throws: Never.self) { try Keyring.open(sealed, birch.a, wrap, state) }
  }

  @Test func `A keyring with a key that the chain does not commit to is refused, each key in turn`() throws {
    let vault = try TestVault()
    let foreign = try TestVault()
    let member = try vault.member(vault.keys)
    let wrapA = KeyringWrap.pairing(.random(vault: vault.state.vault))
    let sealedA = try Keyring.seal(foreign.a, to: member, wrapA, vault.state)
    #expect(throws: MembershipError.wrongCommitment) { try Keyring.open(sealedA, vault.keys.a, wrapA, vault.state) }

    func expectRefusedA(_ contents: CBORValue) throws {
      let sealed = try Keyring.seal(KeyringA(contents: contents.encoded), to: member, wrapA, vault.state)
      #expect(throws: MembershipError.wrongCommitment) { try Keyring.open(sealed, vault.keys.a, wrapA, vault.state) }
    }
    func expectRefusedC(_ contents: CBORValue) throws {
      let sealed = try Keyring.seal(KeyringC(contents: contents.encoded), to: member, wrapA, vault.state)
      #expect(throws: MembershipError.wrongCommitment) { try Keyring.open(sealed, vault.keys.c, wrapA, vault.state) }
    }
    let a = CBORValue.bytes(try vault.keyA(1).bytes)
    let c = CBORValue.bytes(try vault.keyC(1).bytes)
    let (slot, set) = (CBORValue.bytes(vault.c.slotKey.bytes), CBORValue.bytes(vault.c.setHashKey.bytes))
    let recovery = CBORValue.bytes(vault.recovery.id)
    let other = CBORValue.bytes(Randomness.bytes(32))
    try expectRefusedA([1, 1, [[1, c]], []])
    try expectRefusedA([1, 1, [[2, a]], []])
    try expectRefusedA([1, 1, [[1, a], [2, other]], []])
    try expectRefusedA([1, 1, [[1, a]], [[recovery, other]]])
    try expectRefusedA([1, 1, [[1, a]], [[other, .bytes(vault.recovery.preSharedKey.bytes)]]])
    try expectRefusedC([1, 3, [[1, other]], slot, set])
    try expectRefusedC([1, 3, [[1, c]], set, slot])
    try expectRefusedC([1, 3, [[1, c]], other, set])
    try expectRefusedC([1, 3, [[1, c]], slot, other])
  }

  @Test func `Contents whose newest epoch is not the keyring's are refused`() throws {
    var vault = try TestVault()
    let old = vault.a
    _ = try vault.rotate()
    let member = try vault.member(vault.keys)
    let wrap = KeyringWrap.previousEpoch(try vault.keyA(1))
    // The header is authentic for epoch 2, the contents end at epoch 1: only somebody with the keys can make that.
    let box = try SealedBox.seal(old.exportContents(), to: member.keys.exchangeA)
    let id = vault.keys.device.bytes
    let nonce = Randomness.bytes(24)
    let key = try vault.keyA(1).key.derive(
      EncryptionRole.self, "lockstep/keyring-wrap/1", [.bytes(vault.state.vaultID), 2, .bytes(id)])
    let ciphertext = key.encrypt(
      box, nonce: nonce, "lockstep/keyring/1", [1, .bytes(vault.state.vaultID), 2, .bytes(id), 0])
    let sealed = SealedKeyring(
      kind: .a, vaultID: vault.state.vaultID, epoch: 2, recipient: id, wrap: .previousEpoch, nonce: nonce,
      ciphertext: ciphertext)
    #expect(throws: MembershipError.malformed) { try Keyring.open(sealed, vault.keys.a, wrap, vault.state) }
  }

  @Test func `Epoch 1 has no previous key to be wrapped under`() throws {
    let vault = try TestVault()
    #expect(throws: MembershipError.missingKey(epoch: 0)) {
      try Keyring.seal(vault.a, to: vault.member(vault.keys), .previousEpoch(vault.keyA(1)), vault.state)
    }
  }

  @Test func `Nothing is sealed under keys that the chain does not name, or without the previous ones`() throws {
    var vault = try TestVault()
    #expect(throws: MembershipError.wrongCommitment) {
      try Keyring.sealAll(vault.a.rotated(), vault.c.rotated(), vault.state)
    }
    #expect(throws: MembershipError.missingKey(epoch: 0)) { try Keyring.sealAll(vault.a, vault.c, vault.state) }
    _ = try vault.rotate()
    #expect(throws: MembershipError.missingKey(epoch: 1)) {
      try Keyring.sealAll(vault.a.dropping(below: 2), vault.c, vault.state)
    }
  }

  @Test func `Keys and recovery keys that were removed since still match, and are left out when keyrings are joined`()
    throws
  {
    var vault = try TestVault()
    let before = vault.a
    _ = try vault.rotate(recoveryKeys: [vault.recovery.id])
    #expect(before.matches(vault.state))
    #expect(vault.a.joined(before, vault.state).recovery.isEmpty)
  }
}
