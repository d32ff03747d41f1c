import RelayCore
import RelayWire
import Testing
import Threading
import VaultCrypto

@Suite struct AuthenticationTests {
  private struct Signed {
    let relay: TestRelay
    let vault: Vault
    var request: ServerRequest

    init(created: Int64 = 0, target: String? = nil, signer: Device? = nil) throws {
      relay = try TestRelay()
      vault = try Vault()
      _ = try relay.register(vault)
      let path = "/v1/vaults/\(PathIdentifier.encode(vault.id))/changes"
      request = ServerRequest(method: "GET", target: path, host: "relay.example:7440")
      request.signature = RequestSignature(
        method: "GET", target: target ?? "http://relay.example:7440" + path, bodyDigest: Digest.sha256([]),
        created: UInt64(Int64(relay.now / 1_000) + created), nonce: Randomness.bytes(16),
        signer: signer ?? vault.founder)
    }

    var reply: Reply { relay.service.answer(request) }

    var code: ProblemCode? {
      let reply = reply
      return Problem(reading: RelayResponse(status: reply.status, body: reply.body)).code
    }
  }

  @Test("A signed request is answered, and the same one again is a replay")
  func replay() throws {
    let signed = try Signed()
    #expect(signed.reply.status == 200)
    #expect(signed.code == .replayed)
  }

  @Test("A request without a signature, or with a missing field, is refused")
  func unsigned() throws {
    var signed = try Signed()
    signed.request.signature = nil
    #expect(signed.code == .signature)
  }

  @Test("The clock may be five minutes off, not more, and the relay says its own")
  func clockSkew() throws {
    #expect(try Signed(created: 300).reply.status == 200)
    #expect(try Signed(created: -300).reply.status == 200)
    for created: Int64 in [301, -302, 1_000_000_000] {
      let signed = try Signed(created: created)
      let reply = signed.reply
      let problem = Problem(reading: RelayResponse(status: reply.status, body: reply.body))
      #expect(problem.code == .clockSkew)
      #expect(problem.time == signed.relay.now)
    }
  }

  @Test("A signature of another key, for another target, method or body does not verify")
  func otherSignatures() throws {
    #expect(try Signed(target: "http://relay.example:7440/healthz").code == .signature)
    #expect(try Signed(target: "https://relay.example:7440/").code == .signature)
    #expect(try Signed(signer: Device()).code == .notADevice)
    var signed = try Signed()
    signed.request.target += "?since=1"
    #expect(signed.code == .signature)
    signed = try Signed()
    signed.request.host = "other.example"
    #expect(signed.code == .signature)
    signed = try Signed()
    signed.request.host = nil
    #expect(signed.code == .malformed)
    signed = try Signed()
    let other = RequestSignature.contentDigest(Digest.sha256([1]))
    signed.request.signature?.contentDigest = other
    #expect(signed.code == .signature)
  }

  @Test("Behind a proxy the public address counts, whatever Host says")
  func publicAddress() throws {
    let folder = try Folder()
    let storage = try TestRelay().storage
    var configuration = RelayService.Configuration()
    configuration.openRegistration = true
    configuration.publicAddress = RelayAddress("https://vault.example/lockstep")
    let service = RelayService(storage: storage, configuration: configuration)
    let vault = try Vault()
    let body = CreateVaultRequest(invite: nil, genesis: vault.genesis, keyrings: []).encoded
    var request = ServerRequest(
      method: "POST", target: "/v1/vaults", host: "127.0.0.1:7440", contentType: "application/cbor", body: body)
    request.signature = RequestSignature(
      method: "POST", target: "https://vault.example/lockstep/v1/vaults", bodyDigest: Digest.sha256(body),
      created: WallClock.milliseconds / 1_000, nonce: Randomness.bytes(16), signer: vault.founder)
    #expect(service.answer(request).status == 201)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "Paths, methods and queries of another form are refused with the code that says why",
    arguments: [
      ("GET", "/", ProblemCode.notFound), ("GET", "/v1", .notFound), ("GET", "/v1/", .notFound),
      ("GET", "/v1/vaults/ID/nothing", .notFound), ("GET", "/v1/vaults/ID/changes/", .notFound),
      ("GET", "//v1/vaults/ID/changes", .notFound), ("GET", "http://relay.example:7440/healthz", .notFound),
      ("GET", "/v2/vaults/ID/changes", .notFound), ("GET", "*", .notFound), ("GET", "", .notFound),
      ("GET", "/v1/vaults/IDX/changes", .malformed), ("GET", "/v1/vaults//changes", .malformed),
      ("GET", "/v1/vaults/../changes", .malformed), ("GET", "/v1/vaults/%41/changes", .malformed),
      ("GET", "/v1/vaults/ID/mailboxes/x/request", .malformed),
      ("POST", "/healthz", .method), ("DELETE", "/v1/vaults", .method), ("PATCH", "/v1/vaults/ID/chain", .method),
      ("get", "/healthz", .method), ("", "/healthz", .method),
      ("GET", "/healthz?x=1", .malformed), ("GET", "/v1/vaults/ID/changes?since=-1", .malformed),
      ("GET", "/v1/vaults/ID/changes?since=", .malformed), ("GET", "/v1/vaults/ID/changes?since=1&since=2", .malformed),
      ("GET", "/v1/vaults/ID/changes?since=18446744073709551616", .malformed),
      ("GET", "/v1/vaults/ID/changes?other=1", .malformed), ("GET", "/v1/vaults/ID/changes?", .malformed),
      ("GET", "/v1/vaults/ID/changes?since=1&", .malformed), ("GET", "/healthz ", .malformed),
      ("GET", "/healthz\u{7f}", .malformed), ("POST", "/v1/vaults?x=1", .malformed),
    ])
  func badTargets(method: String, target: String, code: ProblemCode) throws {
    let id = PathIdentifier.encode(Randomness.bytes(32))
    let target = target.split(separator: "ID", omittingEmptySubsequences: false).joined(separator: id)
    let relay = try TestRelay()
    let reply = relay.service.answer(ServerRequest(method: method, target: target, host: "relay.example:7440"))
    #expect(Problem(reading: RelayResponse(status: reply.status, body: reply.body)).code == code)
    #expect((reply.allow != nil) == (code == .method))
  }

  @Test("A query's numbers have limits")
  func numbers() throws {
    for query in ["limit=0", "limit=1001", "wait=56"] {
      var signed = try Signed()
      let target = signed.request.target + "?" + query
      signed.request.target = target
      signed.request.signature = RequestSignature(
        method: "GET", target: "http://relay.example:7440" + target, bodyDigest: Digest.sha256([]),
        created: signed.relay.now / 1_000, nonce: Randomness.bytes(16), signer: signed.vault.founder)
      #expect(signed.code == .malformed, "\(query)")
    }
  }
}
