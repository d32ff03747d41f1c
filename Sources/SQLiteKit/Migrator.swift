/// Brings a database file to the newest schema, and refuses files that are not ours or newer than we are.
public struct Migrator: Sendable {
  private let applicationID: Int32
  private let migrations: [String]

  /// `applicationID` marks our files; the n-th migration brings a file to version n.
  public init(applicationID: Int32, migrations: [String]) {
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// Runs what is missing, each migration in one transaction with its version. Refused as `foreign`: a file with tables
  /// whose application id is not ours; as `newer`: a version that this program does not know.
  public func migrate(_ connection: Connection) throws {
    let found = try number(connection, "application_id")
    let version = try number(connection, "user_version")
    if found != Int64(applicationID) {
      let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { row throws(SQLiteError) in
        try row.integer(0)
      }
      guard found == 0, version == 0, tables == 0 else {
        throw SQLiteError(.foreign, "the file is a database of another program")
      }
    }
    guard version <= Int64(migrations.count) else {
      throw SQLiteError(
        .newer, "the file has schema version \(version); this program knows versions up to \(migrations.count)")
    }
    for next in Int(version)..<migrations.count {
      try connection.transaction {
        try connection.execute(migrations[next])
        try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(next + 1)")
      }
    }
  }

  private func number(_ connection: Connection, _ pragma: String) throws(SQLiteError) -> Int64 {
    try connection.first("PRAGMA \(pragma)") { row throws(SQLiteError) in try row.integer(0) } ?? 0
  }
}
