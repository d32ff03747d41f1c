import CLinux
import Glibc

/// Who is at the other end of a connection, as the kernel noted it when the connection was made.
public struct PeerCredentials: Equatable, Sendable {
  /// The process. It may have ended since, and its number may be another's by now.
  public let process: Int32
  /// Its effective user.
  public let user: UInt32
  /// Its effective group.
  public let group: UInt32

  /// Whether the process belongs to the user that this one runs as.
  public var isThisUser: Bool { user == geteuid() }

  init(descriptor: Int32) throws(SocketError) {
    var process: pid_t = 0
    var user: uid_t = 0
    var group: gid_t = 0
    guard lockstep_peer_credentials(descriptor, &process, &user, &group) == 0 else {
      throw .system(call: "getsockopt", path: "", code: errno)
    }
    self.process = process
    self.user = user
    self.group = group
  }
}
