import CLinux
import Glibc
import Synchronization

/// A listening socket that this process alone owns.
///
/// Beside the socket lies a lock file, `<path>.lock`, which is locked as long as the listener lives and never removed: who
/// holds the lock may replace a socket that was left behind, and nobody else, so a live socket is never stolen.
public final class SocketListener: Sendable {
  /// The longest path that a socket's address holds, without its final zero (unix(7)).
  public static let maximumPathBytes = 107

  /// Where it listens.
  public let path: String
  private let frameLimit: Int
  private let descriptor: Int32
  private let lock: Int32
  private let identity: FileIdentity
  private let stopped = Atomic(false)

  /// Listens at `path`. Its directory is made with mode 0700 if it is not there; the socket has mode 0600.
  public init(path: String, frameLimit: Int) throws(SocketError) {
    guard path.utf8.count <= Self.maximumPathBytes else { throw .pathTooLong(path) }
    try PrivateDirectory.prepare(PrivateDirectory.parent(of: path))
    let lock = try Self.takeLock(path)
    do {
      try Self.removeStale(path)
      descriptor = try Self.listen(path)
    } catch {
      close(lock)
      throw error
    }
    self.lock = lock
    self.path = path
    self.frameLimit = frameLimit
    identity = FileIdentity(path: path) ?? FileIdentity()
  }

  deinit {
    // Still holding the lock. Only our own socket is removed: somebody may have put another one there by hand.
    if FileIdentity(path: path) == identity { unlink(path) }
    close(descriptor)
    close(lock)
  }

  /// The next connection; nil after `stop`.
  public func accept() throws(SocketError) -> SocketConnection? {
    while true {
      let connection = lockstep_accept(descriptor)
      if connection >= 0 { return try SocketConnection(adopting: connection, frameLimit: frameLimit) }
      let code = errno
      if stopped.load(ordering: .acquiring) { return nil }
      switch code {
      case EINTR, ECONNABORTED: continue
      // Out of descriptors or memory: the connection waits in the queue until another one ends.
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(20_000)
      default: throw .system(call: "accept", path: path, code: code)
      }
    }
  }

  /// Ends `accept`, whichever thread waits in it.
  public func stop() {
    stopped.store(true, ordering: .releasing)
    _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private static func takeLock(_ path: String) throws(SocketError) -> Int32 {
    let lockPath = path + ".lock"
    let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw .system(call: "open", path: lockPath, code: errno) }
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      close(lock)
      if code == EWOULDBLOCK { throw .alreadyListening(path) }
      throw .system(call: "flock", path: lockPath, code: code)
    }
    return lock
  }

  /// Removes a socket that nobody listens at any more. The lock is held.
  private static func removeStale(_ path: String) throws(SocketError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw .system(call: "lstat", path: path, code: errno)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else { throw .notReplaceable(path) }
    // A listener that knows nothing of the lock may be there all the same.
    let probe = lockstep_unix_socket()
    guard probe >= 0 else { throw .system(call: "socket", path: "", code: errno) }
    defer { close(probe) }
    if lockstep_connect_path(probe, path) == 0 || errno == EAGAIN { throw .alreadyListening(path) }
    guard errno == ECONNREFUSED else { throw .system(call: "connect", path: path, code: errno) }
    guard unlink(path) == 0 else { throw .system(call: "unlink", path: path, code: errno) }
  }

  private static func listen(_ path: String) throws(SocketError) -> Int32 {
    let descriptor = lockstep_unix_socket()
    guard descriptor >= 0 else { throw .system(call: "socket", path: "", code: errno) }
    // The mode is set before the name exists, so nobody else can connect at any moment.
    guard fchmod(descriptor, 0o600) == 0, lockstep_bind_path(descriptor, path) == 0,
      Glibc.listen(descriptor, 128) == 0
    else {
      let code = errno
      close(descriptor)
      throw .system(call: "bind", path: path, code: code)
    }
    return descriptor
  }
}

/// Which file a path names.
private struct FileIdentity: Equatable, Sendable {
  private var device: UInt = 0
  private var inode: UInt = 0

  /// No file.
  init() {}

  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }
}
