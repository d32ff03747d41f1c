import Glibc
import RelayCore
import RelayWire
import Synchronization
import Threading

/// A server that misbehaves as a test wants: what it sends to each connection is up to the test.
final class RawServer: Sendable {
  let address: RelayAddress?
  private let socket: Int32

  init(_ serve: @escaping @Sendable (_ connection: Int32) -> Void) {
    // A client that hangs up must not end the test process.
    signal(SIGPIPE, SIG_IGN)
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var local = sockaddr_in()
    local.sin_family = sa_family_t(AF_INET)
    local.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &local) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(socket, $0, length)
        _ = listen(socket, 16)
        _ = getsockname(socket, $0, &length)
      }
    }
    self.socket = socket
    address = RelayAddress("http://127.0.0.1:\(UInt16(bigEndian: local.sin_port))")
    _ = WorkerThread {
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else {
          close(socket)
          return
        }
        serve(connection)
        close(connection)
      }
    }
  }

  /// The thread closes: a number that is closed here could be another test's socket by the time the thread uses it.
  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  /// Reads until the end of a request's header.
  static func readHeader(_ connection: Int32) -> String {
    var text = ""
    var byte: UInt8 = 0
    while !text.hasSuffix("\r\n\r\n"), read(connection, &byte, 1) == 1 {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return text
  }

  /// Sends; false when the client has hung up.
  @discardableResult
  static func send(_ connection: Int32, _ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
