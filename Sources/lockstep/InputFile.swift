import Glibc

/// Reads files and standard input whole, up to a limit.
enum InputFile {
  /// What a file holds; nil if it is not there.
  static func readIfPresent(_ path: String, limit: Int, _ what: String) throws(CommandFailure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw CommandFailure("\(what) \(path) cannot be read: \(SystemText.of(errno))")
    }
    defer { close(descriptor) }
    guard let bytes = try read(descriptor, limit: limit, "\(what) \(path)") else {
      throw CommandFailure("\(what) \(path) is larger than \(limit) bytes")
    }
    return bytes
  }

  static func read(_ path: String, limit: Int, _ what: String) throws(CommandFailure) -> [UInt8] {
    guard let bytes = try readIfPresent(path, limit: limit, what) else {
      throw CommandFailure("\(what) \(path) does not exist")
    }
    return bytes
  }

  /// Everything that comes from a descriptor; nil if it is more than `limit` bytes.
  static func read(_ descriptor: Int32, limit: Int, _ what: String) throws(CommandFailure) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw CommandFailure("\(what) cannot be read: \(SystemText.of(errno))")
      }
      bytes += buffer[..<count]
      if bytes.count > limit { return nil }
    }
  }

  /// Without one final newline: a file or pipe usually ends with one that is not meant.
  static func withoutFinalNewline(_ bytes: [UInt8]) -> [UInt8] {
    bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes
  }
}
