internal import RelayCore
internal import SQLiteKit

extension RelayStorageError {
  /// What a failure of SQLite means to who asked.
  init(_ error: SQLiteError) {
    switch error.code {
    case .full: self = .full
    case .busy: self = .busy
    case .ioError where Self.writeFailures.contains(error.extendedCode): self = .full
    default: self = .unavailable(error.description)
    }
  }

  /// SQLITE_IOERR_WRITE, _TRUNCATE and _SHMSIZE: what a file size limit or a full file system makes of a write where SQLite does not
  /// see ENOSPC itself.
  private static let writeFailures: Set<Int32> = [778, 1546, 4874]
}
