internal import CMicroHTTPD
internal import Glibc
internal import RelayCore
internal import RelayWire
internal import Synchronization
internal import Threading

/// Takes requests from libmicrohttpd through their phases. All requests of a server share one.
final class RequestHandler: Sendable {
  /// Bytes of bodies that may be in memory at once: many large uploads must not use up the machine.
  private static let bodyBudget = 256 << 20

  let service: RelayService
  private let pool: WorkerPool
  private let log: @Sendable (Reply, String, String) -> Void
  private let bodyBytes = Atomic(0)
  /// Requests that came in whole and are not answered yet, and of these the suspended ones.
  let open = Monitor((active: 0, suspended: 0))
  private let isStopping = Atomic(false)

  init(service: RelayService, pool: WorkerPool, log: @escaping @Sendable (Reply, String, String) -> Void) {
    self.service = service
    self.pool = pool
    self.log = log
  }

  /// From now on, replies close their connection.
  func beginStopping() { isStopping.store(true, ordering: .releasing) }

  /// The reply was sent, or the connection is gone.
  func end(_ exchange: Exchange) {
    bodyBytes.subtract(exchange.request.body.count, ordering: .relaxed)
    if exchange.isActive { open.change { $0.active -= 1 } }
  }

  /// libmicrohttpd's access handler: called when the header is complete, for each piece of the body, at its end, and after a suspension.
  func handle(
    _ exchange: Exchange, _ connection: OpaquePointer, method: String, piece: UnsafeRawBufferPointer
  ) -> MHD_Result {
    switch exchange.slot.phase.withLock({ $0 }) {
    case .new: return start(exchange, connection, method)
    case .reading(let call):
      guard piece.isEmpty else {
        take(piece, exchange)
        return .YES
      }
      if let refusal = exchange.refusal { return send(Reply(refusal), exchange, connection) }
      return process(call, exchange, connection)
    case .working: return .NO
    case .waiting(let pending): return settle(service.resume(pending), exchange, connection)
    case .done(let reply): return send(reply, exchange, connection)
    }
  }

  private func start(_ exchange: Exchange, _ connection: OpaquePointer, _ method: String) -> MHD_Result {
    let fields = HeaderFields(connection)
    exchange.request.method = method
    exchange.request.host = fields["host"]
    exchange.request.contentType = fields["content-type"]
    exchange.request.signature = fields.signature
    do throws(Problem) {
      let call = try Call(method: method, target: exchange.request.target)
      try RelayService.checkBody(call, length: try fields.bodyLength(), contentType: fields["content-type"])
      exchange.slot.phase.withLock { $0 = .reading(call) }
      return .YES
    } catch {
      // A reply before the body makes libmicrohttpd close the connection after it, so the body is never read.
      return send(Reply(error, target: exchange.request.target), exchange, connection)
    }
  }

  private func take(_ piece: UnsafeRawBufferPointer, _ exchange: Exchange) {
    guard exchange.refusal == nil else { return }
    let total = bodyBytes.add(piece.count, ordering: .relaxed).newValue
    guard total <= Self.bodyBudget else {
      bodyBytes.subtract(piece.count + exchange.request.body.count, ordering: .relaxed)
      exchange.request.body = []
      exchange.refusal = Problem(.busy, "The relay is busy.", retryAfter: 5)
      return
    }
    exchange.request.body.append(contentsOf: piece)
  }

  /// The request counts as under way. One whose body is still coming in does not: it may never come to its end.
  private func activate(_ exchange: Exchange) {
    guard !exchange.isActive else { return }
    exchange.isActive = true
    open.quietly { $0.active += 1 }
  }

  private func process(_ call: Call, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    activate(exchange)
    guard call.isWrite else { return settle(service.respond(to: exchange.request), exchange, connection) }
    let (slot, request, handle) = (exchange.slot, exchange.request, ConnectionHandle(pointer: connection))
    slot.phase.withLock { $0 = .working }
    suspend(handle)
    pool.submit { [self] in
      let reply = service.answer(request)
      slot.phase.withLock { $0 = .done(reply) }
      resume(handle)
    }
    return .YES
  }

  private func settle(_ outcome: Outcome, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    switch outcome {
    case .reply(let reply): return send(reply, exchange, connection)
    case .wait(let pending):
      let handle = ConnectionHandle(pointer: connection)
      exchange.slot.phase.withLock { $0 = .waiting(pending) }
      suspend(handle)
      pending.waiter.arm { [self] in resume(handle) }
      return .YES
    }
  }

  private func suspend(_ handle: ConnectionHandle) {
    open.quietly { $0.suspended += 1 }
    MHD_suspend_connection(handle.pointer)
  }

  private func resume(_ handle: ConnectionHandle) {
    MHD_resume_connection(handle.pointer)
    open.change { $0.suspended -= 1 }
  }

  private func send(_ reply: Reply, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    activate(exchange)
    log(reply, exchange.request.method, exchange.request.target)
    let response = reply.body.withUnsafeBytes { body in
      MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    if let type = reply.contentType { MHD_add_response_header(response, "Content-Type", type) }
    if let seconds = reply.retryAfter { MHD_add_response_header(response, "Retry-After", String(seconds)) }
    if let allow = reply.allow { MHD_add_response_header(response, "Allow", allow) }
    MHD_add_response_header(response, "Cache-Control", "no-store")
    if isStopping.load(ordering: .acquiring) { MHD_add_response_header(response, "Connection", "close") }
    return MHD_queue_response(connection, UInt32(reply.status), response)
  }
}
