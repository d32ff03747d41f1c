internal import CLinux
internal import Glibc

/// What keeps other programs of this user out of the agent's memory (Docs/ThreatModel.md).
enum ProcessGuard {
  static func harden(log: (String) -> Void) {
    // Files that the agent makes are for this user alone, whatever the caller's umask.
    umask(0o077)
    if lockstep_forbid_tracing() != 0 { log("the process could not be closed to tracing: continuing") }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    if setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) != 0 {
      log("core dumps could not be switched off: continuing")
    }
  }
}
