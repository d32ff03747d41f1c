internal import CMicroHTTPD
internal import RelayCore

/// What libmicrohttpd calls, from its own threads. `context` is the server's `RequestHandler`, the request's pointer an `Exchange`.
enum Callbacks {
  typealias Context = UnsafeMutableRawPointer

  /// A request line was read: makes the exchange.
  static let begin: @convention(c) (Context?, UnsafePointer<CChar>?, OpaquePointer?) -> Context? = { context, uri, _ in
    guard let handler = handler(context) else { return nil }
    let exchange = handler.begin(target: uri.flatMap { String(validatingCString: $0) })
    return Unmanaged.passRetained(exchange).toOpaque()
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
      guard let handler = handler(context), let connection, let method, let size, let pointer = request?.pointee else {
        return .NO
      }
      let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
      let piece = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : size.pointee)
      size.pointee = 0
      return handler.handle(
        exchange, connection, method: String(validatingCString: method) ?? "", piece: piece)
    }

  private static func handler(_ context: Context?) -> RequestHandler? {
    context.map { Unmanaged<RequestHandler>.fromOpaque($0).takeUnretainedValue() }
  }
}
