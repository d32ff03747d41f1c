internal import AgentCore
internal import AgentWire
internal import Synchronization
internal import Threading
internal import UnixSocket

/// Serves the agent's socket: one thread for each connection, up to a limit.
final class AgentServer: Sendable {
  /// More clients at once than any person or build has; each costs a thread.
  private static let maximumConnections = 256
  private let agent: Agent
  private let listener: SocketListener
  private let open = Atomic<Int>(0)

  init(agent: Agent, path: String) throws {
    self.agent = agent
    listener = try SocketListener(path: path, frameLimit: AgentProtocol.maximumMessageBytes)
  }

  func run() {
    do {
      while let connection = try listener.accept() { admit(connection) }
    } catch {
      Log.line("the socket failed: \(error.message)")
    }
  }

  func stop() { listener.stop() }

  private func admit(_ connection: SocketConnection) {
    guard connection.peer.isThisUser else {
      Log.line("a connection of user \(connection.peer.user) was refused")
      return
    }
    guard open.load(ordering: .relaxed) < Self.maximumConnections else {
      Log.line("a connection was refused: \(Self.maximumConnections) are open")
      return
    }
    open.add(1, ordering: .relaxed)
    let started = WorkerThread { [self] in
      serve(connection)
      open.subtract(1, ordering: .relaxed)
    }
    if started == nil { open.subtract(1, ordering: .relaxed) }
  }

  private func serve(_ connection: SocketConnection) {
    let session = AgentSession(agent: agent, isClientGone: { connection.isPeerGone })
    do {
      while let message = try connection.receive() {
        try session.handle(message) { reply in try connection.send(reply) }
      }
    } catch SocketError.closed {
      // The client went away.
    } catch {
      Log.line("a connection was closed: \((error as? SocketError)?.message ?? "\(error)")")
    }
  }
}
