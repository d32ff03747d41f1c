import DeviceChain
import RelayCore
import RelayWire
import Testing
import VaultCrypto

/// Valid requests, damaged at random and signed again: whatever comes, the relay answers with a problem or does what was asked.
@Suite struct MutationTests {
  private struct Target {
    let method: String
    let path: String
    let body: [UInt8]
    var type = "application/cbor"
  }

  @Test("Damaged bodies are answered with 4xx or taken, and never end the relay", arguments: 1...4)
  func damagedBodies(seed: UInt64) throws {
    var generator = Seeded(state: seed)
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    _ = try relay.join(Device(), .reader, to: &vault)
    let mailbox = Randomness.bytes(32)
    try api.openMailbox(mailbox)
    for _ in 0..<1_500 {
      let target = target(vault, incarnation, mailbox, &generator)
      let body = mutate(target.body, &generator)
      let reply = relay.service.answer(sign(target, body, vault.founder, relay))
      #expect((200..<500).contains(reply.status), "\(target.method) \(target.path) \(body)")
      if reply.status >= 400 {
        #expect(Problem(reading: RelayResponse(status: reply.status, body: reply.body)).code != nil)
      }
    }
    // It still works, and its digest is still that of its listing.
    let page = try api.changes(since: 0)
    var digest = ListingDigest()
    for change in page.changes {
      if case .record = change.content { digest.insert(slot: change.slot, sequence: change.sequence) }
    }
    #expect(page.more || page.last?.listingDigest == digest.bytes)
  }

  @Test("Damaged signature fields and targets are answered with 4xx", arguments: 1...2)
  func damagedHeaders(seed: UInt64) throws {
    var generator = Seeded(state: seed)
    let relay = try TestRelay()
    let vault = try Vault()
    let (_, incarnation) = try relay.register(vault)
    for _ in 0..<1_500 {
      let target = target(vault, incarnation, Randomness.bytes(32), &generator)
      var request = sign(target, target.body, vault.founder, relay)
      var fields = try #require(request.signature)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: fields.signatureInput = text(fields.signatureInput, &generator)
      case 1: fields.signature = text(fields.signature, &generator)
      case 2: fields.contentDigest = text(fields.contentDigest, &generator)
      default: request.target = text(request.target, &generator)
      }
      request.signature = fields
      let reply = relay.service.answer(request)
      // A mutation can put back the byte that was there.
      #expect((200..<500).contains(reply.status))
    }
  }

  private func target(
    _ vault: Vault, _ incarnation: [UInt8], _ mailbox: [UInt8], _ generator: inout Seeded
  ) -> Target {
    let base = "/v1/vaults/\(PathIdentifier.encode(vault.id))"
    let founder = vault.founder
    switch Int.random(in: 0..<7, using: &generator) {
    case 0:
      let items = (0..<3).map { _ in PushItem(anySlot(), founder.record(size: 8)) }
      return Target(
        method: "POST", path: base + "/records", body: PushRequest(incarnation: incarnation, items: items).encoded)
    case 1:
      let purge = founder.purge(slot: anySlot(), sequence: 1, of: [1], incarnation: incarnation)
      let item = PushItem(slot: anySlot(), base: 1, content: .purge(purge))
      return Target(
        method: "POST", path: base + "/records", body: PushRequest(incarnation: incarnation, items: [item]).encoded)
    case 2:
      let message = AppendEntryRequest(
        expectedHead: vault.state.head, entry: vault.addition(Device(), .reader),
        keyrings: [vault.keyring(founder.id)], isRepair: false)
      return Target(method: "POST", path: base + "/chain", body: message.encoded)
    case 3:
      return Target(
        method: "POST", path: base + "/keyrings",
        body: PutKeyringsRequest(keyrings: [vault.keyring(founder.id)]).encoded)
    case 4:
      let message = PutCheckpointRequest(incarnation: incarnation, checkpoint: founder.checkpoint(size: 20))
      return Target(method: "PUT", path: base + "/checkpoint", body: message.encoded)
    case 5:
      let message = CreateVaultRequest(invite: nil, genesis: vault.genesis, keyrings: [])
      return Target(method: "POST", path: "/v1/vaults", body: message.encoded)
    default:
      let path = "/v1/mailboxes/\(PathIdentifier.encode(mailbox))/request"
      return Target(method: "PUT", path: path, body: [1, 2, 3], type: "application/octet-stream")
    }
  }

  private func sign(_ target: Target, _ body: [UInt8], _ device: Device, _ relay: TestRelay) -> ServerRequest {
    var request = ServerRequest(
      method: target.method, target: target.path, host: "relay.example:7440", contentType: target.type, body: body)
    request.signature = RequestSignature(
      method: target.method, target: "http://relay.example:7440" + target.path, bodyDigest: Digest.sha256(body),
      created: relay.now / 1_000, nonce: Randomness.bytes(16), signer: device)
    return request
  }

  /// One to three damages: a byte changed, removed, inserted or repeated, a length made huge, the end cut off.
  private func mutate(_ bytes: [UInt8], _ generator: inout Seeded) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes.remove(at: index)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
      case 4: bytes.replaceSubrange(index..<index, with: [0x9B, 255, 255, 255, 255, 255, 255, 255, 255])
      default: bytes.removeLast(bytes.count - index)
      }
    }
    return bytes
  }

  private func text(_ text: String, _ generator: inout Seeded) -> String {
    String(decoding: mutate(Array(text.utf8), &generator), as: UTF8.self)
  }
}
