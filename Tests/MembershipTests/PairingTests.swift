import CBOR
import DeviceChain
import Membership
import RelayWire
import Testing
import VaultCrypto
import VaultModel

@Suite struct PairingTests {
  /// A pairing up to the answer.
  struct Exchange {
    var vault: TestVault
    let joiner = DeviceKeys.random()
    let secret: PairingSecret
    let request: PairingRequest
    var answer: PairingAnswer

    init() throws {
      vault = try TestVault()
      secret = PairingSecret.random(vault: vault.state.vault)
      request = try PairingRequest(joiner, name: "birch", secret)
      let opened = try PairingRequest(opening: request.encoded, secret)
      vault.append(
        try ChainAuthor.addDevice(
          vault.state, opened, .writer, secret, vault.c, by: vault.keys.a, time: TestVault.now))
      let keyrings = try Keyring.seal(
        vault.a, vault.c, to: vault.member(joiner), joiningBy: secret, vault.state)
      answer = .approved(
        .init(
          role: .writer, head: vault.state.head, number: vault.state.number, keyringA: keyrings.a,
          keyringC: keyrings.c, checkpoint: [1, 2, 3]))
    }
  }

  @Test func `A device joins: request, chain entry, answer, keyrings`() throws {
    let exchange = try Exchange()
    let (vault, secret, joiner) = (exchange.vault, exchange.secret, exchange.joiner)
    let bytes = try exchange.answer.sealed(to: exchange.request, secret)
    guard case .approved(let approval) = try PairingAnswer(opening: bytes, to: exchange.request, secret) else {
      Issue.record("the inviter said yes")
      return
    }
    let state = try ChainState(verifying: vault.entries, vaultID: secret.vault.bytes)
    #expect(approval.isConfirmed(by: state, for: joiner.publicKeys))
    #expect(!approval.isConfirmed(by: state, for: vault.keys.publicKeys))
    #expect(approval.checkpoint == [1, 2, 3])
    let a = try Keyring.open(approval.keyringA, joiner.a, .pairing(secret), state)
    let c = try Keyring.open(approval.keyringC, joiner.c, .pairing(secret), state)
    #expect(a.exportContents() == vault.a.exportContents())
    let device = try vault.member(joiner)
    #expect(try SealedName.open(device.name, for: device.id, c) == "birch")
    #expect(device.role == .writer && device.addedBy == .device(vault.keys.device.bytes))
  }

  @Test func `A refusal says only that`() throws {
    let exchange = try Exchange()
    let bytes = try PairingAnswer.refused.sealed(to: exchange.request, exchange.secret)
    #expect(try PairingAnswer(opening: bytes, to: exchange.request, exchange.secret) == .refused)
  }

  @Test func `A request altered at any byte, cut or lengthened does not open`() throws {
    let exchange = try Exchange()
    var bytes = exchange.request.encoded
    for index in bytes.indices {
      bytes[index] ^= 1
      #expect(throws: MembershipError.self) { try PairingRequest(opening: bytes, exchange.secret) }
      bytes[index] ^= 1
    }
    for length in 0..<bytes.count {
      #expect(throws: MembershipError.self) { try PairingRequest(opening: Array(bytes[..<length]), exchange.secret) }
    }
    #expect(throws: MembershipError.self) { try PairingRequest(opening: bytes + [0], exchange.secret) }
    #expect(throws: MembershipError.tooLarge) {
      try PairingRequest(opening: [UInt8](repeating: 0, count: 4 * 1024 + 1), exchange.secret)
    }
  }

  @Test func `An answer altered at any byte, cut or lengthened does not open`() throws {
    let exchange = try Exchange()
    var bytes = try exchange.answer.sealed(to: exchange.request, exchange.secret)
    for index in bytes.indices {
      bytes[index] ^= 0x80
      #expect(throws: MembershipError.self) {
        try PairingAnswer(opening: bytes, to: exchange.request, exchange.secret)
      }
      bytes[index] ^= 0x80
    }
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: MembershipError.self) {
        try PairingAnswer(opening: Array(bytes[..<length]), to: exchange.request, exchange.secret)
      }
    }
    #expect(throws: MembershipError.self) {
      try PairingAnswer(opening: bytes + [0], to: exchange.request, exchange.secret)
    }
    #expect(throws: MembershipError.tooLarge) {
      try PairingAnswer(
        opening: [UInt8](repeating: 0, count: 1024 * 1024 + 1), to: exchange.request, exchange.secret)
    }
  }

  @Test func `Another secret or another vault opens neither`() throws {
    let exchange = try Exchange()
    let answer = try exchange.answer.sealed(to: exchange.request, exchange.secret)
    var bytes = [UInt8](repeating: 3, count: 16)
    var same = bytes
    let vault = exchange.vault.state.vault
    let one = PairingSecret(try SymmetricKey(consuming: &bytes), vault: vault)
    let elsewhere = PairingSecret(try SymmetricKey(consuming: &same), vault: try TestVault().state.vault)
    #expect(one.mailbox != elsewhere.mailbox)
    for secret in [PairingSecret.random(vault: vault), one, elsewhere] {
      #expect(throws: MembershipError.notAuthentic) { try PairingRequest(opening: exchange.request.encoded, secret) }
      #expect(throws: MembershipError.notAuthentic) {
        try PairingAnswer(opening: answer, to: exchange.request, secret)
      }
    }
    let request = try PairingRequest(exchange.joiner, name: "birch", one)
    #expect(throws: MembershipError.notAuthentic) { try PairingRequest(opening: request.encoded, elsewhere) }
  }

  @Test func `An answer is bound to the very request that it answers`() throws {
    let exchange = try Exchange()
    let answer = try exchange.answer.sealed(to: exchange.request, exchange.secret)
    let again = try PairingRequest(exchange.joiner, name: "birch", exchange.secret)
    #expect(throws: MembershipError.notAuthentic) {
      try PairingAnswer(opening: answer, to: again, exchange.secret)
    }
    #expect(throws: MembershipError.self) { try PairingRequest(opening: answer, exchange.secret) }
    #expect(throws: MembershipError.self) {
      try PairingAnswer(opening: exchange.request.encoded, to: exchange.request, exchange.secret)
    }
  }

  @Test func `A request for keys that its maker does not hold is refused`() throws {
    let exchange = try Exchange()
    let victim = DeviceKeys.random()
    // What the invited device, which knows the secret, could send: another's public keys, its own chain-signing key.
    let mixed = DeviceKeys(
      a: DeviceKeysA(device: victim.device, chainSigning: .random(), exchange: .random()), c: victim.c)
    let honest = try PairingRequest(mixed, name: "birch", exchange.secret)
    #expect(try PairingRequest(opening: honest.encoded, exchange.secret).deviceID != victim.device)
    let contents: CBORValue = [
      1, victim.publicKeys.value, .text("birch"), .bytes(honest.nameSalt), .bytes(honest.joinSignature),
    ]
    #expect(throws: MembershipError.notAuthentic) {
      try PairingRequest(opening: try sealed(contents, exchange), exchange.secret)
    }
  }

  @Test func `Requests of another form, though authentic, are refused`() throws {
    let exchange = try Exchange()
    let request = exchange.request
    let device = request.device.value
    let (salt, signature) = (CBORValue.bytes(request.nameSalt), CBORValue.bytes(request.joinSignature))
    for contents in [
      [2, device, "birch", salt, signature], [1, device, "birch", salt], [1, device, "birch", salt, signature, 0],
      [1, device, .text(String(repeating: "b", count: 129)), salt, signature],
      [1, device, "birch", .bytes(Array(request.nameSalt.dropLast())), signature],
      [1, device, "birch", salt, .bytes(Array(request.joinSignature.dropLast()))],
      [1, device, .bytes(Array("birch".utf8)), salt, signature],
    ] as [CBORValue] {
      let bytes = try sealed(contents, exchange)
      #expect(throws: MembershipError.malformed) { try PairingRequest(opening: bytes, exchange.secret) }
    }
    let renamed = try sealed([1, device, "beech", salt, signature], exchange)
    #expect(throws: MembershipError.notAuthentic) { try PairingRequest(opening: renamed, exchange.secret) }
  }

  /// A message that only somebody with the secret can make; here from a secret whose bytes are known.
  private func sealed(_ contents: CBORValue, _ exchange: Exchange) throws -> [UInt8] {
    let code = try #require(PairingCode(relay: "https://relay.example", secret: exchange.secret))
    return try TestPairing(code).seal(contents)
  }

  @Test func `Names of more than 128 bytes are not sent`() throws {
    let vault = try TestVault()
    let secret = PairingSecret.random(vault: vault.state.vault)
    #expect(throws: MembershipError.nameTooLong) {
      try PairingRequest(DeviceKeys.random(), name: String(repeating: "é", count: 65), secret)
    }
    #expect(throws: Never.self) {
      try PairingRequest(DeviceKeys.random(), name: String(repeating: "é", count: 64), secret)
    }
  }

  @Test func `The request fits its limit with the longest name`() throws {
    let vault = try TestVault()
    let secret = PairingSecret.random(vault: vault.state.vault)
    let request = try PairingRequest(DeviceKeys.random(), name: String(repeating: "x", count: 128), secret)
    #expect(request.encoded.count < PairingRequest.limit)
  }

  @Test func `The fingerprint is sixteen characters in groups of four, and another device's is another`() {
    let device = DeviceKeys.random().device
    let text = Fingerprint.text(device)
    #expect(text.split(separator: "-").map(\.count) == [4, 4, 4, 4])
    #expect(Fingerprint.text(device) == text)
    #expect(Fingerprint.text(DeviceKeys.random().device) != text)
  }
}
