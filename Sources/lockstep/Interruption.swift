import Glibc

/// Holds back the signals that end this process while something is under way that must be told to the person.
struct Interruption {
  private var previous = sigset_t()

  /// From here on.
  static func holdBack() -> Interruption {
    var interruption = Interruption()
    var ending = sigset_t()
    sigemptyset(&ending)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, number) }
    pthread_sigmask(SIG_BLOCK, &ending, &interruption.previous)
    return interruption
  }

  /// Up to here; what came meanwhile takes effect now.
  func allow() {
    var previous = previous
    pthread_sigmask(SIG_SETMASK, &previous, nil)
  }
}
