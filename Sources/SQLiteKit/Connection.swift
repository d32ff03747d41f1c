internal import CSQLite

/// One connection to one database file. Used by one thread at a time: its owner holds a lock around it (SQLite itself is
/// opened without mutexes).
public final class Connection {
  /// How to open.
  public struct Options: Sendable {
    /// Create the file if it is missing.
    public var create = true
    /// Refuse writes.
    public var readOnly = false
    /// How long to wait for another connection's lock, in milliseconds.
    public var busyTimeout: Int32 = 5_000

    /// The ordinary way: create, read and write.
    public init() {}
  }

  let database: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens `path`, creating it with mode 0600, and reads its first page: what is no database is refused here. Commits are
  /// durable with any journal (synchronous=FULL, https://sqlite.org/pragma.html#pragma_synchronous); the write-ahead log
  /// is turned on by `Migrator`, once the file is known to be ours.
  public init(path: String, options: Options = Options()) throws(SQLiteError) {
    let path = try DatabaseFile.prepare(path, create: options.create && !options.readOnly)
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    flags |= options.readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    var handle: OpaquePointer?
    let status = sqlite3_open_v2(path, &handle, flags, nil)
    guard status == SQLITE_OK, let handle else {
      let error = SQLiteError(handle, status: status)
      sqlite3_close_v2(handle)
      throw error
    }
    database = handle
    sqlite3_busy_timeout(handle, options.busyTimeout)
    _ = lockstep_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = lockstep_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    // temp_store: nothing is written to temporary files beside the database.
    try execute("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY")
    if !options.readOnly {
      // secure_delete: a deleted or replaced record is overwritten in the file, not left in a free page. It costs writes
      // only where something is deleted, and a sealed record of a revoked epoch should not outlive its deletion.
      try execute("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL")
    }
    try execute("SELECT count(*) FROM sqlite_schema")
  }

  /// Turns the write-ahead log on: readers and the writer do not wait for each other. Left out of opening because it
  /// writes to the file, and a file of another program is not to be touched.
  func useWriteAheadLog() throws(SQLiteError) {
    let mode = try first("PRAGMA journal_mode = WAL") { row throws(SQLiteError) in try row.text(0) }
    // A database in memory has no file and so no log.
    guard mode == "wal" || mode == "memory" else {
      throw SQLiteError(.cannotOpen, "the file system cannot hold a write-ahead log beside the database")
    }
  }

  /// Leaves the log beside the file when this connection is the last to close. For a connection that only looks whether the file is
  /// sound: moving the log into a damaged file would change what is to be kept as it is.
  public func keepLogOnClose() {
    _ = lockstep_sqlite_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(database)
  }

  /// Runs statements without parameters.
  public func execute(_ sql: String) throws(SQLiteError) {
    let status = sqlite3_exec(database, sql, nil, nil, nil)
    guard status == SQLITE_OK else { throw SQLiteError(database, status: status) }
  }

  /// The statement for `sql`, prepared once and kept. While a kept one is being stepped through, a further one is made, so
  /// the same query may be run for each of its own rows.
  public func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql], !statement.isBusy {
      statement.reset()
      return statement
    }
    let statement = try Statement(database, sql)
    if statements[sql] == nil { statements[sql] = statement }
    return statement
  }

  /// Runs one statement with `values` bound in order; answers how many rows it changed.
  @discardableResult
  public func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int {
    let statement = try statement(sql)
    try statement.bind(values)
    while try statement.step() {}
    statement.reset()
    return Int(sqlite3_changes(database))
  }

  /// The rows of a query, each made into a value by `read`.
  public func rows<Result>(
    _ sql: String, _ values: [SQLiteValue] = [], _ read: (Statement) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> [Result] {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var results: [Result] = []
    while try statement.step() { results.append(try read(statement)) }
    return results
  }

  /// The first row of a query.
  public func first<Result>(
    _ sql: String, _ values: [SQLiteValue] = [], _ read: (Statement) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() ? try read(statement) : nil
  }

  /// The row id of the last insert.
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(database) }

  /// True inside a transaction.
  public var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  /// Runs `body` in one transaction: all of it is durable when this returns, or nothing of it happened. Inside another
  /// transaction it joins that one.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    if isInTransaction { return try body() }
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite itself rolls back on some failures (disk full); a second rollback would only be an error.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// SQLite's own quick check: an empty list if the file is sound, else what is wrong.
  public func quickCheck() throws(SQLiteError) -> [String] {
    let findings = try rows("PRAGMA quick_check(5)") { row throws(SQLiteError) in try row.text(0) }
    return findings == ["ok"] ? [] : findings
  }
}
