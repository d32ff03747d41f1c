import AgentWire
import Glibc
import UnixSocket

/// Where a started agent writes its messages.
final class AgentLog {
  let descriptor: Int32
  /// What was in the file before the agent was started.
  private let start: off_t

  init(path: String) throws(AgentFailure) {
    do throws(SocketError) {
      try PrivateDirectory.prepare(PrivateDirectory.parent(of: path))
    } catch {
      throw AgentFailure(.failed, "the agent cannot be started: \(error.message)")
    }
    descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw AgentFailure(
        .failed, "the agent cannot be started: its log \(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    start = lseek(descriptor, 0, SEEK_END)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The last line that was written since, without control characters; nil if there is none.
  func lastLine() -> String? {
    let end = lseek(descriptor, 0, SEEK_END)
    let from = max(start, end - 4_096)
    guard end > from else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(end - from))
    let count = pread(descriptor, &bytes, bytes.count, from)
    guard count > 0 else { return nil }
    let lines = bytes[..<count].split(separator: UInt8(ascii: "\n"))
    guard let last = lines.last else { return nil }
    let text = String(decoding: last.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
