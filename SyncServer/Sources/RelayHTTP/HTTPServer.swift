internal import CMicroHTTPD
internal import Glibc
public import RelayCore
internal import Threading

/// The relay's HTTP server: libmicrohttpd with epoll and a few threads, and a pool of threads for writes.
public final class HTTPServer {
  /// How it is run.
  public struct Options: Sendable {
    /// Threads that serve connections.
    public var threads = 4
    /// Threads that wait for the disk.
    public var writers = 16
    /// Connections at a time.
    public var connectionLimit = 8_192
    /// Seconds after which a silent connection is closed; a waiting request is not silent.
    public var idleSeconds = 75
    /// Told of each reply.
    public var log: @Sendable (_ reply: Reply, _ method: String, _ target: String) -> Void = { _, _, _ in }

    /// The ordinary way.
    public init() {}
  }

  /// Host and port where it listens, with the port that it really has.
  public let address: String
  private let handler: RequestHandler
  private let daemon: OpaquePointer

  /// Starts to serve.
  public init(_ service: RelayService, listen address: ListenAddress, _ options: Options) throws(HTTPServerError) {
    guard let pool = WorkerPool(threads: options.writers) else {
      throw HTTPServerError("The system allows no further thread.")
    }
    handler = RequestHandler(service: service, pool: pool, log: options.log)
    let (socket, port) = try address.listen()
    self.address = address.description(port: port)
    guard let daemon = Self.start(socket, handler, options) else {
      close(socket)
      throw HTTPServerError("The HTTP server does not start: \(String(cString: strerror(errno))).")
    }
    self.daemon = daemon
  }

  /// Stops: no new connections, whoever waits is answered, what is under way is finished. False if something did not finish within
  /// `seconds`; then the process is to be ended as it is, which loses nothing that was acknowledged.
  public func stop(within seconds: UInt64 = 10) -> Bool {
    let deadline = MonotonicClock.milliseconds + seconds * 1_000
    handler.beginStopping()
    let socket = MHD_quiesce_daemon(daemon)
    if socket >= 0 { close(socket) }
    handler.service.stopWaiting()
    // libmicrohttpd aborts the process if it is stopped while a connection is suspended.
    let isResumed = handler.open.wait(deadline: deadline) { $0.suspended == 0 ? true : nil }
    guard isResumed == true else { return false }
    // Answered, not merely resumed: stopping cuts off what is still being sent.
    _ = handler.open.wait(deadline: min(deadline, MonotonicClock.milliseconds + 5_000)) {
      $0.active == 0 ? true : nil
    }
    MHD_stop_daemon(daemon)
    return true
  }

  private static func start(_ socket: Int32, _ handler: RequestHandler, _ options: Options) -> OpaquePointer? {
    // The server lives as long as the process: the reference that the callbacks use is never given back.
    let context = Unmanaged.passRetained(handler).toOpaque()
    var items = [
      item(.LISTEN_SOCKET, Int(socket)),
      item(.THREAD_POOL_SIZE, options.threads),
      item(.CONNECTION_LIMIT, options.connectionLimit),
      item(.CONNECTION_TIMEOUT, options.idleSeconds),
      item(.CONNECTION_MEMORY_LIMIT, 32 << 10),
      item(.STRICT_FOR_CLIENT, 1),
      item(.NOTIFY_CONNECTION, unsafeBitCast(Callbacks.connection, to: Int.self), context),
      item(.URI_LOG_CALLBACK, unsafeBitCast(Callbacks.begin, to: Int.self), context),
      item(.NOTIFY_COMPLETED, unsafeBitCast(Callbacks.end, to: Int.self), context),
      item(.END, 0),
    ]
    let flags = MHD_USE_EPOLL.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    return items.withUnsafeMutableBytes { bytes -> OpaquePointer? in
      guard let base = bytes.baseAddress else { return nil }
      return withVaList([Int32(bitPattern: MHD_OPTION.ARRAY.rawValue), OpaquePointer(base), Int32(0)]) { list in
        MHD_start_daemon_va(flags, 0, nil, nil, Callbacks.handle, context, list)
      }
    }
  }

  private static func item(
    _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
  ) -> MHD_OptionItem {
    MHD_OptionItem(option: option, value: value, ptr_value: pointer)
  }
}
