internal import CSQLite

/// A value bound to a parameter.
public enum SQLiteValue: Sendable, Equatable {
  /// NULL.
  case null
  /// A 64-bit integer.
  case integer(Int64)
  /// Text.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// An unsigned number by its bit pattern: order is kept below 2⁶³, equality always.
  public static func unsigned(_ value: UInt64) -> SQLiteValue { .integer(Int64(bitPattern: value)) }
  /// 0 or 1.
  public static func bool(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }
}

/// A prepared statement of one connection, and its current row.
public final class Statement {
  private let database: OpaquePointer
  private let handle: OpaquePointer

  init(_ database: OpaquePointer, _ sql: String) throws(SQLiteError) {
    var handle: OpaquePointer?
    let status = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard status == SQLITE_OK, let handle else { throw SQLiteError(database, status: status) }
    self.database = database
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  /// Binds `values` to parameters 1, 2, ….
  public func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      let status: Int32
      switch value {
      case .null: status = sqlite3_bind_null(handle, position)
      case .integer(let number): status = sqlite3_bind_int64(handle, position, number)
      case .text(let text):
        // With its length: text may hold NUL.
        status = sqlite3_bind_text(
          handle, position, text, Int32(clamping: text.utf8.count), lockstep_sqlite_transient())
      case .blob(let bytes):
        status =
          bytes.isEmpty
          ? sqlite3_bind_zeroblob(handle, position, 0)
          : sqlite3_bind_blob64(handle, position, bytes, UInt64(bytes.count), lockstep_sqlite_transient())
      }
      guard status == SQLITE_OK else { throw SQLiteError(database, status: status) }
    }
  }

  /// Goes to the next row; false at the end.
  public func step() throws(SQLiteError) -> Bool {
    let status = sqlite3_step(handle)
    switch status {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = SQLiteError(database, status: status)
      reset()
      throw error
    }
  }

  /// Whether a run was begun and neither finished nor reset.
  var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Ready to be run again, with no values bound.
  public func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// An integer column.
  public func integer(_ column: Int32) throws(SQLiteError) -> Int64 {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { throw typeError(column) }
    return sqlite3_column_int64(handle, column)
  }

  /// An integer column that holds an unsigned number's bit pattern.
  public func unsigned(_ column: Int32) throws(SQLiteError) -> UInt64 {
    UInt64(bitPattern: try integer(column))
  }

  /// A column that holds 0 or 1.
  public func bool(_ column: Int32) throws(SQLiteError) -> Bool { try integer(column) != 0 }

  /// A text column.
  public func text(_ column: Int32) throws(SQLiteError) -> String {
    guard sqlite3_column_type(handle, column) == SQLITE_TEXT, let text = sqlite3_column_text(handle, column) else {
      throw typeError(column)
    }
    // Nothing is repaired: what is no UTF-8 was not written by us.
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
    guard let text = String(validating: bytes, as: UTF8.self) else { throw typeError(column) }
    return text
  }

  /// A blob column.
  public func blob(_ column: Int32) throws(SQLiteError) -> [UInt8] {
    guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { throw typeError(column) }
    let count = Int(sqlite3_column_bytes(handle, column))
    guard count > 0, let bytes = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// True if the column is NULL.
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  private func typeError(_ column: Int32) -> SQLiteError {
    SQLiteError(.unexpectedType, "column \(column) does not have the type that this version expects")
  }
}
