/// What a device may do in a vault, by its name on the wire and on the command line.
public enum AgentRole: String, CaseIterable, Sendable {
  /// Reads, writes, and decides about devices.
  case admin
  /// Reads and writes.
  case writer
  /// Reads.
  case reader
}
