import Foundation
import Testing

/// A directory of this test's own, removed with it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/lockstep-test-XXXXXX".utf8CString)
    path = try template.withUnsafeMutableBufferPointer { buffer in
      let base = try #require(buffer.baseAddress)
      return String(cString: try #require(mkdtemp(base)))
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func mode(of name: String) throws -> UInt32 {
    var status = stat()
    try #require(lstat(path + "/" + name, &status) == 0)
    return status.st_mode & 0o777
  }
}
