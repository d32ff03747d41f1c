internal import Glibc

/// The file of a database, before SQLite sees it.
public enum DatabaseFile {
  /// False for a file with contents of another kind. SQLite must not see one: with a log beside it, it would take the log's pages for
  /// the file's and write them over what is there (https://sqlite.org/fileformat2.html, "The Database Header").
  ///
  /// To be asked before this process opens its first connection to the file and never after: closing the descriptor drops the locks
  /// that a connection of the same process holds (https://sqlite.org/howtocorrupt.html, section 2.2).
  public static func startsLikeADatabase(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 16)
    let count = read(descriptor, &header, 16)
    return count <= 0 || header.prefix(count) == Array("SQLite format 3\0".utf8).prefix(count)
  }

  /// The path to give to SQLite. A missing file is created here with mode 0600, which SQLite then gives to its log files
  /// too; SQLite itself would create it as the umask allows.
  ///
  /// SQLITE_OPEN_NOFOLLOW refuses a symbolic link anywhere in the path, but homes and data folders may well be reached
  /// through one. So the folder is resolved here, and the refusal is left for the file itself.
  static func prepare(_ path: String, create: Bool) throws(SQLiteError) -> String {
    if path == ":memory:" { return path }
    guard !path.utf8.contains(0) else { throw SQLiteError(.cannotOpen, "the database's path holds a NUL") }
    let (folder, name) = split(path)
    guard let resolved = realpath(folder, nil) else {
      throw SQLiteError(.cannotOpen, "the database's folder cannot be reached", systemError: errno)
    }
    defer { free(resolved) }
    let prepared = String(cString: resolved) + "/" + name
    if create { try createIfMissing(prepared) }
    return prepared
  }

  private static func createIfMissing(_ path: String) throws(SQLiteError) {
    // O_EXCL: an existing file is not opened here, since closing it would drop the locks that another connection of this
    // process holds on it (https://sqlite.org/howtocorrupt.html, section 2.2).
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
      return
    }
    let reason = errno
    if reason == EEXIST { return }
    let code: SQLiteError.Code = reason == ENOSPC || reason == EDQUOT ? .full : .cannotOpen
    throw SQLiteError(code, "the database cannot be created", systemError: reason)
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    let name = String(parts.last ?? "")
    if folder.isEmpty { return (path.hasPrefix("/") ? "/" : ".", name) }
    return (folder, name)
  }
}
