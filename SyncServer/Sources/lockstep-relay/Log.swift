internal import Glibc
internal import RelayCore
internal import TextCoding
internal import Threading

/// The relay's log: one line an event on standard error, `time level event key=value …`. Ids are shortened, and nothing secret gets here.
enum Log {
  enum Level: String {
    case info, error
  }

  static func write(_ level: Level, _ event: String, _ fields: [(String, String)] = []) {
    var line = "\(timestamp()) \(level.rawValue) \(event)"
    for (name, value) in fields { line += " \(name)=\(quoted(value))" }
    Output.write(line + "\n", to: STDERR_FILENO)
  }

  /// A request, with its ids shortened to eight digits.
  static func request(_ reply: Reply, _ method: String, _ target: String) {
    write(
      reply.status >= 500 ? .error : .info, "request",
      [
        ("method", method), ("target", shortened(target)), ("status", String(reply.status)),
        ("bytes", String(reply.body.count)),
      ])
  }

  private static func shortened(_ target: String) -> String {
    target.prefix(400).split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.utf8.count >= 64 ? $0.prefix(8) + "…" + $0.dropFirst(64) : $0 }
      .joined(separator: "/")
  }

  private static func quoted(_ value: String) -> String {
    let escaped = TerminalText.escape(value)
    guard escaped.contains(" ") || escaped.contains("\"") || escaped.isEmpty else { return escaped }
    return "\"" + escaped.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "'") + "\""
  }

  private static func timestamp() -> String {
    let milliseconds = WallClock.milliseconds
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
    let time = "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
    return "\(date)T\(time).\(padded(Int32(milliseconds % 1_000), 3))Z"
  }

  private static func padded(_ number: Int32, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
