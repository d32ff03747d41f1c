internal import RelayCore
internal import SQLiteKit
internal import Threading

/// The one connection that writes, and the thread that owns it: requests that wait at the same time are folded into one transaction, so
/// they share one sync to disk (group commit). Each runs in a savepoint and is answered after the commit.
final class WriteQueue: Sendable {
  private static let groupLimit = 64
  private static let waitingLimit = 1_000

  private struct Job: Sendable {
    /// Does the work; the result tells the caller once it is durable. May run twice, with the first time rolled back.
    let attempt: @Sendable (Connection) throws(SQLiteError) -> (@Sendable () -> Void)
    let fail: @Sendable (RelayStorageError) -> Void
  }

  private struct State: Sendable {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let state = Monitor(State())
  private let ended = Monitor(false)
  private let log: @Sendable (SQLiteError) -> Void

  /// Starts the thread on `path`, which has the newest schema. `log` is told of every failure of SQLite.
  init(path: String, log: @escaping @Sendable (SQLiteError) -> Void) throws {
    self.log = log
    let connection = OwnedConnection(try Connection(path: path))
    let thread = WorkerThread { [state, ended, log] in
      if let connection = connection.connection { Self.serve(state, connection, log) }
      connection.close()
      ended.change { $0 = true }
    }
    guard thread != nil else { throw RelayStartError("The system allows no further thread.") }
  }

  deinit { state.change { $0.isClosed = true } }

  /// Finishes what waits, closes the connection, and takes nothing more.
  func close() {
    state.change { $0.isClosed = true }
    _ = ended.wait { $0 ? true : nil }
  }

  /// Runs `body` inside a transaction and returns when that is on disk.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws(SQLiteError) -> Result
  ) throws(RelayStorageError) -> Result {
    let done = Monitor<Swift.Result<Result, RelayStorageError>?>(nil)
    let job = Job(
      attempt: { connection throws(SQLiteError) in
        let result = try body(connection)
        return { done.change { $0 = .success(result) } }
      },
      fail: { error in done.change { $0 = .failure(error) } })
    let isQueued = state.change { state in
      guard state.jobs.count < Self.waitingLimit, !state.isClosed else { return false }
      state.jobs.append(job)
      return true
    }
    guard isQueued else { throw .busy }
    guard let result = done.wait({ $0 }) else { throw .unavailable("the writer ended") }
    return try result.get()
  }

  private static func serve(
    _ state: Monitor<State>, _ connection: Connection, _ log: @Sendable (SQLiteError) -> Void
  ) {
    while true {
      let jobs = state.wait { state -> [Job]? in
        guard !state.jobs.isEmpty else { return state.isClosed ? [] : nil }
        let group = Array(state.jobs.prefix(groupLimit))
        state.jobs.removeFirst(group.count)
        return group
      }
      guard let jobs, !jobs.isEmpty else { return }
      perform(jobs, connection, log)
    }
  }

  private static func perform(_ jobs: [Job], _ connection: Connection, _ log: @Sendable (SQLiteError) -> Void) {
    var done: [@Sendable () -> Void] = []
    var failed: [(Job, SQLiteError)] = []
    do throws(SQLiteError) {
      try connection.execute("BEGIN IMMEDIATE")
      for job in jobs {
        try connection.execute("SAVEPOINT job")
        do throws(SQLiteError) {
          done.append(try job.attempt(connection))
          try connection.execute("RELEASE job")
        } catch {
          // On some failures (disk full) SQLite itself ends the whole transaction; then nobody's work is left.
          guard connection.isInTransaction else { throw error }
          try connection.execute("ROLLBACK TO job; RELEASE job")
          failed.append((job, error))
        }
      }
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      if jobs.count == 1 {
        log(error)
        jobs[0].fail(RelayStorageError(error))
      } else {
        // One large request must not take the others down with it.
        for job in jobs { perform([job], connection, log) }
      }
      return
    }
    for tell in done { tell() }
    for (job, error) in failed {
      log(error)
      job.fail(RelayStorageError(error))
    }
  }
}

/// @unchecked: a connection belongs to one thread at a time; who takes the box takes the connection (the writer's thread for good, a
/// reader's thread until it puts it back).
final class OwnedConnection: @unchecked Sendable {
  private(set) var connection: Connection?

  init(_ connection: Connection) { self.connection = connection }

  /// Lets the connection go; SQLite closes it when its last user has.
  func close() { connection = nil }
}
