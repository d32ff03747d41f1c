import AgentWire
import Glibc

/// Which program the agent is.
enum AgentProgram {
  static let name = "lockstepd"

  /// The one beside this program, else the first in PATH.
  static func find() throws(AgentFailure) -> String {
    for directory in [ownDirectory].compactMap({ $0 }) + searchPath {
      let candidate = directory + "/" + name
      if access(candidate, X_OK) == 0 { return candidate }
    }
    throw AgentFailure(
      .failed, "no agent runs and \(name) was found neither beside this program nor in PATH: install it or start it")
  }

  private static var ownDirectory: String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink("/proc/self/exe", $0, bytes.count) } ?? -1
    }
    guard count > 0, count < buffer.count, let slash = buffer[..<count].lastIndex(of: UInt8(ascii: "/")) else {
      return nil
    }
    return String(decoding: buffer[..<slash], as: UTF8.self)
  }

  /// Only absolute entries: a program is never taken from where one happens to stand.
  private static var searchPath: [String] {
    guard let path = getenv("PATH") else { return [] }
    return String(cString: path).split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
  }
}
