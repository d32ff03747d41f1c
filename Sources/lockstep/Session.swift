import AgentClient
import AgentWire

/// A command's way to the agent.
final class Session {
  let invocation: Invocation
  private var client: AgentClient?
  /// How often a person may mistype the passphrase.
  private static let attempts = 3

  init(_ invocation: Invocation) {
    self.invocation = invocation
  }

  /// The vault that is meant; nil for the first.
  var vault: String? { invocation.value("vault") ?? Environment.value("LOCKSTEP_VAULT") }

  /// Asks the agent. Where something is locked and a person sits at a terminal, asks for the passphrase and tries again.
  func call(_ request: AgentRequest, onEvent: (AgentEvent) -> Void = { _ in }) throws(CommandFailure) -> AgentResult {
    do throws(AgentFailure) {
      return try connected().call(request, onEvent: onEvent)
    } catch {
      guard error.status == .interactionNotAllowed, try unlockAtTerminal() else { throw CommandFailure(error) }
    }
    return try callOnce(request, onEvent: onEvent)
  }

  /// Asks the agent, and takes its first answer.
  func callOnce(
    _ request: AgentRequest, onEvent: (AgentEvent) -> Void = { _ in }
  ) throws(CommandFailure) -> AgentResult {
    do throws(AgentFailure) {
      return try connected().call(request, onEvent: onEvent)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Whether an agent listens; none is started.
  func isAgentRunning() throws(CommandFailure) -> Bool {
    do throws(AgentFailure) {
      client = try AgentClient.running(at: try location())
      return client != nil
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Unlocks with what a person types; false if nobody is there. After `lock` the passphrase file opens nothing: only
  /// `unlock`, or somebody who types the passphrase.
  func unlockAtTerminal() throws(CommandFailure) -> Bool {
    guard let terminal = Terminal() else { return false }
    for attempt in 1...Self.attempts {
      let passphrase = try PassphraseSource.typed(terminal, "Locked. Passphrase: ")
      do throws(AgentFailure) {
        _ = try connected().call(.unlock(UnlockArguments(passphrase: passphrase)))
        return true
      } catch {
        guard error.status == .authenticationFailed, attempt < Self.attempts else { throw CommandFailure(error) }
        try terminal.show("The passphrase is wrong.\n")
      }
    }
    return false
  }

  func status() throws(CommandFailure) -> StatusResult {
    guard case .status(let status) = try callOnce(.status) else { throw unexpected }
    return status
  }

  /// The agent answered with the result of another operation, which decoding excludes.
  var unexpected: CommandFailure {
    CommandFailure("the agent gave an answer of another kind: end lockstepd and try again")
  }

  private func location() throws(AgentFailure) -> AgentLocation {
    try AgentLocation(home: invocation.value("home"), socket: invocation.value("socket"))
  }

  private func connected() throws(AgentFailure) -> AgentClient {
    if let client { return client }
    let client = try AgentClient(try location())
    self.client = client
    return client
  }
}
