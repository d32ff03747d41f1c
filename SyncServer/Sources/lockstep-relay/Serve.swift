internal import Glibc
internal import RelayCore
internal import RelayHTTP
internal import RelayStorageSQLite

/// `serve`: composes storage, service and HTTP server, and stops them when a signal asks for it.
enum Serve {
  static func run(_ options: Command.ServeOptions) throws {
    guard let listen = options.listen else { return }
    let signals = blockSignals()
    raiseFileLimit()
    let directory = try DataDirectory(options.data)
    let lock = try directory.lock()
    try directory.checkDatabaseFile()
    let storage = try SQLiteRelayStorage(database: directory.database) {
      Log.write(.error, "storage", [("reason", $0)])
    }
    let service = RelayService(storage: storage, configuration: configuration(options))
    let server = try HTTPServer(service, listen: listen, httpOptions(options))
    let address = server.address
    Output.line("lockstep-relay: listening on http://\(address)")
    Log.write(.info, "listening", [("address", address), ("version", Program.version)])

    wait(for: signals) { service.removeExpired() }
    Log.write(.info, "stopping")
    guard server.stop() else {
      // Something hangs in the file system. What was acknowledged is on disk; what was not, its device sends again.
      Log.write(.error, "stopped", [("reason", "a request did not finish")])
      _exit(1)
    }
    storage.close()
    Log.write(.info, "stopped")
    withExtendedLifetime(lock) {}
  }

  private static func configuration(_ options: Command.ServeOptions) -> RelayService.Configuration {
    var configuration = RelayService.Configuration()
    configuration.openRegistration = options.openRegistration
    configuration.publicAddress = options.publicAddress
    configuration.vaultQuota = options.vaultQuota
    configuration.log = { event, detail in Log.write(.info, event, detail.isEmpty ? [] : [("detail", detail)]) }
    return configuration
  }

  private static func httpOptions(_ options: Command.ServeOptions) -> HTTPServer.Options {
    var http = HTTPServer.Options()
    http.connectionLimit = connectionLimit()
    let isVerbose = options.isVerbose
    http.log = { reply, method, target in
      if isVerbose || reply.status >= 500 { Log.request(reply, method, target) }
    }
    return http
  }

  /// SIGTERM and SIGINT are taken by `wait`; blocked before any thread starts, so that no other thread gets them. A write to a closed
  /// connection or beyond a file size limit is an error of that write, not the end of the relay.
  private static func blockSignals() -> sigset_t {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    return signals
  }

  /// Waits for a signal; calls `everyMinute` meanwhile.
  private static func wait(for signals: sigset_t, everyMinute: () -> Void) {
    var signals = signals
    var minute = timespec(tv_sec: 60, tv_nsec: 0)
    while sigtimedwait(&signals, nil, &minute) < 0 {
      if errno == EAGAIN { everyMinute() }
    }
  }

  private static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// As many connections as there are file descriptors for, less some for the database.
  private static func connectionLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 512 }
    return max(64, min(8_192, Int(clamping: limit.rlim_cur) - 128))
  }
}
