/// Durations as a person writes them: a whole number and one unit, `7d`, `12h`, `30m`, `45s`.
public enum DurationText {
  /// The seconds that `text` stands for; nil if it is written in another way or is more than 2⁶⁴ − 1 seconds.
  public static func parse(_ text: String) -> UInt64? {
    var characters = Array(text.utf8)
    guard let unit = characters.popLast(), let seconds = seconds(in: unit), !characters.isEmpty else { return nil }
    var number: UInt64 = 0
    for character in characters {
      guard character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9") else { return nil }
      let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
      let (sum, carried) = tens.addingReportingOverflow(UInt64(character - UInt8(ascii: "0")))
      guard !overflowed, !carried else { return nil }
      number = sum
    }
    let (total, overflowed) = number.multipliedReportingOverflow(by: seconds)
    return overflowed ? nil : total
  }

  private static func seconds(in unit: UInt8) -> UInt64? {
    switch unit {
    case UInt8(ascii: "d"): 86_400
    case UInt8(ascii: "h"): 3_600
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "s"): 1
    default: nil
    }
  }
}
