import Glibc

/// Why a socket cannot be used.
public enum SocketError: Error, Equatable, Sendable {
  /// The path is longer than a socket's may be.
  case pathTooLong(String)
  /// No variable of the environment says where the files are.
  case homeUnknown
  /// Nobody listens there.
  case notListening(String)
  /// Another process listens there.
  case alreadyListening(String)
  /// What is there is no socket, or not ours.
  case notReplaceable(String)
  /// The directory of the socket is another user's, or others may write to it.
  case unsafeDirectory(String)
  /// A process of another user listens there.
  case foreignUser(path: String, user: UInt32)
  /// A frame is larger than it may be.
  case frameTooLarge(limit: Int)
  /// The other side began a frame and did not end it, or does not take what is sent.
  case timedOut
  /// The other side has gone in the middle of a frame.
  case closed
  /// The system said no.
  case system(call: String, path: String, code: Int32)

  /// One sentence for a person.
  public var message: String {
    switch self {
    case .pathTooLong(let path):
      "the socket's path is \(path.utf8.count) bytes long and the system allows \(SocketListener.maximumPathBytes): set LOCKSTEP_SOCKET or LOCKSTEP_HOME to a shorter one (\(path))"
    case .homeUnknown: "neither LOCKSTEP_HOME nor HOME is set to an absolute path: set one of them"
    case .notListening(let path): "no agent listens at \(path)"
    case .alreadyListening(let path): "another agent listens at \(path) already"
    case .notReplaceable(let path): "\(path) exists and is not a socket of this user: remove it or choose another path"
    case .unsafeDirectory(let path):
      "the directory \(path) belongs to another user or others may write to it: make it your own with mode 0700"
    case .foreignUser(let path, let user):
      "the process that listens at \(path) belongs to another user (\(user)): nothing was sent to it"
    case .frameTooLarge(let limit): "the message is larger than \(limit) bytes"
    case .timedOut: "the other side began a message and did not end it"
    case .closed: "the connection was closed in the middle of a message"
    case .system(let call, let path, let code):
      "\(call) failed\(path.isEmpty ? "" : " on \(path)"): \(Self.text(of: code))"
    }
  }

  /// The system's words for an errno.
  static func text(of code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else { return "error \(code)" }
      return String(cString: base)
    }
  }
}
