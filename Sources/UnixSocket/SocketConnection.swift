import CLinux
import Glibc
import Synchronization

/// One end of a connection, with whole frames in both directions.
///
/// Frames may be sent from several threads; each goes out in one piece. One thread at a time receives. The descriptor stays
/// open as long as this object lives, so `shutdown` from another thread never hits a descriptor that was given away again.
public final class SocketConnection: Sendable {
  /// Who is at the other end.
  public let peer: PeerCredentials
  private let descriptor: Int32
  private let limit: Int
  private let incoming: Mutex<FrameDecoder>
  private let outgoing = Mutex(())

  /// How long the other side may take for the rest of a frame that it began, and for taking what is sent.
  public static let frameTimeoutMilliseconds: Int64 = 10_000

  /// Takes over `descriptor`.
  init(adopting descriptor: Int32, frameLimit: Int) throws(SocketError) {
    do {
      peer = try PeerCredentials(descriptor: descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    limit = frameLimit
    incoming = Mutex(FrameDecoder(limit: frameLimit))
    var timeout = timeval(tv_sec: Int(Self.frameTimeoutMilliseconds / 1_000), tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Connects to the socket at `path`. A process of another user is refused before anything is sent to it.
  public convenience init(path: String, frameLimit: Int) throws(SocketError) {
    guard path.utf8.count <= SocketListener.maximumPathBytes else { throw .pathTooLong(path) }
    let descriptor = lockstep_unix_socket()
    guard descriptor >= 0 else { throw .system(call: "socket", path: "", code: errno) }
    while lockstep_connect_path(descriptor, path) != 0 {
      let code = errno
      if code == EINTR { continue }
      close(descriptor)
      if code == ENOENT || code == ECONNREFUSED { throw .notListening(path) }
      throw .system(call: "connect", path: path, code: code)
    }
    try self.init(adopting: descriptor, frameLimit: frameLimit)
    guard peer.isThisUser else { throw .foreignUser(path: path, user: peer.user) }
  }

  deinit {
    close(descriptor)
  }

  /// Ends the connection for both directions; a thread that receives or sends comes back.
  public func shutdown() {
    _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Whether the other side has ended the connection, as far as the kernel knows now; nothing is read.
  public var isPeerGone: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
  }

  /// Sends one frame.
  public func send(_ payload: [UInt8]) throws(SocketError) {
    guard let frame = FrameDecoder.encode(payload, limit: limit) else { throw .frameTooLarge(limit: limit) }
    let failure = outgoing.withLock { _ in sendAll(frame) }
    if let failure { throw failure }
  }

  private func sendAll(_ frame: [UInt8]) -> SocketError? {
    frame.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(
          descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
        if count >= 0 {
          sent += count
        } else if errno == EAGAIN {
          return .timedOut
        } else if errno == EPIPE || errno == ECONNRESET {
          return .closed
        } else if errno != EINTR {
          return .system(call: "send", path: "", code: errno)
        }
      }
      return nil
    }
  }

  /// The next frame; nil if the other side ended the connection between two frames. Waits as long as it takes for a frame
  /// to begin, but only `frameTimeoutMilliseconds` for a frame that has begun.
  public func receive() throws(SocketError) -> [UInt8]? {
    let result: Result<[UInt8]?, SocketError> = incoming.withLock { decoder in
      do throws(SocketError) { return .success(try receive(into: &decoder)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func receive(into decoder: inout FrameDecoder) throws(SocketError) -> [UInt8]? {
    var deadline: Int64?
    while true {
      if let frame = try decoder.next() { return frame }
      if decoder.isPartial {
        let end = deadline ?? Self.now() + Self.frameTimeoutMilliseconds
        deadline = end
        try waitUntilReadable(end)
      }
      guard try read(into: &decoder) else {
        if decoder.isPartial { throw .closed }
        return nil
      }
    }
  }

  /// Appends what has arrived; false at the end of the stream.
  private func read(into decoder: inout FrameDecoder) throws(SocketError) -> Bool {
    let code: Int32 = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
          decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          return 0
        }
        if count == 0 { return -1 }
        if errno != EINTR { return errno }
      }
    }
    switch code {
    case 0: return true
    case -1, ECONNRESET: return false
    default: throw .system(call: "recv", path: "", code: code)
    }
  }

  private func waitUntilReadable(_ deadline: Int64) throws(SocketError) {
    while true {
      let left = deadline - Self.now()
      guard left > 0 else { throw .timedOut }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&entry, 1, Int32(clamping: left))
      if count > 0 { return }
      if count < 0, errno != EINTR { throw .system(call: "poll", path: "", code: errno) }
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
