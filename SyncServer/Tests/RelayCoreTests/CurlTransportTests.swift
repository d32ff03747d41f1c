import DeviceChain
import RelayClient
import RelayCore
import RelayHTTP
import RelayWire
import Synchronization
import Testing
import Threading
import VaultCrypto

/// libcurl on one side, libmicrohttpd on the other, and a relay between them.
@Suite struct CurlTransportTests {
  /// A relay behind HTTP on a free port.
  final class Served: Sendable {
    let relay: TestRelay
    let address: RelayAddress
    private let server: Mutex<HTTPServer?>

    init() throws {
      relay = try TestRelay(realTime: true)
      let listen = try #require(ListenAddress("127.0.0.1:0"))
      let server = try HTTPServer(relay.service, listen: listen, HTTPServer.Options())
      address = try #require(RelayAddress("http://" + server.address))
      self.server = Mutex(server)
    }

    func stop() -> Bool {
      server.withLock { server in
        defer { server = nil }
        return server?.stop() ?? true
      }
    }

    deinit { _ = stop() }
  }

  @Test("Everything that a device asks of a relay goes over HTTP")
  func everything() throws {
    let served = try Served()
    var vault = try Vault()
    let transport = CurlTransport()
    let api = RelayAPI(transport: transport, address: served.address, vault: vault.id, signer: vault.founder)
    let joiner = RelayAPI(transport: transport, address: served.address, vault: vault.id, signer: nil)
    #expect(try api.isHealthy())
    let incarnation = try api.createVault(invite: nil, genesis: vault.genesis, keyrings: [])
    let entry = vault.addition(Device(), .reader)
    #expect(try api.append(expectedHead: vault.state.head, entry: entry, keyrings: []) == 1)
    try vault.apply(entry)
    try api.putKeyrings([vault.keyring(vault.founder.id)])
    #expect(try api.keyrings().keyrings.count == 1)
    let large = vault.founder.record(size: 15 << 20)
    #expect(try api.push(incarnation: incarnation, [PushItem(anySlot(), large)]) == [.stored(1)])
    #expect(try api.changes(since: 0).changes.first?.content == .record(large))
    try api.putCheckpoint(incarnation: incarnation, vault.founder.checkpoint())
    let mailbox = Randomness.bytes(32)
    try api.openMailbox(mailbox)
    #expect(try joiner.pairingAnswer(mailbox: mailbox) == nil)
    try joiner.putPairingRequest(mailbox: mailbox, [1, 2, 3])
    #expect(try api.pairingRequest(mailbox: mailbox) == [1, 2, 3])
    try api.putPairingAnswer(mailbox: mailbox, [4])
    #expect(try joiner.pairingAnswer(mailbox: mailbox) == [4])
    try api.closeMailbox(mailbox)
    #expect(try joiner.recovery(locator: vault.recovery.keys.locator).entries.count == 2)
    expect(.notFound) { _ = try joiner.pairingAnswer(mailbox: mailbox) }
    expect(.notADevice) {
      _ = try RelayAPI(transport: transport, address: served.address, vault: vault.id, signer: Device()).chain(from: 0)
    }
    #expect(served.stop())
  }

  @Test("A poll is woken over HTTP, cancelled from another thread, and answered when the relay stops")
  func waiting() throws {
    let served = try Served()
    let vault = try Vault()
    let transport = CurlTransport()
    let api = RelayAPI(transport: transport, address: served.address, vault: vault.id, signer: vault.founder)
    let incarnation = try api.createVault(invite: nil, genesis: vault.genesis, keyrings: [])
    func poll(_ since: UInt64, while action: () throws -> Void) throws -> Result<ChangesPage, any Error> {
      let result = Monitor<Result<ChangesPage, any Error>?>(nil)
      // A cancelled poll waits on at the relay, which does not see that nobody listens.
      let others = served.relay.service.waiters.count
      let thread = WorkerThread { result.change { $0 = Result { try api.changes(since: since, wait: 50) } } }
      try #require(thread != nil)
      while served.relay.service.waiters.count <= others { pause() }
      try action()
      return try #require(result.wait { $0 })
    }
    let woken = try poll(0) {
      _ = try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record())])
    }
    #expect(try woken.get().changes.count == 1)
    let ticket = transport.waitTicket
    let cancelled = try poll(1) { transport.cancelWaiting() }
    #expect(throws: RelayError.cancelled) { try cancelled.get() }
    #expect(throws: RelayError.cancelled) { try api.changes(since: 1, wait: 50, ticket: ticket) }
    // A cancelled connection is not used again, and others serve on.
    #expect(try api.changes(since: 0).changes.count == 1)
    let stopped = try poll(1) { #expect(served.stop()) }
    #expect(try stopped.get().changes.isEmpty)
    #expect(throws: RelayError.self) { try api.changes(since: 0) }
  }

  @Test("Many threads share a transport")
  func threads() throws {
    let served = try Served()
    let vault = try Vault()
    let api = RelayAPI(
      transport: CurlTransport(), address: served.address, vault: vault.id, signer: vault.founder)
    let incarnation = try api.createVault(invite: nil, genesis: vault.genesis, keyrings: [])
    let failures = Monitor<[String]>([])
    let threads = (0..<8).map { _ in
      WorkerThread {
        for _ in 0..<20 {
          do {
            _ = try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record())])
            _ = try api.changes(since: 0)
          } catch {
            failures.change { $0.append("\(error)") }
          }
        }
      }
    }
    for thread in threads { try #require(thread).join() }
    #expect(failures.quietly { $0 } == [])
    #expect(try api.changes(since: 0).head == 160)
  }

  private func answer(
    to request: (RelayAPI) throws -> Void, _ serve: @escaping @Sendable (Int32) -> Void
  ) throws -> RelayError? {
    let server = RawServer(serve)
    let device = Device()
    let api = RelayAPI(
      transport: CurlTransport(), address: try #require(server.address), vault: Randomness.bytes(32), signer: device)
    do {
      try request(api)
      return nil
    } catch {
      return error as? RelayError
    }
  }

  @Test("An answer that is too large, whether it says so or not, is cut off")
  func largeAnswers() throws {
    let announced = try answer(to: { _ = try $0.chain(from: 0) }) { connection in
      _ = RawServer.readHeader(connection)
      RawServer.send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nx")
    }
    #expect(announced != nil)
    let endless = try answer(to: { _ = try $0.chain(from: 0) }) { connection in
      _ = RawServer.readHeader(connection)
      RawServer.send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
      while RawServer.send(connection, chunk) {}
    }
    #expect(endless == .malformedAnswer)
    let header = try answer(to: { _ = try $0.chain(from: 0) }) { connection in
      _ = RawServer.readHeader(connection)
      RawServer.send(connection, "HTTP/1.1 200 OK\r\n")
      while RawServer.send(connection, "X-Filler: \(String(repeating: "y", count: 1_000))\r\n") {}
    }
    #expect(header == .malformedAnswer)
  }

  @Test("A redirection is not followed, and no other protocol is spoken")
  func redirections() throws {
    let counter = Counter()
    for location in ["/healthz", "file:///etc/passwd", "http://127.0.0.1:1/"] {
      let error = try answer(to: { _ = try $0.chain(from: 0) }) { connection in
        counter.count.add(1, ordering: .relaxed)
        _ = RawServer.readHeader(connection)
        RawServer.send(connection, "HTTP/1.1 307 Go\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
      }
      #expect(error == .malformedAnswer)
    }
    #expect(counter.count.load(ordering: .relaxed) == 3)
  }

  final class Counter: Sendable {
    let count = Atomic(0)
  }

  @Test("What is no HTTP, ends early, or is nobody is unreachable, with a reason")
  func noAnswer() throws {
    for text in ["", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"] {
      let error = try answer(to: { _ = try $0.chain(from: 0) }) { connection in
        _ = RawServer.readHeader(connection)
        RawServer.send(connection, text)
      }
      guard case .unreachable(let reason) = error else {
        Issue.record("\(text): \(String(describing: error))")
        continue
      }
      #expect(!reason.isEmpty)
    }
    let address = try #require(RelayAddress("http://127.0.0.1:1"))
    let api = RelayAPI(transport: CurlTransport(), address: address, vault: [], signer: nil)
    #expect(throws: RelayError.self) { try api.isHealthy() }
  }

  @Test("Retry-After and a foreign error page come through as a problem without a code")
  func foreignErrors() throws {
    let error = try answer(to: { _ = try $0.chain(from: 0) }) { connection in
      _ = RawServer.readHeader(connection)
      RawServer.send(
        connection, "HTTP/1.1 503 Busy\r\nRetry-After: 17\r\nContent-Length: 6\r\n\r\n<html>")
    }
    guard case .problem(let problem) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem.code == nil && problem.status == 503 && problem.retryAfter == 17)
    #expect(RelayError.problem(problem).isTransient)
  }

  @Test("A request that the relay has seen before is signed anew and sent once more")
  func replayIsSignedAnew() throws {
    let nonces = Monitor<[String]>([])
    let error = try answer(to: { _ = try $0.chain(from: 0) }) { connection in
      let header = RawServer.readHeader(connection)
      nonces.change { $0.append(header.split(separator: "nonce=").last.map { String($0.prefix(34)) } ?? "") }
      let body = String(decoding: Problem(.replayed, "seen").body, as: UTF8.self)
      RawServer.send(
        connection,
        "HTTP/1.1 401 No\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    #expect(error?.problemCode == .replayed)
    let seen = nonces.quietly { $0 }
    #expect(seen.count == 2 && seen[0] != seen[1])
  }

  @Test("A signed request without a signer is not sent")
  func noSigner() throws {
    let served = try Served()
    let api = RelayAPI(
      transport: CurlTransport(), address: served.address, vault: Randomness.bytes(32), signer: nil)
    expect(.signature) { _ = try api.chain(from: 0) }
  }
}
