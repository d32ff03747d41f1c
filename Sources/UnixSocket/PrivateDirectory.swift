import Glibc

/// Directories that only this user may use.
public enum PrivateDirectory {
  /// Makes `path`, and what lies above it, with mode 0700 where it is missing; refuses a directory that belongs to another
  /// user or that others may write to.
  public static func prepare(_ path: String) throws(SocketError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      guard errno == ENOENT else { throw .system(call: "mkdir", path: path, code: errno) }
      try makeParents(of: path)
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(call: "mkdir", path: path, code: errno) }
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(call: "stat", path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .system(call: "mkdir", path: path, code: ENOTDIR) }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { throw .unsafeDirectory(path) }
  }

  private static func makeParents(of path: String) throws(SocketError) {
    let parent = parent(of: path)
    guard parent != path, mkdir(parent, 0o700) != 0, errno != EEXIST else { return }
    guard errno == ENOENT else { throw .system(call: "mkdir", path: parent, code: errno) }
    try makeParents(of: parent)
    guard mkdir(parent, 0o700) == 0 || errno == EEXIST else {
      throw .system(call: "mkdir", path: parent, code: errno)
    }
  }

  /// What comes before the last slash: `/` for a name in the root, `.` for a path without a slash.
  public static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
