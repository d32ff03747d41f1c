internal import Glibc
internal import SQLiteKit

/// Why a relay cannot start, as one sentence for its operator.
public struct RelayStartError: Error, Sendable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  /// An error.
  public init(_ description: String) { self.description = description }
}

/// The directory that holds everything of one relay. What is created here is for its owner alone.
public struct DataDirectory: Sendable {
  /// The directory.
  public let path: String

  /// The database in it.
  public var database: String { path + "/relay.sqlite" }

  /// Makes sure that the directory is there; one that was there keeps its mode.
  public init(_ path: String) throws(RelayStartError) {
    self.path = path
    guard !path.isEmpty, !path.utf8.contains(0) else { throw RelayStartError("The data directory has no name.") }
    var end = path.startIndex
    while end < path.endIndex {
      end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      try Self.create(String(path[..<end]))
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw RelayStartError("The data directory \(path) is not a directory.")
    }
  }

  /// Refuses a database file that is none. To be called before the process opens the database, and only then.
  public func checkDatabaseFile() throws(RelayStartError) {
    guard DatabaseFile.startsLikeADatabase(database) else {
      throw RelayStartError(
        "The file \(database) is damaged or not a relay's database, and nothing was changed. Restore it from a backup (Docs/Operations.md), name another directory with --data, or move relay.sqlite and its -wal away."
      )
    }
  }

  private static func create(_ path: String) throws(RelayStartError) {
    guard mkdir(path, 0o700) != 0 else { return }
    let reason = errno
    var status = stat()
    // A read-only or foreign parent may refuse with another error than EEXIST although the directory is there.
    guard reason != EEXIST, stat(path, &status) != 0 else { return }
    throw RelayStartError(
      "The data directory \(path) cannot be created: \(String(cString: strerror(reason))). Name another one with --data."
    )
  }

  /// Takes the directory for one serving process; the lock goes with the process, however it ends.
  public func lock() throws(RelayStartError) -> DataDirectoryLock {
    let file = open(path + "/relay.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw RelayStartError("The lock file in \(path) cannot be opened: \(String(cString: strerror(errno))).")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw RelayStartError(
        "Another lockstep-relay serves \(path) already. Stop it, or name another directory with --data.")
    }
    return DataDirectoryLock(file)
  }
}

/// Holds a data directory until it is deinitialized.
public final class DataDirectoryLock: Sendable {
  private let file: Int32

  init(_ file: Int32) { self.file = file }

  deinit { close(file) }
}
