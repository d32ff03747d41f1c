internal import DeviceChain
internal import RelayWire

extension RelayService {
  private static let noMailbox = Problem(.notFound, "There is no such mailbox, or its time has passed.")

  /// PUT V/mailboxes/M, by an admin: only an admin's signature lets a device in.
  func openMailbox(_ vault: [UInt8], _ mailbox: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    try requireAdmin(try activeCaller(request, of: vault))
    _ = try decode(EmptyMessage.self, request)
    let now = configuration.now()
    let outcome = try stored { () throws(RelayStorageError) in
      try storage.openMailbox(mailbox, of: vault, expires: now + RelayLimits.mailboxSeconds * 1_000, now: now)
    }
    switch outcome {
    case .opened: return Reply(status: 201, EmptyMessage())
    case .open: return Reply(status: 200, EmptyMessage())
    case .taken: throw Problem(.exists, "This mailbox is another vault's.")
    case .tooMany:
      throw Problem(.busy, "The vault has \(RelayLimits.mailboxCount) open mailboxes already.", retryAfter: 60)
    }
  }

  /// DELETE V/mailboxes/M.
  func closeMailbox(_ vault: [UInt8], _ mailbox: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    try requireAdmin(try activeCaller(request, of: vault))
    let wasOpen = try stored { () throws(RelayStorageError) in try storage.closeMailbox(mailbox, of: vault) }
    guard wasOpen else { throw Self.noMailbox }
    waiters.notify(mailbox)
    return Reply(status: 204)
  }

  /// GET V/mailboxes/M/request.
  func pairingRequest(
    _ vault: [UInt8], _ mailbox: [UInt8], _ call: Call, _ request: ServerRequest
  ) throws(Problem) -> Outcome {
    let device = try activeCaller(request, of: vault).device
    return try letter(mailbox, of: vault, call, { $0.request }) { [self] () throws(Problem) in
      try Self.requireActive(device, vaultState(vault).1)
    }
  }

  /// GET /v1/mailboxes/M/answer; not signed: the joining device is not in the chain yet.
  func pairingAnswer(_ mailbox: [UInt8], _ call: Call) throws(Problem) -> Outcome {
    try letter(mailbox, of: nil, call, { $0.answer }) { () throws(Problem) in }
  }

  /// PUT /v1/mailboxes/M/request; not signed.
  func putPairingRequest(_ mailbox: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    guard !request.body.isEmpty else { throw Problem(.malformed, "The request is empty.") }
    let now = configuration.now()
    return try put(mailbox) { () throws(RelayStorageError) in
      try storage.put(request: request.body, into: mailbox, now: now)
    }
  }

  /// PUT V/mailboxes/M/answer.
  func putPairingAnswer(_ vault: [UInt8], _ mailbox: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    try requireAdmin(try activeCaller(request, of: vault))
    guard !request.body.isEmpty else { throw Problem(.malformed, "The answer is empty.") }
    let now = configuration.now()
    return try put(mailbox) { () throws(RelayStorageError) in
      try storage.put(answer: request.body, into: mailbox, of: vault, now: now)
    }
  }

  private func put(
    _ mailbox: [UInt8], _ body: () throws(RelayStorageError) -> LetterOutcome
  ) throws(Problem) -> Reply {
    switch try stored(body) {
    case .stored:
      waiters.notify(mailbox)
      return Reply(status: 204)
    case .exists: throw Problem(.exists, "The mailbox holds another letter already.")
    case .missing: throw Self.noMailbox
    }
  }

  private func letter(
    _ mailbox: [UInt8], of vault: [UInt8]?, _ call: Call, _ part: @escaping @Sendable (Mailbox) -> [UInt8]?,
    _ check: @escaping @Sendable () throws(Problem) -> Void
  ) throws(Problem) -> Outcome {
    try waiting(for: mailbox, owner: mailbox, milliseconds: try call.wait() * 1_000) { [self] isLast throws(Problem) in
      try check()
      let now = configuration.now()
      let found = try stored { () throws(RelayStorageError) in try storage.mailbox(mailbox, of: vault, now: now) }
      guard let found else { throw Self.noMailbox }
      if let bytes = part(found) {
        return Reply(status: 200, contentType: RelayRequest.ContentType.octets.rawValue, body: bytes)
      }
      return isLast ? Reply(status: 204) : nil
    }
  }

  private func requireAdmin(_ caller: Caller) throws(Problem) {
    guard caller.state.isAdmin(caller.device) else {
      throw Problem(.role, "Only an admin's device may do that.")
    }
  }
}
