internal import Glibc
internal import RelayHTTP
internal import RelayStorageSQLite
internal import TextCoding

/// The command line of `lockstep-relay`.
enum Program {
  static let version = "0.1.0"

  static let usage = """
    Usage: lockstep-relay serve [options]
           lockstep-relay invite create [--data DIR] [--uses N] [--expires 7d]
           lockstep-relay restored [--data DIR]

    The relay of Lockstep: stores sealed records for a set of devices and wakes who waits for a change.

    serve                     serve until SIGTERM or SIGINT
      --listen HOST:PORT      where to listen; port 0 for any free one (127.0.0.1:7440)
      --data DIR              where to keep everything (LOCKSTEP_RELAY_DATA, or $XDG_DATA_HOME/lockstep-relay)
      --public-url URL        the address that devices use, if a proxy stands in front
      --open-registration     let a vault be registered without an invite
      --vault-quota MIB       how much one vault may hold (1024)
      --verbose               log every request

    invite create             print a token that lets somebody register a vault; works beside a running relay
      --uses N                how many vaults it registers (1)
      --expires DURATION      for how long: 30m, 12h, 7d (7d)

    restored                  tell every vault that this directory came from a backup; run it before serving again

    --help, --version

    Exit codes: 0 done, 1 it failed, 2 the command line is wrong.
    """

  /// Runs a command line; the result is the exit code.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      switch try Command(arguments) {
      case .help: Output.line(usage)
      case .version: Output.line("lockstep-relay \(version)")
      case .serve(let options): try Serve.run(options)
      case .createInvite(let options): try InviteCommand.run(options)
      case .restored(let directory): try restored(directory)
      }
      return 0
    } catch let error as UsageError {
      Output.error("\(error.description) Try lockstep-relay --help.")
      return 2
    } catch let error as RelayStartError {
      Output.error(error.description)
    } catch let error as HTTPServerError {
      Output.error(error.description)
    } catch {
      Output.error("The storage failed: \(error).")
    }
    return 1
  }

  private static func restored(_ path: String) throws {
    let directory = try DataDirectory(path)
    let lock = try directory.lock()
    try withExtendedLifetime(lock) {
      let storage = try SQLiteRelayStorage(database: directory.database)
      try storage.renewIncarnations()
      storage.close()
    }
  }
}

/// What a person or a script reads.
enum Output {
  /// One line on standard output, flushed: it may be a pipe that somebody waits on.
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// One line on standard error.
  static func error(_ text: String) { write("lockstep-relay: \(TerminalText.escape(text))\n", to: STDERR_FILENO) }

  static func write(_ text: String, to file: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard written > 0 || errno == EINTR else { return }
      bytes = bytes.dropFirst(max(0, written))
    }
  }
}
