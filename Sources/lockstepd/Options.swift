/// The command line of the agent.
struct Options: Sendable {
  var home: String?
  var socket: String?

  enum Command: Sendable {
    case serve(Options)
    case help
    case version
  }

  struct UsageError: Error, Sendable {
    let text: String
  }

  static let help = """
    usage: lockstepd [--home DIR] [--socket PATH]

    The agent of this machine: keeps the local vault, serves it on a socket, and syncs it. Runs in the foreground and logs to
    standard error; 'lockstep' starts it when it is needed.

      --home DIR      where everything is kept (default: LOCKSTEP_HOME, else $XDG_DATA_HOME/lockstep)
      --socket PATH   where it listens (default: LOCKSTEP_SOCKET, else agent.sock in the home or in $XDG_RUNTIME_DIR/lockstep)
      --help, --version

    LOCKSTEP_PASSPHRASE_FILE names a file with the passphrase: then the agent starts unlocked.
    """

  static func parse(_ arguments: [String]) -> Result<Command, UsageError> {
    var options = Options()
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch parts[0] {
      case "--help", "-h": return .success(.help)
      case "--version": return .success(.version)
      case "--home", "--socket":
        guard let value = parts.count == 2 ? parts[1] : remaining.popFirst(), !value.isEmpty else {
          return .failure(UsageError(text: "\(parts[0]) needs a value: see lockstepd --help"))
        }
        if parts[0] == "--home" { options.home = value } else { options.socket = value }
      default: return .failure(UsageError(text: "unknown argument '\(argument)': see lockstepd --help"))
      }
    }
    return .success(.serve(options))
  }
}
