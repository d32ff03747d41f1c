internal import DeviceChain
internal import Glibc
internal import RelayWire
internal import Synchronization
internal import Threading
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// Keeps one vault in step with its relay: one thread waits for news with a long poll, another pushes what is written here as
/// soon as it is written. Neither does anything while there is nothing to do.
final class SyncRunner: Sendable {
  /// How syncing stands, for `status`.
  struct Standing: Sendable {
    /// Why the last attempt failed; nil if it went well or none was made yet.
    var error: SyncError? { pullError ?? pushError }
    fileprivate var pullError: SyncError?
    fileprivate var pushError: SyncError?
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
  /// Polls in a row that may be answered within a second with nothing new: other devices' checkpoints end a poll early.
  private static let mostHastyPolls = 16

  /// Seconds after which a full cycle is made although everything seems well.
  private static let longestWithoutCycle = 600

  init(agent: Agent, vault: Int64) {
    self.agent = agent
    self.vault = vault
    self.transport = agent.transport()
  }

  func start() {
    let isStarted = WorkerThread { [self] in pullLoop() } != nil && WorkerThread { [self] in pushLoop() } != nil
    if !isStarted { agent.log("a vault does not sync: the system has no thread left") }
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
      note(nil, of: .pull)
      note(nil, of: .push)
    } catch {
      note(error, of: .pull)
      throw error
    }
    relayIsBack.signal()
    wake()
  }

  private var access: AgentVaultAccess { AgentVaultAccess(agent: agent, vault: vault) }

  /// The engine with today's keys and relay; fails before the first unlock.
  private func engine() throws -> SyncEngine {
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
    var hastyPolls = 0
    var lastCycle = Self.seconds
    while !stopped.load(ordering: .acquiring) {
      do {
        let ticket = transport.waitTicket
        let engine = try engine()
        if isFresh {
          try turn.withLock { _ in try engine.cycle() }
          note(nil, of: .push)
          isFresh = false
          lastCycle = Self.seconds
        } else {
          let started = Self.seconds
          let hasNews = try poll(engine, ticket)
          hastyPolls = hasNews || Self.seconds > started + 1 ? 0 : hastyPolls + 1
          // What the relay refused is tried again by a full cycle: its quota may have room by now.
          isFresh = Self.seconds > lastCycle + Self.longestWithoutCycle
        }
        note(nil, of: .pull)
        relayIsBack.signal()
        if hastyPolls < Self.mostHastyPolls {
          backoff.reset()
        } else {
          // A relay that does not let its clients wait must not keep them busy.
          pullWakeup.wait(milliseconds: backoff.next())
        }
      } catch SyncError.cancelled {
        if isGone { return }
      } catch {
        note(error, of: .pull)
        isFresh = true
        pullWakeup.wait(milliseconds: pause(error, &backoff))
      }
    }
  }

  /// One long poll; true if it brought anything.
  private func poll(_ engine: SyncEngine, _ ticket: UInt64) throws -> Bool {
    let before = try position()
    _ = try engine.wait(seconds: Self.pollSeconds, ticket: ticket)
    // A quiet minute at one head is the time for a checkpoint; news may have made something to push.
    guard try position() == before else {
      pushWakeup.signal()
      return true
    }
    try engine.publishCheckpoint()
    return false
  }

  private func pushLoop() {
    var backoff = Backoff()
    while !stopped.load(ordering: .acquiring) {
      pushWakeup.wait()
      guard !stopped.load(ordering: .acquiring) else { return }
      do {
        let engine = try engine()
        try turn.withLock { _ in try engine.pushAll() }
        note(nil, of: .push)
        backoff.reset()
        // The relay is back: the pull thread need not sit out its pause.
        if current.error != nil { pullWakeup.signal() }
      } catch SyncError.cancelled {
        if isGone { return }
      } catch {
        note(error, of: .push)
        // What trying again cannot help waits for an unlock, or for a person.
        guard isWorthRetrying(error) else { continue }
        // A write must not shorten the pause: with the relay away, each would try it again, batch and all. The pull thread
        // ends it when the relay is back.
        relayIsBack.wait(milliseconds: backoff.next())
        pushWakeup.signal()
      }
    }
  }

  private static var seconds: Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec
  }

  private func position() throws -> [UInt64] {
    try access.withVault { [$0.row.cursor, $0.chain.number] }
  }

  /// The vault is not on this device any more.
  private var isGone: Bool { (try? access.withVault { _ in }) == nil }

  private func isWorthRetrying(_ error: any Error) -> Bool {
    switch error {
    case SyncError.locked, SyncError.revoked, SyncError.cancelled: false
    // A relay that refuses or misbehaves now may do neither later, and nobody else would come back to what is to be pushed.
    case SyncError.misbehaved: (try? access.withVault { $0.row.state == .active }) ?? false
    default: true
    }
  }

  /// How long to wait after `error`; nil waits for a wake-up: where only an unlock or a person can help, trying again cannot.
  private func pause(_ error: any Error, _ backoff: inout Backoff) -> UInt64? {
    switch error {
    case SyncError.locked, SyncError.revoked: return nil
    case SyncError.misbehaved:
      // Found in one answer, it may be gone with the next one; a fork stays until a person decides.
      let isStopped = (try? access.withVault { $0.row.state != .active }) ?? true
      return isStopped ? nil : backoff.next()
    default: return backoff.next()
    }
  }

  private enum Direction { case pull, push }

  private func note(_ error: (any Error)?, of direction: Direction) {
    let described: SyncError? = error.map { error in
      error as? SyncError ?? .relay(.unreachable("the local store failed: \(describe(error))"))
    }
    standing.withLock { standing in
      switch direction {
      case .pull: standing.pullError = described
      case .push: standing.pushError = described
      }
    }
  }
}
