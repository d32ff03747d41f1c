internal import CBOR

/// The endpoints of Docs/RelayProtocol.md for one vault, typed. Every answer is bounded and checked for what it must hold by itself;
/// whether it is true is for the caller to verify.
public struct RelayAPI: Sendable {
  /// What carries the requests.
  public let transport: any RelayTransport
  /// The relay.
  public let address: RelayAddress
  /// The vault.
  public let vault: [UInt8]
  /// The device that signs; nil where only open endpoints are used.
  public let signer: (any RequestSigner)?

  /// The endpoints of `vault` at `address`.
  public init(transport: any RelayTransport, address: RelayAddress, vault: [UInt8], signer: (any RequestSigner)?) {
    self.transport = transport
    self.address = address
    self.vault = vault
    self.signer = signer
  }

  /// Seconds that an ordinary request may take; a batch of 8 MiB over a slow line included.
  static let requestSeconds: UInt32 = 60
  /// Seconds that a waiting request may take beyond its wait.
  static let waitMarginSeconds: UInt32 = 15

  /// Sends a request and returns the body of an answer whose status is one of `statuses`.
  func body(_ request: RelayRequest, _ statuses: Int...) throws(RelayError) -> (status: Int, body: [UInt8]) {
    let response = try transport.send(request, signer: signer)
    guard response.status < 400 else { throw .problem(Problem(reading: response)) }
    guard statuses.contains(response.status) else { throw .malformedAnswer }
    return (response.status, response.body)
  }

  func decode<Message: WireMessage>(_ type: Message.Type, _ body: [UInt8]) throws(RelayError) -> Message {
    do { return try Message(decoding: body) } catch { throw .malformedAnswer }
  }

  func request(
    _ method: RelayRequest.Method, _ path: String, _ body: [UInt8] = [],
    contentType: RelayRequest.ContentType = .cbor, isSigned: Bool = true, wait: UInt32 = 0, ticket: UInt64? = nil
  ) -> RelayRequest {
    RelayRequest(
      address: address, method: method, path: path, body: body, contentType: contentType, isSigned: isSigned,
      timeoutSeconds: wait > 0 ? wait + Self.waitMarginSeconds : Self.requestSeconds,
      ticket: wait > 0 ? ticket ?? transport.waitTicket : nil)
  }

  /// `V` of Docs/RelayProtocol.md.
  var base: String { "/v1/vaults/" + PathIdentifier.encode(vault) }
}

// MARK: - Vault, chain, keyrings

extension RelayAPI {
  /// GET /healthz.
  public func isHealthy() throws(RelayError) -> Bool {
    try body(request(.get, "/healthz", isSigned: false), 200).body.starts(with: "ok".utf8)
  }

  /// POST /v1/vaults; returns the incarnation. The same genesis again is answered like the first time.
  public func createVault(invite: String?, genesis: [UInt8], keyrings: [[UInt8]]) throws(RelayError) -> [UInt8] {
    let message = CreateVaultRequest(invite: invite, genesis: genesis, keyrings: keyrings)
    let answer = try body(request(.post, "/v1/vaults", message.encoded), 200, 201)
    return try decode(CreateVaultAnswer.self, answer.body).incarnation
  }

  /// GET V/chain; entries from number `from` on.
  public func chain(from: UInt64) throws(RelayError) -> ChainPage {
    let page = try decode(ChainPage.self, body(request(.get, "\(base)/chain?from=\(from)"), 200).body)
    try check(entries: page.entries, from: from, chainLength: page.chainLength)
    return page
  }

  /// POST V/chain; returns the entry's number. `isRepair` for an entry of the verified chain that the relay lost.
  public func append(
    expectedHead: [UInt8], entry: [UInt8], keyrings: [[UInt8]], isRepair: Bool = false
  ) throws(RelayError) -> UInt64 {
    let message = AppendEntryRequest(
      expectedHead: expectedHead, entry: entry, keyrings: keyrings, isRepair: isRepair)
    let answer = try body(request(.post, "\(base)/chain", message.encoded), 200)
    return try decode(AppendEntryAnswer.self, answer.body).number
  }

  /// GET V/keyrings, one page; `from` is 0 or the `next` of the page before.
  public func keyrings(from: UInt64 = 0) throws(RelayError) -> KeyringsPage {
    let page = try decode(KeyringsPage.self, body(request(.get, "\(base)/keyrings?from=\(from)"), 200).body)
    if let next = page.next {
      guard next > from, !page.keyrings.isEmpty else { throw .malformedAnswer }
    }
    return page
  }

  /// POST V/keyrings.
  public func putKeyrings(_ keyrings: [[UInt8]]) throws(RelayError) {
    let message = PutKeyringsRequest(keyrings: keyrings)
    _ = try decode(EmptyMessage.self, body(request(.post, "\(base)/keyrings", message.encoded), 200).body)
  }

  /// GET /v1/recovery/L; entries from number `from` on. Needs no signer, and `vault` plays no part.
  public func recovery(locator: [UInt8], from: UInt64 = 0) throws(RelayError) -> RecoveryPage {
    let path = "/v1/recovery/\(PathIdentifier.encode(locator))?from=\(from)"
    let page = try decode(RecoveryPage.self, body(request(.get, path, isSigned: false), 200).body)
    try check(entries: page.entries, from: from, chainLength: page.chainLength)
    return page
  }

  /// A page must not reach beyond the chain that it claims, and must lead on towards its end.
  private func check(entries: [[UInt8]], from: UInt64, chainLength: UInt64) throws(RelayError) {
    if entries.isEmpty {
      guard from >= chainLength else { throw .malformedAnswer }
    } else {
      guard from < chainLength, UInt64(entries.count) <= chainLength - from else { throw .malformedAnswer }
    }
  }
}

// MARK: - Records and checkpoints

extension RelayAPI {
  /// POST V/records; one answer for each item, in order.
  public func push(incarnation: [UInt8], _ items: [PushItem]) throws(RelayError) -> [PushAnswer] {
    let message = PushRequest(incarnation: incarnation, items: items)
    let answers = try decode(PushAnswers.self, body(request(.post, "\(base)/records", message.encoded), 200).body)
      .answers
    guard answers.count == items.count else { throw .malformedAnswer }
    return answers
  }

  /// GET V/changes. With `wait`, the relay answers when there is something above `since`, an entry beyond `chain`, a checkpoint
  /// beyond `checkpoints`, or when the seconds are over; `ticket` is `RelayTransport.waitTicket` as it was before the caller decided to wait.
  public func changes(
    since: UInt64, limit: Int = RelayLimits.batchCount, wait: UInt32 = 0, chain: UInt64? = nil,
    checkpoints: UInt64? = nil,
    ticket: UInt64? = nil
  ) throws(RelayError) -> ChangesPage {
    let seconds = min(wait, RelayLimits.waitSeconds)
    var path = "\(base)/changes?since=\(since)&limit=\(limit)"
    if seconds > 0 { path += "&wait=\(seconds)" }
    if let chain { path += "&chain=\(chain)" }
    if let checkpoints { path += "&checkpoints=\(checkpoints)" }
    let page = try decode(
      ChangesPage.self, body(request(.get, path, wait: seconds, ticket: ticket), 200).body)
    guard page.changes.count <= limit, page.changes.allSatisfy({ $0.sequence > since }) else { throw .malformedAnswer }
    return page
  }

  /// PUT V/checkpoint.
  public func putCheckpoint(incarnation: [UInt8], _ checkpoint: [UInt8]) throws(RelayError) {
    let message = PutCheckpointRequest(incarnation: incarnation, checkpoint: checkpoint)
    _ = try decode(EmptyMessage.self, body(request(.put, "\(base)/checkpoint", message.encoded), 200).body)
  }
}

// MARK: - Pairing mailboxes

extension RelayAPI {
  /// PUT V/mailboxes/M: opens a mailbox.
  public func openMailbox(_ mailbox: [UInt8]) throws(RelayError) {
    let path = "\(base)/mailboxes/\(PathIdentifier.encode(mailbox))"
    _ = try decode(EmptyMessage.self, body(request(.put, path, EmptyMessage().encoded), 200, 201).body)
  }

  /// DELETE V/mailboxes/M.
  public func closeMailbox(_ mailbox: [UInt8]) throws(RelayError) {
    _ = try body(request(.delete, "\(base)/mailboxes/\(PathIdentifier.encode(mailbox))"), 204)
  }

  /// PUT /v1/mailboxes/M/request, by the joining device: not signed.
  public func putPairingRequest(mailbox: [UInt8], _ bytes: [UInt8]) throws(RelayError) {
    let path = "/v1/mailboxes/\(PathIdentifier.encode(mailbox))/request"
    _ = try body(request(.put, path, bytes, contentType: .octets, isSigned: false), 204)
  }

  /// GET V/mailboxes/M/request; nil if none came.
  public func pairingRequest(mailbox: [UInt8], wait: UInt32 = 0, ticket: UInt64? = nil) throws(RelayError) -> [UInt8]? {
    let path = "\(base)/mailboxes/\(PathIdentifier.encode(mailbox))/request"
    return try letter(path, isSigned: true, wait, ticket, limit: RelayLimits.mailboxRequestBytes)
  }

  /// PUT V/mailboxes/M/answer.
  public func putPairingAnswer(mailbox: [UInt8], _ bytes: [UInt8]) throws(RelayError) {
    let path = "\(base)/mailboxes/\(PathIdentifier.encode(mailbox))/answer"
    _ = try body(request(.put, path, bytes, contentType: .octets), 204)
  }

  /// GET /v1/mailboxes/M/answer, by the joining device: not signed; nil if none came.
  public func pairingAnswer(mailbox: [UInt8], wait: UInt32 = 0, ticket: UInt64? = nil) throws(RelayError) -> [UInt8]? {
    let path = "/v1/mailboxes/\(PathIdentifier.encode(mailbox))/answer"
    return try letter(path, isSigned: false, wait, ticket, limit: RelayLimits.mailboxAnswerBytes)
  }

  private func letter(
    _ path: String, isSigned: Bool, _ wait: UInt32, _ ticket: UInt64?, limit: Int
  ) throws(RelayError) -> [UInt8]? {
    let seconds = min(wait, RelayLimits.waitSeconds)
    let answer = try body(
      request(.get, path + (seconds > 0 ? "?wait=\(seconds)" : ""), isSigned: isSigned, wait: seconds, ticket: ticket),
      200, 204)
    guard answer.status == 200 else { return nil }
    guard !answer.body.isEmpty, answer.body.count <= limit else { throw .malformedAnswer }
    return answer.body
  }
}
