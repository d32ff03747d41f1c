import Glibc
import Synchronization
import Testing

@testable import UnixSocket

@Suite struct SocketTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/sub/agent.sock"
  }

  /// Both ends of a connection through a listener.
  func pair(_ listener: SocketListener) throws -> (client: SocketConnection, server: SocketConnection) {
    let client = try SocketConnection(path: path, frameLimit: 1 << 20)
    return (client, try #require(try listener.accept()))
  }

  @Test func `Frames cross in both directions and the end is seen`() throws {
    let listener = try SocketListener(path: path, frameLimit: 1 << 20)
    let (client, server) = try pair(listener)
    try client.send([1, 2, 3])
    try client.send([])
    #expect(try server.receive() == [1, 2, 3])
    #expect(try server.receive() == [])
    try server.send([9])
    #expect(try client.receive() == [9])
    client.shutdown()
    #expect(try server.receive() == nil)
  }

  @Test func `A large frame crosses while the other side reads`() throws {
    let listener = try SocketListener(path: path, frameLimit: 1 << 20)
    let (client, server) = try pair(listener)
    let large = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
      for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index &* 31) }
      count = buffer.count
    }
    let thread = TestThread { try? client.send(large) }
    #expect(try server.receive() == large)
    thread.join()
  }

  @Test func `The listener knows who connects`() throws {
    let listener = try SocketListener(path: path, frameLimit: 100)
    let (client, server) = try pair(listener)
    #expect(server.peer.process == getpid())
    #expect(server.peer.user == geteuid())
    #expect(client.peer.isThisUser)
  }

  @Test func `Socket and directory are this user's alone`() throws {
    let listener = try SocketListener(path: path, frameLimit: 100)
    #expect(try directory.mode(of: "sub") == 0o700)
    #expect(try directory.mode(of: "sub/agent.sock") == 0o600)
    #expect(try directory.mode(of: "sub/agent.sock.lock") == 0o600)
    withExtendedLifetime(listener) {}
  }

  @Test func `A live socket is never stolen`() throws {
    let listener = try SocketListener(path: path, frameLimit: 100)
    #expect(throws: SocketError.alreadyListening(path)) { _ = try SocketListener(path: path, frameLimit: 100) }
    _ = try pair(listener)
  }

  @Test func `A live socket of a program that knows no lock is not stolen either`() throws {
    let listener = try SocketListener(path: path, frameLimit: 100)
    try #require(unlink(path + ".lock") == 0)
    #expect(throws: SocketError.alreadyListening(path)) { _ = try SocketListener(path: path, frameLimit: 100) }
    _ = try pair(listener)
  }

  @Test func `A socket that was left behind is replaced`() throws {
    do {
      let listener = try SocketListener(path: path, frameLimit: 100)
      try #require(link(path, path + ".old") == 0)
      withExtendedLifetime(listener) {}
    }
    try #require(rename(path + ".old", path) == 0)
    #expect(throws: SocketError.notListening(path)) { _ = try SocketConnection(path: path, frameLimit: 100) }
    _ = try pair(try SocketListener(path: path, frameLimit: 100))
  }

  @Test func `A file that is no socket is left alone`() throws {
    try PrivateDirectory.prepare(directory.path + "/sub")
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    try #require(file >= 0)
    close(file)
    #expect(throws: SocketError.notReplaceable(path)) { _ = try SocketListener(path: path, frameLimit: 100) }
    #expect(access(path, F_OK) == 0)
  }

  @Test func `The socket goes with its listener`() throws {
    do {
      let listener = try SocketListener(path: path, frameLimit: 100)
      withExtendedLifetime(listener) {}
    }
    #expect(access(path, F_OK) != 0)
    #expect(throws: SocketError.notListening(path)) { _ = try SocketConnection(path: path, frameLimit: 100) }
  }

  @Test func `A path that is too long is refused with its length`() {
    let long = directory.path + "/" + String(repeating: "x", count: 100)
    #expect(throws: SocketError.pathTooLong(long)) { _ = try SocketListener(path: long, frameLimit: 100) }
    #expect(throws: SocketError.pathTooLong(long)) { _ = try SocketConnection(path: long, frameLimit: 100) }
    #expect(SocketError.pathTooLong(long).message.contains("107"))
  }

  @Test func `A directory that others may write to is refused`() throws {
    try PrivateDirectory.prepare(directory.path + "/sub")
    try #require(chmod(directory.path + "/sub", 0o777) == 0)
    #expect(throws: SocketError.unsafeDirectory(directory.path + "/sub")) {
      _ = try SocketListener(path: path, frameLimit: 100)
    }
  }

  @Test func `A stopped listener ends accept`() throws {
    let listener = try SocketListener(path: path, frameLimit: 100)
    let ended = Atomic(false)
    let thread = TestThread {
      if case .some(.none) = try? listener.accept() { ended.store(true, ordering: .releasing) }
    }
    listener.stop()
    thread.join()
    let hasEnded = ended.load(ordering: .acquiring)
    #expect(hasEnded)
  }

  @Test func `A frame that is cut off is an error and one above the limit too`() throws {
    let listener = try SocketListener(path: path, frameLimit: 100)
    let small = try SocketConnection(path: path, frameLimit: 1 << 20)
    let server = try #require(try listener.accept())
    try small.send(Array(repeating: 0, count: 101))
    #expect(throws: SocketError.frameTooLarge(limit: 100)) { _ = try server.receive() }
    #expect(throws: SocketError.frameTooLarge(limit: 100)) { try server.send(Array(repeating: 0, count: 101)) }
  }
}

/// A thread that can be waited for.
final class TestThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  private var handle = pthread_t()

  init(_ run: @escaping @Sendable () -> Void) {
    pthread_create(
      &handle, nil,
      { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, Unmanaged.passRetained(Body(run)).toOpaque())
  }

  func join() {
    pthread_join(handle, nil)
  }
}
