public import SQLiteKit

/// The local store of one device: sealed records, index tags, chain, keyrings and what the relay holds, in one SQLite file.
/// It never sees a key or plaintext. One thread at a time; the agent holds a lock around it.
///
/// Order of writes (Docs/Architecture.md, "Nothing is lost"): whatever belongs together (an item with its dot and its dirty
/// mark; a page of the relay with the cursor) is one transaction, and a transaction that returned is on disk.
public final class VaultStore {
  let connection: Connection
  /// Whether there was no database at the path, or one that was never used.
  public let isNew: Bool

  /// Opens or creates the file at `path`; its folder must exist.
  public init(path: String) throws {
    connection = try Connection(path: path)
    let migrator = Migrator(applicationID: Schema.applicationID, migrations: Schema.migrations)
    isNew = try migrator.migrate(connection) == 0
  }

  /// Runs `body` in one durable transaction.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.transaction(body)
  }

  /// Moves what the log beside the database holds into the database itself. Nothing needs it for durability: it makes the one
  /// file enough where somebody copies or keeps only that. A reader elsewhere may hold it up; then it is left for later.
  public func moveLogIntoDatabase() throws(SQLiteError) {
    _ = try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { row throws(SQLiteError) in try row.integer(0) }
  }

  /// What SQLite finds wrong with the file; empty if it is sound.
  public func damage() throws(SQLiteError) -> [String] { try connection.quickCheck() }

  /// A named setting, nil if it was never set.
  public func setting(_ name: String) throws(SQLiteError) -> [UInt8]? {
    try connection.first("SELECT value FROM setting WHERE name = ?", [.text(name)]) { row throws(SQLiteError) in
      try row.blob(0)
    }
  }

  /// Sets a named setting; nil removes it.
  public func setSetting(_ name: String, _ value: [UInt8]?) throws(SQLiteError) {
    if let value {
      try connection.run(
        "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [.text(name), .blob(value)])
    } else {
      try connection.run("DELETE FROM setting WHERE name = ?", [.text(name)])
    }
  }
}
