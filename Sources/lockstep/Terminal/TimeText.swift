import Glibc

/// Points in time, for people and for JSON.
enum TimeText {
  /// `2026-02-03T04:05:06.007Z` (RFC 3339).
  static func utc(_ milliseconds: Int64) -> String? {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    guard let time = broken(rest < 0 ? seconds - 1 : seconds, with: gmtime_r) else { return nil }
    let fraction = rest < 0 ? rest + 1_000 : rest
    return "\(date(time))T\(clock(time)).\(digits(Int32(fraction), 3))Z"
  }

  /// `2026-02-03 04:05` of this machine's time zone.
  static func local(_ milliseconds: Int64) -> String {
    guard let time = broken(milliseconds / 1_000, with: localtime_r) else { return "?" }
    return "\(date(time)) \(digits(time.tm_hour, 2)):\(digits(time.tm_min, 2))"
  }

  private static func broken(
    _ seconds: Int64,
    with convert: (UnsafePointer<time_t>?, UnsafeMutablePointer<tm>?) -> UnsafeMutablePointer<tm>?
  ) -> tm? {
    var moment = time_t(seconds)
    var time = tm()
    // Years of more than four digits come from a broken clock, and no reader of RFC 3339 takes them.
    guard convert(&moment, &time) != nil, 0...9_999 ~= Int(time.tm_year) + 1_900 else { return nil }
    return time
  }

  private static func date(_ time: tm) -> String {
    "\(digits(time.tm_year + 1_900, 4))-\(digits(time.tm_mon + 1, 2))-\(digits(time.tm_mday, 2))"
  }

  private static func clock(_ time: tm) -> String {
    "\(digits(time.tm_hour, 2)):\(digits(time.tm_min, 2)):\(digits(time.tm_sec, 2))"
  }

  private static func digits(_ value: Int32, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
