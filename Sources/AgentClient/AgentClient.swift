public import AgentWire
import UnixSocket

/// A connection to the agent, which is started if none runs.
public final class AgentClient {
  private let connection: SocketConnection

  /// Connects to the agent at `location`; starts one if nobody listens there.
  public convenience init(_ location: AgentLocation) throws(AgentFailure) {
    let paths = location.paths
    if let connection = try Self.connect(paths) {
      self.init(connection)
    } else {
      self.init(try AgentLauncher(paths).connection())
    }
  }

  /// A connection to the agent at `location`; nil if nobody listens there.
  public static func running(at location: AgentLocation) throws(AgentFailure) -> AgentClient? {
    try connect(location.paths).map(AgentClient.init)
  }

  private init(_ connection: SocketConnection) {
    self.connection = connection
  }

  private static func connect(_ paths: AgentPaths) throws(AgentFailure) -> SocketConnection? {
    do throws(SocketError) {
      return try SocketConnection(path: paths.socket, frameLimit: AgentProtocol.maximumMessageBytes)
    } catch {
      if case .notListening = error { return nil }
      throw AgentFailure(unreachable: error)
    }
  }

  /// Sends `request` and waits for its reply. Events that come before it are given to `onEvent`.
  public func call(
    _ request: AgentRequest, onEvent: (AgentEvent) -> Void = { _ in }
  ) throws(AgentFailure) -> AgentResult {
    let operation = request.operation
    do throws(SocketError) { try connection.send(request.encoded) } catch { throw AgentFailure(unreachable: error) }
    var items: [FoundItem] = []
    while true {
      switch try receive(operation) {
      case .event(let event): onEvent(event)
      case .items(let part): items += part
      case .reply(.failure(let failure)): throw failure
      case .reply(.success(.found(let last))) where !items.isEmpty:
        return .found(FindResult(items: items + last.items, lockedCount: last.lockedCount))
      case .reply(.success(let result)): return result
      }
    }
  }

  private func receive(_ operation: AgentOperation) throws(AgentFailure) -> AgentMessage {
    let message: [UInt8]?
    do throws(SocketError) { message = try connection.receive() } catch { throw AgentFailure(unreachable: error) }
    guard let message else {
      throw AgentFailure(.failed, "the agent ended the connection before it answered: see its log, then try again")
    }
    do throws(AgentWireError) {
      return try AgentMessage(decoding: message, answering: operation)
    } catch {
      throw AgentFailure(
        .protocolMismatch,
        "the agent's answer cannot be read (\(error.message)): it may be of another version; end lockstepd and try again"
      )
    }
  }
}

extension AgentFailure {
  init(unreachable error: SocketError) {
    self.init(.failed, "the agent cannot be reached: \(error.message)")
  }
}
