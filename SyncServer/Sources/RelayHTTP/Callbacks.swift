internal import CMicroHTTPD
internal import RelayCore

/// What libmicrohttpd calls, from its own threads. `context` is the server's `RequestHandler`, the request's pointer an `Exchange`.
enum Callbacks {
  typealias Context = UnsafeMutableRawPointer

  /// A connection begins or ends: its context is the target of the request that comes in on it.
  static let connection:
    @convention(c) (Context?, OpaquePointer?, UnsafeMutablePointer<Context?>?, MHD_ConnectionNotificationCode) -> Void =
      {
        _, _, place, code in
        if code == .CONNECTION_NOTIFY_STARTED {
          place?.pointee = Unmanaged.passRetained(Target()).toOpaque()
        } else if let pointer = place?.pointee {
          place?.pointee = nil
          Unmanaged<Target>.fromOpaque(pointer).release()
        }
      }

  /// A request line was read. Keeps the target, which the access handler gets only decoded and without its query. No exchange yet:
  /// a connection that breaks off in its header is never reported as completed.
  static let begin: @convention(c) (Context?, UnsafePointer<CChar>?, OpaquePointer?) -> Context? = {
    _, uri, connection in
    guard let connection, let context = lockstep_microhttpd_context(connection) else { return nil }
    // What is no text is no path of ours; an empty target is refused like any other unknown one.
    Unmanaged<Target>.fromOpaque(context).takeUnretainedValue().text =
      uri.flatMap { String(validatingCString: $0) } ?? ""
    return nil
  }

  /// A request is over: lets the exchange go.
  static let end:
    @convention(c) (Context?, OpaquePointer?, UnsafeMutablePointer<Context?>?, MHD_RequestTerminationCode) -> Void = {
      context, _, request, _ in
      guard let handler = handler(context), let pointer = request?.pointee else { return }
      request?.pointee = nil
      handler.end(Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue())
    }

  /// The access handler.
  static let handle:
    @convention(c) (
      Context?, OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Context?>?
    ) -> MHD_Result = { context, connection, _, method, _, upload, size, request in
      guard let handler = handler(context), let connection, let method, let size, let request else { return .NO }
      let exchange: Exchange
      if let pointer = request.pointee {
        exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
      } else {
        guard let target = lockstep_microhttpd_context(connection) else { return .NO }
        exchange = Exchange(target: Unmanaged<Target>.fromOpaque(target).takeUnretainedValue().text)
        request.pointee = Unmanaged.passRetained(exchange).toOpaque()
      }
      let piece = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : size.pointee)
      size.pointee = 0
      return handler.handle(
        exchange, connection, method: String(validatingCString: method) ?? "", piece: piece)
    }

  /// A connection's context; touched by the connection's thread alone.
  private final class Target {
    var text = ""
  }

  private static func handler(_ context: Context?) -> RequestHandler? {
    context.map { Unmanaged<RequestHandler>.fromOpaque($0).takeUnretainedValue() }
  }
}
