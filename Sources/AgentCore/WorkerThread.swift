internal import Glibc

/// Detached threads. The agent uses threads and locks, no tasks: a request is a few microseconds of work, and a
/// hop to another executor costs more than the work itself (design/swift.md).
public enum WorkerThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts `body` on a new thread with a small stack; false if the system has no thread left.
  @discardableResult
  public static func start(stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) -> Bool {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(attributes, stackSize)
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, attributes,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      return false
    }
    return true
  }
}
