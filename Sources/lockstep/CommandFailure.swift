import AgentWire
import TextCoding

/// Why a command ends without having done what it was asked for: an exit code and one line for a person.
struct CommandFailure: Error, Equatable {
  let exitCode: Int32
  /// What, why, and what to do; without the program's name.
  let message: String
  /// Lines that follow the message, as the accounts to choose from.
  var details: [String] = []

  /// A failure that has an exit code of its own.
  init(_ exitCode: Int32, _ message: String, details: [String] = []) {
    self.exitCode = exitCode
    self.message = message
    self.details = details
  }

  /// A failure that only the message explains.
  init(_ message: String) {
    self.init(ExitCode.failure, message)
  }

  /// The command was called wrongly.
  static func usage(_ message: String) -> CommandFailure {
    CommandFailure(ExitCode.usage, message)
  }

  /// What the agent answered.
  init(_ failure: AgentFailure) {
    self.init(ExitCode.from(failure.status), failure.message)
  }

  /// An item is locked and nobody is there to unlock it.
  static let locked = CommandFailure(
    ExitCode.from(.interactionNotAllowed), "locked: run \"lockstep unlock\" and try again")

  /// The lines for standard error. Names in the message come from other devices too, so nothing in it may drive the
  /// terminal.
  var text: String {
    (["lockstep: \(TerminalText.escape(message))"] + details.map { "  \(TerminalText.escape($0))" })
      .joined(separator: "\n")
  }
}
