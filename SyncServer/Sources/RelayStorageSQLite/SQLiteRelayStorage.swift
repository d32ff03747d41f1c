public import RelayCore
internal import RelayWire
internal import SQLiteKit

/// A relay's storage in one SQLite database: one writer with group commit, any number of readers.
public final class SQLiteRelayStorage: RelayStorage {
  let writer: WriteQueue
  let readers: ReaderPool

  /// Opens a database file, which is created if it is missing, and brings it to the newest schema. `log` is told what fails later.
  public init(
    database path: String, log: @escaping @Sendable (_ failure: String) -> Void = { _ in }
  ) throws(RelayStartError) {
    let log: @Sendable (SQLiteError) -> Void = { log($0.description) }
    do {
      let connection = try Connection(path: path)
      connection.keepLogOnClose()
      try RelaySchema.migrator.migrate(connection)
      try Self.check(connection)
      writer = try WriteQueue(path: path, log: log)
      readers = ReaderPool(path: path, log: log)
    } catch let error as RelayStartError {
      throw error
    } catch let error as SQLiteError {
      throw RelayStartError(Self.sentence(error, path))
    } catch {
      throw RelayStartError("The database \(path) cannot be opened.")
    }
  }

  /// Finishes what waits to be written and closes the database; every later call fails.
  public func close() {
    // The last connection to close moves the log into the database, which one that only reads cannot do.
    readers.close()
    writer.close()
  }

  /// A quick look for damage; a large database is looked at as it is read, since a start must not take minutes.
  private static func check(_ connection: Connection) throws {
    let pages = try connection.first("PRAGMA page_count") { row throws(SQLiteError) in try row.integer(0) } ?? 0
    guard pages <= 16_384 else { return }
    guard try connection.quickCheck().isEmpty else {
      throw RelayStartError("The relay's database is damaged. Restore it from a backup (Docs/Operations.md).")
    }
  }

  private static func sentence(_ error: SQLiteError, _ path: String) -> String {
    switch error.code {
    case .notADatabase, .foreign:
      "The file \(path) is not a relay's database. Name another directory with --data, or move that file away."
    case .newer:
      "The database \(path) was written by a newer lockstep-relay. Run that version."
    case .corrupt:
      "The database \(path) is damaged. Restore it from a backup (Docs/Operations.md)."
    case .full:
      "The disk that holds \(path) is full."
    default:
      "The database \(path) cannot be opened: \(error.message)."
    }
  }

  /// Gives every vault a new incarnation: to be done after the database was restored from a backup, so that devices know that
  /// sequences may be given a second time.
  public func renewIncarnations() throws(RelayStorageError) {
    try writer.run { connection throws(SQLiteError) in
      _ = try connection.run("UPDATE vaults SET incarnation = randomblob(16)")
    }
  }
}

extension SQLiteValue {
  /// A number from a request; what SQLite cannot hold is beyond everything that is stored.
  static func clamped(_ number: UInt64) -> SQLiteValue { .integer(Int64(clamping: number)) }
}
