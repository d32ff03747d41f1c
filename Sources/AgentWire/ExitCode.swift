/// The exit codes of `lockstep` (Docs/CLI.md, "Exit codes").
public enum ExitCode {
  /// Done.
  public static let success: Int32 = 0
  /// Failed for another reason.
  public static let failure: Int32 = 1
  /// Called wrongly.
  public static let usage: Int32 = 2
  /// The relay does not answer (EX_UNAVAILABLE of sysexits.h).
  public static let relayUnreachable: Int32 = 69
  /// The relay was caught misbehaving (EX_SOFTWARE).
  public static let relayMisbehaved: Int32 = 70
  /// This device was revoked (EX_NOPERM).
  public static let deviceRevoked: Int32 = 77

  /// The exit code for `status`: of a Keychain status its low byte, as Apple's `security` does it, so that scripts written
  /// for the one work with the other.
  public static func from(_ status: AgentStatus) -> Int32 {
    switch status {
    case .success: return success
    case .ambiguous: return usage
    case .relayUnreachable: return relayUnreachable
    case .relayMisbehaved: return relayMisbehaved
    case .deviceRevoked: return deviceRevoked
    default: break
    }
    if (-72_099)...(-72_000) ~= status.rawValue { return failure }
    let low = status.rawValue & 0xFF
    return low == 0 ? failure : low
  }
}
