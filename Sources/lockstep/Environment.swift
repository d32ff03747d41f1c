import Glibc

/// The environment variables that stand in for flags and prompts.
enum Environment {
  /// The variable's value; nil if it is unset or empty.
  static func value(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
