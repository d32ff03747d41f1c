import Glibc

// Secrets pass through this process: none of them shall end in a core dump.
var limit = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)

do throws(CommandFailure) {
  exit(Program.run(try CommandLineArguments.read()))
} catch {
  Output.say(error.text)
  exit(error.exitCode)
}
