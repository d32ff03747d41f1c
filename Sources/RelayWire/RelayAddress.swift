/// Where a relay is: `http` or `https`, a host, an optional port and an optional path, in one normal spelling.
///
/// The spelling matters because signatures cover it (`@target-uri`, RFC 9421 §2.2.2): scheme and host are in lower case, a default
/// port and a trailing slash are left out.
public struct RelayAddress: Sendable, Hashable, CustomStringConvertible {
  /// The greatest length of an address (Docs/Formats.md §6).
  public static let maximumBytes = 512

  /// The normal spelling, without a trailing slash.
  public let text: String
  /// True for `https`.
  public let isEncrypted: Bool

  /// Reads an address; nil if it has another scheme, user information, a query, a fragment or a character outside a URL's.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.maximumBytes, let split = text.range(of: "://") else { return nil }
    let scheme = text[..<split.lower].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[split.upper...]
    let authorityEnd = rest.firstIndex(of: "/") ?? rest.endIndex
    guard let authority = Self.authority(rest[..<authorityEnd], encrypted: scheme == "https") else { return nil }
    var path = rest[authorityEnd...]
    while path.last == "/" { path.removeLast() }
    guard path.utf8.allSatisfy(Self.isPathByte), !path.contains("//") else { return nil }
    guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else { return nil }
    isEncrypted = scheme == "https"
    self.text = scheme + "://" + authority + path
  }

  /// The normal spelling.
  public var description: String { text }

  /// Host and port in their normal spelling; also what a relay makes of a Host header.
  static func authority(_ text: Substring, encrypted: Bool) -> String? {
    var host = text[...]
    var port: Substring?
    if host.first == "[" {
      guard let close = host.firstIndex(of: "]") else { return nil }
      let after = host[host.index(after: close)...]
      guard after.isEmpty || after.first == ":" else { return nil }
      port = after.isEmpty ? nil : after.dropFirst()
      host = host[...close]
      guard host.dropFirst().dropLast().utf8.allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E }),
        host.utf8.count > 3
      else { return nil }
    } else {
      if let colon = host.firstIndex(of: ":") {
        port = host[host.index(after: colon)...]
        host = host[..<colon]
      }
      guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { return nil }
    }
    guard let port else { return host.lowercased() }
    guard port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), port.utf8.count <= 5, let number = UInt16(port),
      number > 0
    else { return nil }
    return host.lowercased() + (number == (encrypted ? 443 : 80) ? "" : ":\(number)")
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private static func isPathByte(_ byte: UInt8) -> Bool {
    isHostByte(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "~")
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

extension String {
  /// Where `needle` (ASCII) first stands; Foundation has this, the standard library has not.
  fileprivate func range(of needle: String) -> (lower: Index, upper: Index)? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(needle) { return (start, index(start, offsetBy: needle.count)) }
      start = index(after: start)
    }
    return nil
  }
}
