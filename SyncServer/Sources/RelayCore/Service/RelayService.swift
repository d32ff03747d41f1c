internal import DeviceChain
public import RelayWire
internal import Threading
internal import VaultCrypto

/// The relay: what it answers to a request, over any storage and under any HTTP server.
public final class RelayService: Sendable {
  /// How a relay is run.
  public struct Configuration: Sendable {
    /// True if a vault may be registered without an invite.
    public var openRegistration = false
    /// The address that clients know the relay by, if it differs from the Host header that reaches it.
    public var publicAddress: RelayAddress?
    /// Bytes that one vault may hold.
    public var vaultQuota: UInt64 = 1 << 30
    /// The time of day in milliseconds.
    public var now: @Sendable () -> UInt64 = { WallClock.milliseconds }
    /// Told of what an operator wants to know, without ids or contents.
    public var log: @Sendable (_ event: String, _ detail: String) -> Void = { _, _ in }

    /// A closed relay.
    public init() {}
  }

  let storage: any RelayStorage
  let configuration: Configuration
  let chains: ChainCache
  let verifier: RequestVerifier
  /// Who waits. An engine with several processes notifies it of what the others stored.
  public let waiters = WaiterRegistry()

  /// A relay over `storage`.
  public init(storage: any RelayStorage, configuration: Configuration) {
    self.storage = storage
    self.configuration = configuration
    chains = ChainCache(storage: storage)
    verifier = RequestVerifier(publicAddress: configuration.publicAddress)
  }

  /// Answers a request or says that it waits.
  public func respond(to request: ServerRequest) -> Outcome {
    do throws(Problem) {
      let call = try Call(method: request.method, target: request.target)
      try Self.checkBody(call, length: request.body.count, contentType: request.contentType)
      return try dispatch(call, request)
    } catch {
      return .reply(Reply(error, target: request.target))
    }
  }

  /// Asks again for a request that waited and was woken.
  public func resume(_ pending: PendingReply) -> Outcome {
    do throws(Problem) {
      let waiter = pending.waiter
      return try waiting(for: waiter.key, owner: waiter.owner, milliseconds: waiter.left, pending.evaluate)
    } catch {
      return .reply(Reply(error))
    }
  }

  /// Answers a request; the calling thread waits while the request does.
  public func answer(_ request: ServerRequest) -> Reply {
    var outcome = respond(to: request)
    while true {
      switch outcome {
      case .reply(let reply): return reply
      case .wait(let pending):
        let woken = Monitor(false)
        pending.waiter.arm { woken.change { $0 = true } }
        _ = woken.wait { $0 ? true : nil }
        outcome = resume(pending)
      }
    }
  }

  /// Removes what has expired; to be called now and then.
  public func removeExpired() {
    do throws(RelayStorageError) {
      try storage.removeExpired(now: configuration.now())
    } catch {
      configuration.log("expiry-failed", "\(error)")
    }
  }

  /// Lets nobody wait any more: those who do are answered as if their time had passed.
  public func stopWaiting() { waiters.close() }

  /// Checks the length and the type of a body; an HTTP server can do so before it reads the body.
  public static func checkBody(_ call: Call, length: Int, contentType: String?) throws(Problem) {
    guard call.bodyLimit > 0 else {
      if length > 0 { throw Problem(.malformed, "This request has no body.") }
      return
    }
    guard length <= call.bodyLimit else {
      throw Problem(.tooLarge, "The body is larger than the \(call.bodyLimit) bytes that this request may have.")
    }
    guard contentType == call.resource.bodyType.rawValue else {
      throw Problem(.malformed, "The body's type must be \(call.resource.bodyType.rawValue).")
    }
  }

  private func dispatch(_ call: Call, _ request: ServerRequest) throws(Problem) -> Outcome {
    switch (call.resource, call.method) {
    case (.health, _): .reply(try health())
    case (.vaults, _): .reply(try createVault(request))
    case (.chain(let vault), .get): .reply(try chain(vault, call, request))
    case (.chain(let vault), _): .reply(try append(vault, request))
    case (.keyrings(let vault), .get): .reply(try keyrings(vault, call, request))
    case (.keyrings(let vault), _): .reply(try putKeyrings(vault, request))
    case (.records(let vault), _): .reply(try push(vault, request))
    case (.changes(let vault), _): try changes(vault, call, request)
    case (.checkpoint(let vault), _): .reply(try putCheckpoint(vault, request))
    case (.mailbox(let vault, let mailbox), .put): .reply(try openMailbox(vault, mailbox, request))
    case (.mailbox(let vault, let mailbox), _): .reply(try closeMailbox(vault, mailbox, request))
    case (.mailboxRequest(let vault, let mailbox), _): try pairingRequest(vault, mailbox, call, request)
    case (.mailboxAnswer(let vault, let mailbox), _): .reply(try putPairingAnswer(vault, mailbox, request))
    case (.openRequest(let mailbox), _): .reply(try putPairingRequest(mailbox, request))
    case (.openAnswer(let mailbox), _): try pairingAnswer(mailbox, call)
    case (.recovery(let locator), _): .reply(try recovery(locator, call))
    }
  }

  private func health() throws(Problem) -> Reply {
    let nobody = [UInt8](repeating: 0, count: RelayLimits.identifierBytes)
    _ = try stored { () throws(RelayStorageError) in try storage.status(of: nobody) }
    return Reply(status: 200, contentType: "text/plain", body: Array("ok\n".utf8))
  }

  /// Evaluates now, and waits if there is nothing to say. Registered before the second look: an event in between wakes it.
  func waiting(
    for key: [UInt8], owner: [UInt8], milliseconds: UInt64,
    _ evaluate: @escaping @Sendable (Bool) throws(Problem) -> Reply?
  ) throws(Problem) -> Outcome {
    if let reply = try evaluate(milliseconds == 0) { return .reply(reply) }
    guard let waiter = waiters.register(key, owner: owner, milliseconds: milliseconds) else {
      return .reply(try evaluate(true) ?? Reply(status: 204))
    }
    do throws(Problem) {
      guard let reply = try evaluate(false) else { return .wait(PendingReply(waiter: waiter, evaluate: evaluate)) }
      waiters.remove(waiter)
      return .reply(reply)
    } catch {
      waiters.remove(waiter)
      throw error
    }
  }

  func decode<Message: WireMessage>(_ type: Message.Type, _ request: ServerRequest) throws(Problem) -> Message {
    do { return try Message(decoding: request.body) } catch {
      throw Problem(.malformed, "The body does not have the form described.")
    }
  }
}
