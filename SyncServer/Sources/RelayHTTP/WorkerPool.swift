internal import RelayCore
internal import Threading

/// Threads for requests that wait for the disk, so that the threads of the HTTP server never do. As many requests as there are
/// threads can share one commit.
final class WorkerPool: Sendable {
  private struct State: Sendable {
    var work: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private let state = Monitor(State())

  init?(threads: Int) {
    var started = 0
    for _ in 0..<threads where WorkerThread({ [state] in Self.serve(state) }) != nil { started += 1 }
    guard started > 0 else { return nil }
  }

  deinit { state.change { $0.isClosed = true } }

  func submit(_ work: @escaping @Sendable () -> Void) {
    state.change { $0.work.append(work) }
  }

  private static func serve(_ state: Monitor<State>) {
    while true {
      let next: (@Sendable () -> Void)?? = state.wait { state in
        if let work = state.work.first {
          state.work.removeFirst()
          return .some(work)
        }
        return state.isClosed ? .some(nil) : nil
      }
      guard let next, let work = next else { return }
      work()
    }
  }
}
