import DeviceChain
import RelayCore
import RelayWire
import Testing
import Threading
import VaultCrypto

@Suite struct WaitingTests {
  /// Runs `waiting` on a thread, `action` here once the request waits, and returns what the request brought.
  private func answer<Value: Sendable>(
    _ relay: TestRelay, of waiting: @escaping @Sendable () throws -> Value, after action: () throws -> Void
  ) throws -> Result<Value, any Error> {
    let result = Monitor<Result<Value, any Error>?>(nil)
    let thread = WorkerThread { result.change { $0 = Result { try waiting() } } }
    #expect(thread != nil)
    while relay.service.waiters.count == 0 { pause() }
    try action()
    return try #require(result.wait { $0 })
  }

  @Test("A poll is woken by a push, by a chain entry and by a checkpoint")
  func events() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let pushed = try answer(relay, of: { try api.changes(since: 0, wait: 50) }) {
      _ = try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record())])
    }
    #expect(try pushed.get().changes.count == 1)
    let grown = try answer(relay, of: { try api.changes(since: 1, wait: 50, chain: 1) }) {
      _ = try relay.join(Device(), .reader, to: &vault)
    }
    #expect(try grown.get().chainLength == 2)
    let published = try answer(relay, of: { try api.changes(since: 1, wait: 50, chain: 2, checkpoints: 0) }) {
      try api.putCheckpoint(incarnation: incarnation, vault.founder.checkpoint())
    }
    #expect(try published.get().last?.checkpointCount == 1)
  }

  @Test("What happened before the poll answers it at once")
  func alreadyThere() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    _ = try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record())])
    #expect(try api.changes(since: 0, wait: 55).changes.count == 1)
    #expect(try api.changes(since: 1, wait: 55, chain: 0).changes.isEmpty)
    try api.putCheckpoint(incarnation: incarnation, vault.founder.checkpoint())
    #expect(try api.changes(since: 1, wait: 55, chain: 1, checkpoints: 0).last?.checkpoints.count == 1)
  }

  @Test("A poll in which nothing happens ends with an empty page, and another vault's events do not end it")
  func timeout() throws {
    let relay = try TestRelay()
    let (vault, other) = (try Vault(), try Vault())
    let (api, _) = try relay.register(vault)
    let (otherAPI, otherIncarnation) = try relay.register(other)
    let page = try answer(relay, of: { try api.changes(since: 0, wait: 1, chain: 1, checkpoints: 0) }) {
      _ = try otherAPI.push(incarnation: otherIncarnation, [PushItem(anySlot(), other.founder.record())])
    }
    #expect(try page.get().changes.isEmpty)
    #expect(try page.get().last != nil)
    #expect(relay.service.waiters.count == 0)
  }

  @Test("A device that is revoked while it waits is told at once")
  func revocation() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let device = Device()
    let deviceAPI = try relay.join(device, .writer, to: &vault)
    let result = try answer(relay, of: { try deviceAPI.changes(since: 0, wait: 50) }) {
      let entry = vault.revocation([device.id], at: FeedPosition(incarnation: incarnation, sequence: 0))
      _ = try api.append(expectedHead: vault.state.head, entry: entry, keyrings: [])
    }
    expect(.revoked) { _ = try result.get() }
  }

  @Test("Cancelling ends a waiting poll, and one whose decision to wait is older than the cancellation")
  func cancelling() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, _) = try relay.register(vault)
    let ticket = relay.transport.waitTicket
    let result = try answer(relay, of: { try api.changes(since: 0, wait: 50) }) { relay.transport.cancelWaiting() }
    #expect(throws: RelayError.cancelled) { try result.get() }
    #expect(throws: RelayError.cancelled) { try api.changes(since: 0, wait: 50, ticket: ticket) }
  }

  @Test("A device that begins poll after poll ends its own oldest ones, and nobody else's")
  func superseding() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, _) = try relay.register(vault)
    let other = try relay.join(Device(), .reader, to: &vault)
    let ended = Monitor<[String]>([])
    func poll(_ api: RelayAPI, _ name: String) throws {
      let count = relay.service.waiters.count
      let thread = WorkerThread {
        let page = try? api.changes(since: 0, wait: 50)
        ended.change { $0.append(page?.changes.isEmpty == true ? name : "failed") }
      }
      try #require(thread != nil)
      // One more waits, or one has taken the place of another.
      while relay.service.waiters.count == count, ended.quietly({ $0.isEmpty }) { pause() }
    }
    try poll(other, "other")
    for number in 1...5 { try poll(api, "poll \(number)") }
    #expect(ended.wait { $0.isEmpty ? nil : $0 } == ["poll 1"])
    #expect(relay.service.waiters.count == 5)
    relay.service.stopWaiting()
    #expect(ended.wait { $0.count < 6 ? nil : $0.sorted() } == ["other"] + (1...5).map { "poll \($0)" })
  }

  @Test("A relay that stops answers whoever waits, and lets nobody wait any more")
  func stopping() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, _) = try relay.register(vault)
    let page = try answer(relay, of: { try api.changes(since: 0, wait: 50) }) { relay.service.stopWaiting() }
    #expect(try page.get().changes.isEmpty)
    #expect(try api.changes(since: 0, wait: 50).changes.isEmpty)
  }
}
