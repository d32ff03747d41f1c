import CLinux
import Glibc

/// The terminal that a person sits at, apart from where standard input and output go.
final class Terminal {
  private let descriptor: Int32
  private static let lineLimit = 1 << 16

  /// nil if nobody is there: none of the standard streams is a terminal, or this process has none.
  init?() {
    guard isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1 || isatty(STDOUT_FILENO) == 1 else { return nil }
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Asks for a line that is not shown while it is typed.
  func askHidden(_ prompt: String) throws(CommandFailure) -> [UInt8] {
    // Silence first: what is typed as soon as the prompt appears must be neither shown nor flushed.
    guard lockstep_echo_off(descriptor) == 0 else {
      throw CommandFailure("the terminal cannot hide what is typed: \(SystemText.of(errno))")
    }
    defer { lockstep_echo_on() }
    try show(prompt)
    return try readLine()
  }

  /// Asks for a line twice, until both are the same.
  func askHiddenTwice(_ prompt: String, again: String) throws(CommandFailure) -> [UInt8] {
    while true {
      let first = try askHidden(prompt)
      if try askHidden(again) == first { return first }
      try show("The two are not the same. Once more.\n")
    }
  }

  /// Asks for a line that is shown.
  func ask(_ prompt: String) throws(CommandFailure) -> [UInt8] {
    try show(prompt)
    return try readLine()
  }

  /// Asks a question; only `y` or `yes` is a yes.
  func confirm(_ question: String) throws(CommandFailure) -> Bool {
    let answer = try ask(question + " [y/N] ")
    return ["y", "yes"].contains(String(decoding: answer, as: UTF8.self).lowercased())
  }

  func show(_ text: String) throws(CommandFailure) {
    try Output.write(Array(text.utf8), to: descriptor, "the terminal")
  }

  private func readLine() throws(CommandFailure) -> [UInt8] {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while line.count <= Self.lineLimit {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw CommandFailure("nothing was typed: cancelled") }
      line += buffer[..<count]
      if line.last == UInt8(ascii: "\n") {
        line.removeLast()
        return line
      }
    }
    throw CommandFailure("the line is too long")
  }
}
