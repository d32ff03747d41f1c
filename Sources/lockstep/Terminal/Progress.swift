import AgentWire
import Glibc
import TextCoding

/// Shows what the agent tells during long work: on a terminal one line that changes, elsewhere only what must be read.
final class Progress {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var isShown = false

  func show(_ event: AgentEvent) {
    let text = TerminalText.escape(event.text)
    switch event.kind {
    case .warning:
      clear()
      Output.say("lockstep: \(text)")
    case .fingerprint:
      clear()
      Output.say("This device's fingerprint is \(text). The other device must show the same and approve.")
    case .progress:
      guard isTerminal else { return }
      var line = text
      if let done = event.done { line += " \(done)" + (event.total.map { " of \($0)" } ?? "") }
      writeError("\r\u{1B}[K" + line)
      isShown = true
    }
  }

  /// Takes the line away before something else is written.
  func clear() {
    guard isShown else { return }
    writeError("\r\u{1B}[K")
    isShown = false
  }

  private func writeError(_ text: String) {
    try? Output.write(Array(text.utf8), to: STDERR_FILENO, "standard error")
  }
}
