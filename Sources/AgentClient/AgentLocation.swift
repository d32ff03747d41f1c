public import AgentWire
import UnixSocket

/// Where an agent is looked for.
public struct AgentLocation {
  let paths: AgentPaths

  /// Resolves flags (nil where none was given) and the environment.
  public init(home: String? = nil, socket: String? = nil) throws(AgentFailure) {
    do throws(SocketError) {
      paths = try AgentPaths(home: home, socket: socket)
    } catch {
      throw AgentFailure(.failed, error.message)
    }
  }
}
