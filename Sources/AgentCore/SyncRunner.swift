internal import DeviceChain
internal import RelayWire
internal import Synchronization
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// Keeps one vault in step with its relay: one thread waits for news with a long poll, another pushes what is written here as
/// soon as it is written. Neither does anything while there is nothing to do.
final class SyncRunner: Sendable {
  /// How syncing stands, for `status`.
  struct Standing: Sendable {
    /// Why the last attempt failed; nil if it went well or none was made yet.
    var error: SyncError?
    /// Since when it fails, ms.
    var since: UInt64 = 0
  }

  private let agent: Agent
  private let vault: Int64
  private let transport: any RelayTransport
  private let standing = Mutex(Standing())
  private let stopped = Atomic<Bool>(false)
  /// One push or one whole cycle at a time.
  private let turn = Mutex(())
  private let pullWakeup = Wakeup()
  private let pushWakeup = Wakeup()
  private let relayIsBack = Wakeup()
  /// Seconds of a long poll: below the minute after which many proxies cut an idle connection.
  private static let pollSeconds: UInt32 = 50

  init(agent: Agent, vault: Int64) {
    self.agent = agent
    self.vault = vault
    self.transport = agent.transport()
  }

  func start() {
    WorkerThread.start { [self] in pullLoop() }
    WorkerThread.start { [self] in pushLoop() }
  }

  /// Something was written here, or keys came: both threads look again at once.
  func wake() {
    pushWakeup.signal()
    pullWakeup.signal()
  }

  /// A local write: the push thread sends it.
  func wakePush() { pushWakeup.signal() }

  func stop() {
    stopped.store(true, ordering: .releasing)
    transport.cancelWaiting()
    wake()
    relayIsBack.signal()
  }

  /// How syncing stands.
  var current: Standing { standing.withLock { $0 } }

  /// One full cycle now, for `lockstep sync`.
  func cycle(progress: (SyncEngine.Progress) -> Void) throws {
    do {
      // The engine never holds the agent's lock across a request, so waiting for a turn blocks nobody else.
      try turn.withLock { _ in try engine().cycle(progress: progress) }
      note(nil)
    } catch {
      note(error)
      throw error
    }
    wake()
  }

  /// The engine with today's keys and relay; fails before the first unlock.
  private func engine() throws -> SyncEngine {
    let access = AgentVaultAccess(agent: agent, vault: vault)
    let transport = self.transport
    let api = try access.withVault { vault in
      try vault.checkSyncable()
      guard let secrets = vault.secretsC else { throw SyncError.locked }
      guard let address = RelayAddress(vault.row.relay) else {
        throw SyncError.relay(.unreachable("its address is not one"))
      }
      return RelayAPI(
        transport: transport, address: address, vault: vault.row.vaultID.bytes,
        signer: DeviceRequestSigner(device: vault.row.deviceID, signer: secrets.signer))
    }
    return SyncEngine(access: access, api: api)
  }

  private func pullLoop() {
    var backoff = Backoff()
    var isFresh = true
    while !stopped.load(ordering: .acquiring) {
      do {
        let ticket = transport.waitTicket
        let engine = try engine()
        if isFresh {
          try turn.withLock { _ in try engine.cycle() }
          isFresh = false
        } else {
          let before = try position()
          _ = try engine.wait(seconds: Self.pollSeconds, ticket: ticket)
          // A quiet minute at one head is the time for a checkpoint; news may have made something to push.
          if try position() == before { try engine.publishCheckpoint() } else { pushWakeup.signal() }
        }
        note(nil)
        backoff.reset()
        relayIsBack.signal()
      } catch SyncError.cancelled {
        continue
      } catch {
        note(error)
        isFresh = true
        pullWakeup.wait(milliseconds: pause(error, &backoff))
      }
    }
  }

  private func pushLoop() {
    var backoff = Backoff()
    while !stopped.load(ordering: .acquiring) {
      pushWakeup.wait()
      guard !stopped.load(ordering: .acquiring) else { return }
      do {
        let engine = try engine()
        try turn.withLock { _ in try engine.pushAll() }
        backoff.reset()
        // The relay is back: the pull thread need not sit out its pause.
        if current.error != nil { pullWakeup.signal() }
      } catch SyncError.cancelled {
        continue
      } catch {
        note(error)
        // The pull thread makes a full cycle when the relay is back; until then a write tries again at the next one.
        guard isWorthRetrying(error) else { continue }
        // A write must not shorten the pause: with the relay away, each would try it again, batch and all. The pull thread
        // ends it when the relay is back.
        relayIsBack.wait(milliseconds: backoff.next())
        pushWakeup.signal()
      }
    }
  }

  private func position() throws -> [UInt64] {
    try AgentVaultAccess(agent: agent, vault: vault).withVault { [$0.row.cursor, $0.chain.number] }
  }

  private func isWorthRetrying(_ error: any Error) -> Bool {
    if case SyncError.relay(let relay) = error { relay.isTransient } else { false }
  }

  /// How long to wait after `error`; nil waits for a wake-up: where only an unlock or a person can help, trying again cannot.
  private func pause(_ error: any Error, _ backoff: inout Backoff) -> UInt64? {
    switch error {
    case SyncError.locked, SyncError.revoked, SyncError.misbehaved: nil
    default: backoff.next()
    }
  }

  private func note(_ error: (any Error)?) {
    let now = agent.clock
    let described: SyncError? = error.map { error in
      error as? SyncError ?? .relay(.unreachable("the local store failed: \(describe(error))"))
    }
    standing.withLock { standing in
      if described != nil, standing.error == nil { standing.since = now }
      standing.error = described
    }
  }
}
