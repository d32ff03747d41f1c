import Glibc

/// Where the agent keeps its files and listens: the same answer for the agent and for those who look for it.
///
/// A home that is named, by a flag or `LOCKSTEP_HOME`, holds everything, the socket too. Without one the XDG base
/// directories decide.
public struct AgentPaths: Equatable, Sendable {
  /// The directory of the database and keys.
  public let home: String
  /// The agent's socket.
  public let socket: String
  /// Where the agent's messages go when a program starts it.
  public let log: String

  /// Resolves the paths from flags (nil where none was given) and the environment.
  public init(home homeFlag: String? = nil, socket socketFlag: String? = nil) throws(SocketError) {
    try self.init(
      home: homeFlag, socket: socketFlag, environment: Self.environment, userHome: Self.userHome,
      workingDirectory: Self.workingDirectory)
  }

  init(
    home homeFlag: String?, socket socketFlag: String?, environment: (String) -> String?, userHome: () -> String?,
    workingDirectory: () -> String?
  ) throws(SocketError) {
    func absolute(_ path: String) throws(SocketError) -> String {
      if path.utf8.first == UInt8(ascii: "/") { return path }
      guard let directory = workingDirectory() else { throw .system(call: "getcwd", path: path, code: errno) }
      return directory + "/" + path
    }
    // The XDG specification: a path that is not absolute counts as none.
    func base(_ variable: String) -> String? {
      environment(variable).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }
    let socketGiven = socketFlag ?? environment("LOCKSTEP_SOCKET")
    if let named = homeFlag ?? environment("LOCKSTEP_HOME") {
      home = try absolute(named)
      log = home + "/agent.log"
      socket = try socketGiven.map(absolute) ?? home + "/agent.sock"
      return
    }
    func base(_ variable: String, orUnderHome path: String) throws(SocketError) -> String {
      if let base = base(variable) { return base }
      guard let userHome = userHome() else { throw .homeUnknown }
      return userHome + "/" + path
    }
    home = try base("XDG_DATA_HOME", orUnderHome: ".local/share") + "/lockstep"
    log = try base("XDG_STATE_HOME", orUnderHome: ".local/state") + "/lockstep/agent.log"
    // Without a session there is no runtime directory; the home is as private.
    let runtime = base("XDG_RUNTIME_DIR").map { $0 + "/lockstep" } ?? home
    socket = try socketGiven.map(absolute) ?? runtime + "/agent.sock"
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// `HOME` alone: the user database would need shared libraries, which a static program does not have.
  private static func userHome() -> String? {
    environment("HOME").flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
  }

  private static func workingDirectory() -> String? {
    guard let directory = getcwd(nil, 0) else { return nil }
    defer { free(directory) }
    return String(cString: directory)
  }
}
