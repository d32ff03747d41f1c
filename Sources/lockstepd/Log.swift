@preconcurrency internal import Glibc
internal import TextCoding

/// One line per event on standard error, with the time. Never a secret, and no text of others that could drive a terminal.
enum Log {
  static let line: @Sendable (String) -> Void = { message in
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var stamp = [CChar](repeating: 0, count: 32)
    strftime(&stamp, stamp.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    let text = String(decoding: stamp.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    fputs("\(text) lockstepd: \(TerminalText.escape(message))\n", stderr)
  }
}
