internal import Glibc
internal import VaultCrypto

/// A passphrase in a file; one final newline is dropped.
enum PassphraseFile {
  private static let limit = 4096

  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit + 2)
    var count = 0
    while count < bytes.count {
      let step = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if step < 0 && errno == EINTR { continue }
      guard step >= 0 else {
        wipe(&bytes)
        return nil
      }
      if step == 0 { break }
      count += step
    }
    if count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
    guard count <= limit else {
      wipe(&bytes)
      return nil
    }
    defer { wipe(&bytes) }
    return Array(bytes[..<count])
  }
}
