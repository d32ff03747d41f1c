import Testing

@testable import UnixSocket

@Suite struct AgentPathsTests {
  func paths(home: String? = nil, socket: String? = nil, _ environment: [String: String]) throws -> [String] {
    let paths = try AgentPaths(
      home: home, socket: socket, environment: { environment[$0] }, userHome: { "/home/ann" },
      workingDirectory: { "/work/here" })
    return [paths.home, paths.socket, paths.log]
  }

  @Test func `A named home holds everything`() throws {
    let expected = ["/v", "/v/agent.sock", "/v/agent.log"]
    #expect(try paths(["LOCKSTEP_HOME": "/v", "XDG_RUNTIME_DIR": "/run/user/1"]) == expected)
    #expect(try paths(home: "/v", ["LOCKSTEP_HOME": "/other"]) == expected)
  }

  @Test func `A socket may lie elsewhere`() throws {
    #expect(try paths(["LOCKSTEP_HOME": "/v", "LOCKSTEP_SOCKET": "/s/a"]) == ["/v", "/s/a", "/v/agent.log"])
    #expect(try paths(socket: "/t", ["LOCKSTEP_HOME": "/v", "LOCKSTEP_SOCKET": "/s"]) == ["/v", "/t", "/v/agent.log"])
  }

  @Test func `Without a home the XDG directories decide`() throws {
    #expect(
      try paths(["XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/r", "XDG_STATE_HOME": "/s"])
        == ["/d/lockstep", "/r/lockstep/agent.sock", "/s/lockstep/agent.log"])
    #expect(
      try paths(["XDG_RUNTIME_DIR": "/r"])
        == [
          "/home/ann/.local/share/lockstep", "/r/lockstep/agent.sock", "/home/ann/.local/state/lockstep/agent.log",
        ])
  }

  @Test func `Without a session the socket lies in the home`() throws {
    #expect(try paths([:])[1] == "/home/ann/.local/share/lockstep/agent.sock")
    #expect(try paths(["XDG_RUNTIME_DIR": "relative"])[1] == "/home/ann/.local/share/lockstep/agent.sock")
  }

  @Test func `Relative paths are taken from the working directory`() throws {
    #expect(
      try paths(["LOCKSTEP_HOME": "v", "LOCKSTEP_SOCKET": "s"])
        == ["/work/here/v", "/work/here/s", "/work/here/v/agent.log"])
  }
}
