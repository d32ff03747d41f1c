import AgentWire
import CLinux
import Glibc
import UnixSocket

/// Starts the agent and waits until it answers.
struct AgentLauncher {
  /// How long the agent may take until it listens.
  private static let patienceMilliseconds: Int64 = 10_000

  private let paths: AgentPaths

  init(_ paths: AgentPaths) {
    self.paths = paths
  }

  func connection() throws(AgentFailure) -> SocketConnection {
    let program = try AgentProgram.find()
    let log = try AgentLog(path: paths.log)
    let process = try start(program, log)
    let deadline = Self.now() + Self.patienceMilliseconds
    var pause: UInt32 = 500
    var ended = false
    while true {
      do throws(SocketError) {
        return try SocketConnection(path: paths.socket, frameLimit: AgentProtocol.maximumMessageBytes)
      } catch {
        guard case .notListening = error else { throw AgentFailure(unreachable: error) }
      }
      if !ended, let status = Self.ended(process) {
        // Another agent was faster, and will answer soon.
        ended = status == AgentProtocol.alreadyRunningExitCode
        if !ended { throw AgentFailure(.failed, failure(log, "it ended")) }
      }
      guard Self.now() < deadline else {
        throw AgentFailure(.failed, failure(log, "it does not listen at \(paths.socket) after 10 seconds"))
      }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  private func start(_ program: String, _ log: AgentLog) throws(AgentFailure) -> pid_t {
    var process: pid_t = 0
    // Both are said, so that the agent need not look where its parent looked.
    let arguments = [program, "--home", paths.home, "--socket", paths.socket]
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    let code = lockstep_spawn_detached(program, &pointers, log.descriptor, &process)
    guard code == 0 else {
      throw AgentFailure(.failed, "the agent \(program) cannot be started: \(String(cString: strerror(code)))")
    }
    return process
  }

  private func failure(_ log: AgentLog, _ what: String) -> String {
    guard let line = log.lastLine() else { return "the agent was started but \(what); its log is \(paths.log)" }
    return "the agent was started but \(what): \(line) (its log is \(paths.log))"
  }

  /// The exit code of `process`, −1 if a signal ended it, nil while it runs.
  private static func ended(_ process: pid_t) -> Int32? {
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process else { return nil }
    // WIFEXITED and WEXITSTATUS of wait(2), which are macros.
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
