internal import Glibc

/// A thread of the relay.
public final class WorkerThread {
  private let thread: pthread_t
  private var isJoined = false

  /// Starts `body` on a thread of its own; nil if the system has no room for one.
  public init?(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits for the thread to end.
  public func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(thread, nil)
  }

  /// A thread that nobody waits for gives its memory back by itself when it ends.
  deinit {
    if !isJoined { pthread_detach(thread) }
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
