import Glibc

/// Standard output and error, written whole and at once.
enum Output {
  /// Writes to standard output; a full disk is an error, never a shorter answer.
  static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    try write(bytes, to: STDOUT_FILENO, "standard output")
  }

  static func writeLine(_ text: String) throws(CommandFailure) {
    try write(Array((text + "\n").utf8))
  }

  /// Says something to a person. That it cannot be said is no reason to fail.
  static func say(_ text: String) {
    try? write(Array((text + "\n").utf8), to: STDERR_FILENO, "standard error")
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, _ name: String) throws(CommandFailure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw CommandFailure("\(name) cannot be written: \(SystemText.of(errno))")
      }
    }
  }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// The system's words.
enum SystemText {
  static func of(_ code: Int32) -> String { String(cString: strerror(code)) }
}
