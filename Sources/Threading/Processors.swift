internal import Glibc

/// The machine's processors.
public enum Processors {
  /// How many are at work, at least one.
  public static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
