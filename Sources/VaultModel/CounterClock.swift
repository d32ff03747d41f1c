/// The counter of this device's writes: one for each vault, never restarted.
public enum CounterClock {
  /// max(previous + 1, milliseconds · 2²⁰ + 20 random bits); nil if there is no greater counter.
  ///
  /// Milliseconds let a device that lost its database go on above what it wrote before; the random bits make it unlikely
  /// that a restored or copied store writes the same dot as its twin. `previous` is the last counter that was taken, 0 if
  /// none was. A clock from 2⁴⁴ milliseconds on (the year 2527) is taken for broken and does not count. Of `random` the
  /// low 20 bits are used.
  public static func nextCounter(previous: UInt64, milliseconds: UInt64, random: UInt32) -> UInt64? {
    let (next, overflowed) = previous.addingReportingOverflow(1)
    if overflowed { return nil }
    if milliseconds >= 1 << 44 { return next }
    return max(next, milliseconds << 20 | UInt64(random & 0xf_ffff))
  }
}
