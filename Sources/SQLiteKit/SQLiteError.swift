internal import CSQLite
internal import Glibc

/// Why SQLite refused something. The message is SQLite's own and never holds a bound value.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it is; callers branch on it.
  public struct Code: Equatable, Sendable {
    let raw: Int32
    /// The disk is full.
    public static let full = Code(raw: SQLITE_FULL)
    /// The file's contents are damaged.
    public static let corrupt = Code(raw: SQLITE_CORRUPT)
    /// The file is not a database.
    public static let notADatabase = Code(raw: SQLITE_NOTADB)
    /// The file or its folder cannot be written.
    public static let readOnly = Code(raw: SQLITE_READONLY)
    /// Another connection holds the lock.
    public static let busy = Code(raw: SQLITE_BUSY)
    /// A UNIQUE, CHECK or FOREIGN KEY rule would be broken.
    public static let constraint = Code(raw: SQLITE_CONSTRAINT)
    /// The file cannot be opened.
    public static let cannotOpen = Code(raw: SQLITE_CANTOPEN)
    /// Reading or writing failed.
    public static let ioError = Code(raw: SQLITE_IOERR)
    /// The file belongs to another program (its application id is not ours).
    public static let foreign = Code(raw: -1)
    /// The file was written by a newer version.
    public static let newer = Code(raw: -2)
    /// A column does not have the type that the program expects.
    public static let unexpectedType = Code(raw: -3)
  }

  /// The kind.
  public let code: Code
  /// SQLite's extended result code, 0 for our own kinds.
  public let extendedCode: Int32
  /// SQLite's message or ours.
  public let message: String

  /// The message with its code.
  public var description: String { extendedCode == 0 ? message : "\(message) (SQLite \(extendedCode))" }

  /// An error of our own, beside those of SQLite.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.extendedCode = 0
    self.message = message
  }

  /// An error of the operating system, by its `errno`.
  init(_ code: Code, _ message: String, systemError: Int32) {
    self.init(code, "\(message): \(String(cString: strerror(systemError)))")
  }

  init(_ database: OpaquePointer?, status: Int32) {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? status
    self.code = Code(raw: status & 0xFF)
    self.extendedCode = extended & 0xFF == status & 0xFF ? extended : status
    self.message = String(cString: database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(status))
  }
}
