internal import AgentCore
internal import AgentWire
@preconcurrency internal import Glibc
internal import RelayClient
internal import Threading
internal import UnixSocket
internal import VaultCrypto

/// `lockstepd [--home DIR] [--socket PATH]`.
enum AgentProgram {
  static func run(_ arguments: [String]) -> Never {
    let options: Options
    switch Options.parse(arguments) {
    case .failure(let usage): fail(usage.text, code: 2)
    case .success(.help):
      print(Options.help)
      exit(0)
    case .success(.version):
      print("lockstepd \(Agent.version)")
      exit(0)
    case .success(.serve(let parsed)): options = parsed
    }
    // A client that goes away must not end the agent, and the signals that do are waited for by one thread.
    signal(SIGPIPE, SIG_IGN)
    ProcessGuard.harden(log: Log.line)
    var ending = sigset_t()
    sigemptyset(&ending)
    sigaddset(&ending, SIGTERM)
    sigaddset(&ending, SIGINT)
    sigaddset(&ending, SIGHUP)
    pthread_sigmask(SIG_BLOCK, &ending, nil)
    do {
      try Sodium.start()
    } catch {
      fail("the memory for keys cannot be locked (\(error)): raise the limit of locked memory (ulimit -l)", code: 1)
    }
    let agent: Agent
    let server: AgentServer
    do {
      let paths = try AgentPaths(home: options.home, socket: options.socket)
      agent = try Agent(home: paths.home, makeTransport: { CurlTransport() }, log: Log.line)
      unlockFromFile(agent)
      server = try AgentServer(agent: agent, path: paths.socket)
      Log.line("listening on \(paths.socket)")
    } catch let error as SocketError {
      if case .alreadyListening = error { fail(error.message, code: AgentProtocol.alreadyRunningExitCode) }
      fail(error.message, code: 1)
    } catch let error as StartError {
      fail(error.description, code: error.isAlreadyRunning ? AgentProtocol.alreadyRunningExitCode : 1)
    } catch {
      fail("\(error)", code: 1)
    }
    guard WorkerThread({ server.run() }) != nil else { fail("the system has no thread left", code: 1) }
    var received: Int32 = 0
    sigwait(&ending, &received)
    // Whatever was acknowledged is on disk already: ending is only a matter of politeness.
    server.stop()
    agent.stop()
    Log.line("ending on signal \(received)")
    exit(0)
  }

  /// LOCKSTEP_PASSPHRASE_FILE: the agent of a machine without a person starts unlocked.
  private static func unlockFromFile(_ agent: Agent) {
    guard let name = getenv("LOCKSTEP_PASSPHRASE_FILE"), name.pointee != 0 else { return }
    let path = String(cString: name)
    guard var passphrase = PassphraseFile.read(path) else {
      Log.line("the passphrase file \(path) cannot be read: starting locked")
      return
    }
    defer { wipe(&passphrase) }
    do {
      try agent.unlockAtStart(passphrase: passphrase)
    } catch {
      Log.line("starting locked: \(agent.sentence(error))")
    }
  }

  private static func fail(_ message: String, code: Int32) -> Never {
    fputs("lockstepd: \(message)\n", stderr)
    exit(code)
  }
}
