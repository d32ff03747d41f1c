internal import Glibc

/// A thread of its own. Agent and relay use threads and locks, no tasks: a request is a few microseconds of work, and a
/// hop to another executor costs more than the work itself (design/swift.md).
public final class WorkerThread {
  private let thread: pthread_t
  private var isJoined = false

  /// Starts `body` on a thread with a stack of `stackSize` bytes; nil if the system has no room for one.
  public init?(stackSize: Int = 1 << 20, _ body: @escaping @Sendable () -> Void) {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setstacksize(attributes, stackSize)
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, attributes,
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
