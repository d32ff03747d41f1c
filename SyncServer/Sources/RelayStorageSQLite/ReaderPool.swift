internal import RelayCore
internal import SQLiteKit
internal import Synchronization

/// Connections that only read, each used by one thread at a time. The write-ahead log lets them read while the writer writes.
final class ReaderPool: Sendable {
  private let path: String
  private let idle = Mutex<[OwnedConnection]>([])

  private let log: @Sendable (SQLiteError) -> Void

  init(path: String, log: @escaping @Sendable (SQLiteError) -> Void) {
    self.path = path
    self.log = log
  }

  /// Closes those that are idle.
  func close() { idle.withLock { $0 = [] } }

  /// Runs `body` on one snapshot.
  func run<Result>(_ body: (Connection) throws(SQLiteError) -> Result) throws(RelayStorageError) -> Result {
    do throws(SQLiteError) {
      let kept = idle.withLock { $0.popLast() }
      // If anything throws below, the connection is dropped: whatever state it is in, nobody meets it again.
      let connection = if let open = kept?.connection { open } else { try open() }
      try connection.execute("BEGIN")
      let result = try body(connection)
      try connection.execute("COMMIT")
      let reader = kept ?? OwnedConnection(connection)
      idle.withLock { $0.append(reader) }
      return result
    } catch {
      log(error)
      throw RelayStorageError(error)
    }
  }

  private func open() throws(SQLiteError) -> Connection {
    var options = Connection.Options()
    options.create = false
    options.readOnly = true
    return try Connection(path: path, options: options)
  }
}
