import AgentWire
import Glibc
import VaultModel

/// Where an item's secret comes from: the terminal if standard input is one, else standard input; never an argument.
enum SecretSource {
  static func read() throws(CommandFailure) -> [UInt8] {
    if isatty(STDIN_FILENO) == 1 {
      guard let terminal = Terminal() else {
        throw CommandFailure("the secret cannot be asked for: this process has no terminal; pipe it to standard input")
      }
      return try terminal.askHiddenTwice("Secret: ", again: "The same secret again: ")
    }
    // One byte more than the limit, for the newline that is dropped.
    let bytes = try InputFile.read(STDIN_FILENO, limit: Limits.secretBytes + 1, "standard input")
    let secret = bytes.map(InputFile.withoutFinalNewline)
    guard let secret, secret.count <= Limits.secretBytes else {
      throw CommandFailure(
        ExitCode.from(.invalidParameter),
        "the secret on standard input is larger than 1 MiB, the most that an item holds; nothing was stored")
    }
    // A program that fails ahead of a pipe gives nothing, and the pipe's end cannot tell.
    if bytes?.isEmpty == true { Output.say("lockstep: warning: standard input is empty, and so is the secret") }
    return secret
  }
}
