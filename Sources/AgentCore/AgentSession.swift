internal import AgentWire
internal import VaultCrypto
internal import VaultModel

/// One client's connection: requests one after the other, and at most one invitation that ends with it.
public final class AgentSession {
  private let agent: Agent
  private let isClientGone: @Sendable () -> Bool
  private var invitation: Invitation?

  /// A session with a client that connected. `isClientGone` is asked by requests that wait for a person elsewhere: they end when
  /// nobody waits for their answer any more.
  public init(agent: Agent, isClientGone: @escaping @Sendable () -> Bool) {
    self.agent = agent
    self.isClientGone = isClientGone
  }

  deinit { invitation?.cancel() }

  /// Answers one message through `send`, which is called for each event and then for the reply. Throws only what `send` throws.
  public func handle(_ message: [UInt8], send: ([UInt8]) throws -> Void) throws {
    let request: AgentRequest
    do {
      request = try AgentRequest(decoding: message)
    } catch {
      for message in AgentReply.failure(AgentFailure(error)).encodedMessages { try send(message) }
      return
    }
    let reply: AgentReply
    do {
      // An event that cannot be delivered is no reason to stop the work: the client went away, and its work stays done.
      reply = .success(try answer(request) { event in try? send(event.encoded) })
    } catch {
      reply = .failure(failure(error))
    }
    for message in reply.encodedMessages { try send(message) }
  }

  private func answer(_ request: AgentRequest, _ send: (AgentEvent) -> Void) throws -> AgentResult {
    switch request {
    case .status: return .status(try agent.status())
    case .initialize(let arguments): return .initialized(try agent.initialize(arguments))
    case .unlock(let arguments):
      try agent.unlock(passphrase: arguments.passphrase)
      return .done
    case .lock:
      try agent.lockNow()
      return .done
    case .changePassphrase(let arguments):
      try agent.changePassphrase(old: arguments.old, new: arguments.new)
      return .done
    case .add(let arguments): return .added(try agent.add(arguments))
    case .find(let arguments): return .found(try agent.find(arguments))
    case .update(let arguments): return .count(try agent.update(arguments))
    case .remove(let arguments): return .count(try agent.remove(arguments))
    case .sync(let arguments): return .vaults(VaultsResult(vaults: try agent.sync(arguments.vault, send)))
    case .deviceList(let arguments): return .devices(try agent.deviceList(arguments.vault))
    case .inviteBegin(let arguments):
      invitation?.cancel()
      let begun = try Invitation(agent, arguments)
      invitation = begun
      return .invitation(InviteResult(code: begun.code, expires: Int64(clamping: begun.expires)))
    case .inviteWait: return .candidate(try currentInvitation().wait(isClientGone))
    case .inviteDecide(let arguments):
      let candidate = try currentInvitation().decide(approve: arguments.approve)
      invitation = nil
      return .candidate(candidate)
    case .inviteCancel:
      invitation?.cancel()
      invitation = nil
      return .done
    case .join(let arguments): return .joined(try agent.join(arguments, isClientGone, send))
    case .recover(let arguments): return .joined(try agent.recover(arguments, send))
    case .conflicts(let arguments):
      return .conflicts(try agent.conflicts(arguments.vault, withSecret: arguments.withSecret))
    case .vaultList: return .vaults(VaultsResult(vaults: try agent.vaultList()))
    }
  }

  private func currentInvitation() throws -> Invitation {
    guard let invitation else { throw AgentFailure(.badRequest, "there is no invitation on this connection") }
    return invitation
  }
}
