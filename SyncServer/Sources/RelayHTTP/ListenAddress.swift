internal import Glibc

/// Why the server does not start, as one sentence for its operator.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Where a relay listens: a host name or address and a port.
public struct ListenAddress: Sendable, Equatable {
  /// The host; an IPv6 address without its brackets.
  public let host: String
  /// The port; 0 for any free one.
  public let port: UInt16

  /// Reads `HOST:PORT` or `[IPv6]:PORT`.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = UInt16(digits) else { return nil }
    var host = text[..<colon]
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.utf8.contains(0) else { return nil }
    self.host = String(host)
    self.port = port
  }

  /// As it is written in a URL.
  public var description: String { description(port: port) }

  func description(port: UInt16) -> String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// Opens a listening socket; returns it with the port that it has.
  func listen() throws(HTTPServerError) -> (socket: Int32, port: UInt16) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    guard status == 0, let list else {
      throw HTTPServerError(
        "The address \(description) cannot be listened on: \(String(cString: gai_strerror(status))).")
    }
    defer { freeaddrinfo(list) }
    var reason = EADDRNOTAVAIL
    var next: UnsafeMutablePointer<addrinfo>? = list
    while let info = next {
      if let socket = Self.open(info.pointee, &reason) { return (socket, Self.port(of: socket)) }
      next = info.pointee.ai_next
    }
    let hint = reason == EADDRINUSE ? " Another program uses it; name another one with --listen." : ""
    throw HTTPServerError(
      "The address \(description) cannot be listened on: \(String(cString: strerror(reason))).\(hint)")
  }

  private static func open(_ info: addrinfo, _ reason: inout Int32) -> Int32? {
    let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let socket = socket(info.ai_family, info.ai_socktype | flags, info.ai_protocol)
    guard socket >= 0 else {
      reason = errno
      return nil
    }
    var one: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard bind(socket, info.ai_addr, info.ai_addrlen) == 0, Glibc.listen(socket, 511) == 0 else {
      reason = errno
      close(socket)
      return nil
    }
    return socket
  }

  /// `sin_port` and `sin6_port` stand at the same place.
  private static func port(of socket: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(socket, $0, &length) }
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
  }
}
