internal import Glibc
internal import SQLiteKit
internal import Threading
internal import VaultCrypto
internal import VaultStore

/// Why the agent cannot start: one sentence for a person.
public struct StartError: Error, Sendable, CustomStringConvertible {
  /// The sentence.
  public let description: String
  /// Whether another agent holds the home: whoever wanted one running has it.
  public var isAlreadyRunning = false
}

/// The agent's folder: the database, the device secret, and the lock that keeps a second agent out.
struct AgentHome {
  /// The folder.
  let path: String
  /// The database.
  var database: String { path + "/lockstep.db" }
  private var secretFile: String { path + "/device-secret" }

  /// Makes the folder if it is missing and checks that it is ours and writable.
  init(path: String) throws {
    self.path = path
    try Self.makeFolders(path)
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
      throw StartError(description: "\(path) is not a folder: name another home with --home or LOCKSTEP_HOME")
    }
    guard info.st_uid == geteuid() else {
      throw StartError(description: "\(path) belongs to another user: name another home with --home or LOCKSTEP_HOME")
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw StartError(
        description: "\(path) is not writable: \(Self.errorText()); change its mode or name another home")
    }
    if info.st_mode & 0o077 != 0 { chmod(path, 0o700) }
  }

  /// Takes the home's lock for as long as the process lives; the descriptor is never closed.
  func lock() throws {
    let file = path + "/agent.lock"
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw StartError(description: "\(file) cannot be opened: \(Self.errorText())")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw StartError(
        description: "another agent runs on \(path): stop it first, or name another home", isAlreadyRunning: true)
    }
  }

  /// Opens the database. One that is damaged is set aside under another name, never deleted; the text says so.
  func openStore() throws -> (store: VaultStore, notice: String?) {
    // The device secret is made by an agent that has a database: where there is one, a database was lost.
    let hadDatabase = access(secretFile, F_OK) == 0
    let kept = try hadDatabase ? keepWriteAheadLog() : nil
    guard DatabaseFile.startsLikeADatabase(database) else { return try afterDamage() }
    do {
      let store = try VaultStore(path: database)
      if hadDatabase, store.isNew {
        return (
          store,
          "the database of this home is missing or empty\(kept.map { " (what was left of it is kept as \($0))" } ?? ""): put it back from a backup, join again with a pairing code, or recover with the recovery key"
        )
      }
      // Reading the small tables shows damage that opening alone does not.
      _ = try store.vaults()
      _ = try store.setting("keybag")
      return (store, nil)
    } catch let error as SQLiteError {
      switch error.code {
      case .corrupt, .notADatabase: return try afterDamage()
      case .foreign:
        throw StartError(description: "\(database) is a database of another program: move it away or name another home")
      case .newer:
        throw StartError(
          description: "\(database) was written by a newer Lockstep (\(error.message)): install that version")
      case .full:
        throw StartError(description: "the disk is full: \(database) cannot be opened; make room and start again")
      default:
        throw StartError(description: "\(database) cannot be opened: \(error)")
      }
    }
  }

  private func afterDamage() throws -> (store: VaultStore, notice: String?) {
    let aside = try setAside()
    return (
      try VaultStore(path: database),
      "the database was damaged and is kept as \(aside): join again with a pairing code, or recover with the recovery key"
    )
  }

  /// SQLite deletes the log beside a database that is missing or has no byte, and everything newer than the last checkpoint stands in
  /// that log alone: it is set aside before. Returns its new name.
  private func keepWriteAheadLog() throws -> String? {
    guard Self.size(of: database) == 0, Self.size(of: database + "-wal") > 0 else { return nil }
    return try setAside() + "-wal"
  }

  /// 0 for a file that is not there.
  private static func size(of file: String) -> Int {
    var info = stat()
    return stat(file, &info) == 0 ? info.st_size : 0
  }

  private func setAside() throws -> String {
    // A name that is free: what was set aside before is never written over.
    var stamp = WallClock.milliseconds
    while ["-wal", "-shm", ""].contains(where: { access("\(database).damaged-\(stamp)" + $0, F_OK) == 0 }) {
      stamp += 1
    }
    let aside = "\(database).damaged-\(stamp)"
    for suffix in ["-wal", "-shm", ""] where access(database + suffix, F_OK) == 0 {
      guard rename(database + suffix, aside + suffix) == 0 else {
        throw StartError(description: "\(database) is damaged and cannot be set aside: \(Self.errorText())")
      }
    }
    return aside
  }

  /// The device secret; made on first use. `mayCreate` is false once there is a keybag: a new secret would open nothing.
  func deviceSecret(mayCreate: Bool) throws -> SymmetricKey<DeviceSecretRole> {
    if access(secretFile, F_OK) != 0 {
      guard mayCreate else {
        throw StartError(
          description:
            "\(secretFile) is missing, so nothing stored here can be opened: put it back from a backup, or move \(path) away and recover with the recovery key"
        )
      }
      try createSecret()
    }
    let descriptor = open(secretFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw StartError(description: "\(secretFile) cannot be read: \(Self.errorText())")
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 33)
    let count = read(descriptor, &bytes, 33)
    bytes.removeLast(33 - max(0, min(count, 33)))
    guard count == 32 else {
      wipe(&bytes)
      throw StartError(description: "\(secretFile) does not hold 32 bytes: put it back from a backup")
    }
    return try SymmetricKey(consuming: &bytes)
  }

  /// The secret is on disk, its folder entry too, before anything is sealed under it.
  private func createSecret() throws {
    let temporary = secretFile + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StartError(description: "\(secretFile) cannot be made: \(Self.errorText())")
    }
    var bytes = Randomness.bytes(32)
    defer { wipe(&bytes) }
    let written = write(descriptor, bytes, 32) == 32 && fsync(descriptor) == 0
    close(descriptor)
    guard written, rename(temporary, secretFile) == 0 else {
      throw StartError(description: "\(secretFile) cannot be written: \(Self.errorText())")
    }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  private static func makeFolders(_ path: String) throws {
    var partial = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      partial += "/" + part
      if mkdir(partial, 0o700) != 0, errno != EEXIST {
        throw StartError(
          description: "\(partial) cannot be made: \(errorText()); change its parent's mode or name another home")
      }
    }
  }

  private static func errorText() -> String { String(cString: strerror(errno)) }
}
