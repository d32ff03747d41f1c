/// Numbers of the protocol between the agent and those who ask it (Docs/AgentProtocol.md).
///
/// Version 1: the first.
public enum AgentProtocol {
  /// The version at the head of every message.
  public static let version: UInt64 = 1
  /// The largest message; its length stands before it in four bytes, big-endian.
  public static let maximumMessageBytes = 24 << 20
  /// A reply with more items than this many bytes hold is split (`AgentReply.encodedMessages`).
  static let chunkBytes = 1 << 20
  /// The largest text that is not an attribute's value.
  static let maximumTextBytes = 4_096
  /// How an agent ends that finds another one at its socket or home: who started it waits for the other.
  public static let alreadyRunningExitCode: Int32 = 75
  /// The largest passphrase.
  public static let maximumPassphraseBytes = 4_096
}
