public import RelayWire
internal import SealedRecords
internal import Synchronization
internal import Threading
internal import VaultCrypto
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// The agent of one home: the local store, the keys while they are there, and a sync runner for each vault.
public final class Agent: @unchecked Sendable {
  // Unchecked: `state` is only touched inside `locked`; everything else is immutable or guards itself.
  private let state: AgentState
  private let lock = Mutex(())
  private let makeTransport: @Sendable () -> any RelayTransport
  private let runners = Mutex<[Int64: SyncRunner]>([:])
  /// Unlock attempts one after the other, each costing its time.
  let unlockTurn = Mutex(())
  /// Setting up one vault at a time.
  let setupTurn = Mutex(())
  /// Told about what an operator should see; never a secret.
  let log: @Sendable (String) -> Void

  /// Opens the home at `path`. A second agent on it, a foreign or newer database, a folder that cannot be written: an error
  /// that says what to do, and nothing is changed.
  public init(
    home path: String, makeTransport: @escaping @Sendable () -> any RelayTransport,
    log: @escaping @Sendable (String) -> Void
  ) throws {
    let home = try AgentHome(path: path)
    try home.lock()
    let (store, notice) = try home.openStore()
    if let notice { log(notice) }
    self.makeTransport = makeTransport
    self.log = log
    self.state = try AgentState(home: home, store: store, notice: notice)
    try unlockWithoutPassphrase()
    startRunners()
  }

  /// Runs `body` with the state; nobody else touches it meanwhile. Short work only: never a request to a relay, never Argon2id.
  func locked<Result: Sendable>(_ body: (AgentState) throws -> Result) throws -> Result {
    try lock.withLock { _ in try body(state) }
  }

  /// Milliseconds since 1970.
  var clock: UInt64 { WallClock.milliseconds }

  /// A connection to a relay with its own pool and its own long poll.
  func transport() -> any RelayTransport { makeTransport() }

  /// Starts syncing of every vault that does not sync yet. Called at the start, after an unlock, and after a vault was added.
  func startRunners() {
    let ids = (try? locked { state in state.vaults.map(\.id) }) ?? []
    runners.withLock { runners in
      for id in ids where runners[id] == nil {
        let runner = SyncRunner(agent: self, vault: id)
        runners[id] = runner
        runner.start()
      }
      for id in ids { runners[id]?.wake() }
    }
  }

  /// The runner of a vault.
  func runner(_ vault: Int64) -> SyncRunner? { runners.withLock { $0[vault] } }

  /// Ends the runners; what is stored stays stored.
  public func stop() {
    for runner in runners.withLock({ Array($0.values) }) { runner.stop() }
  }
}

/// One vault of the agent, for the engine.
struct AgentVaultAccess: VaultAccess {
  let agent: Agent
  let vault: Int64

  func withVault<Result: Sendable>(_ body: (OpenVault) throws -> Result) throws -> Result {
    try agent.locked { state in
      guard let open = state.vaults.first(where: { $0.id == vault }) else { throw SyncError.cancelled }
      return try body(open)
    }
  }

  var clock: UInt64 { agent.clock }
}
