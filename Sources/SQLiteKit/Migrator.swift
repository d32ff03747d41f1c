/// Brings a database file to the newest schema, and refuses files that are not ours or newer than we are.
public struct Migrator: Sendable {
  private let applicationID: Int32
  private let migrations: [String]

  /// `applicationID` marks our files; the n-th migration brings a file to version n.
  public init(applicationID: Int32, migrations: [String]) {
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// Runs what is missing, each migration in one transaction with its version, so that a program that was killed goes on
  /// where it stopped and two that start at once do not both migrate. Refused as `foreign`: a file with tables whose
  /// application id is not ours; as `newer`: a version that this program does not know. A refused file is not written to.
  ///
  /// Returns the version that the file had before; 0 for a new one.
  @discardableResult
  public func migrate(_ connection: Connection) throws -> Int {
    let before = try version(of: connection)
    try connection.useWriteAheadLog()
    while try version(of: connection) < migrations.count {
      try connection.transaction {
        let next = try version(of: connection)
        guard next < migrations.count else { return }
        try connection.execute(migrations[next])
        try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(next + 1)")
      }
    }
    return before
  }

  /// The schema version of a file that is ours or empty.
  private func version(of connection: Connection) throws(SQLiteError) -> Int {
    let found = try number(connection, "PRAGMA application_id")
    let version = try number(connection, "PRAGMA user_version")
    if found != Int64(applicationID) {
      let tables = try number(connection, "SELECT count(*) FROM sqlite_schema")
      guard found == 0, version == 0, tables == 0 else {
        throw SQLiteError(.foreign, "the file is a database of another program")
      }
    }
    guard version >= 0 else { throw SQLiteError(.foreign, "the file has no schema version of this program") }
    guard version <= Int64(migrations.count) else {
      throw SQLiteError(
        .newer, "the file has schema version \(version); this program knows versions up to \(migrations.count)")
    }
    return Int(version)
  }

  private func number(_ connection: Connection, _ query: String) throws(SQLiteError) -> Int64 {
    try connection.first(query) { row throws(SQLiteError) in try row.integer(0) } ?? 0
  }
}
