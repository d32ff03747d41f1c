/// The version of the programs, which are released together.
public enum LockstepVersion {
  /// As `lockstep version` and the agent's status say it (CHANGELOG.md).
  public static let text = "0.1.0"
}
