import Foundation

/// The checkout that these tests were compiled from.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folders whose files are held to the table of Docs/Architecture.md: everything that ends up in a program.
  static let sourceFolders = ["Sources", "SyncServer/Sources"]

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Paths, relative to the checkout, of the Swift files below `folders`, ascending.
  static func swiftFiles(below folders: [String]) -> [String] {
    var paths: [String] = []
    for folder in folders {
      let walk = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      while let inner = walk?.nextObject() as? String {
        if inner.hasSuffix(".swift") { paths.append("\(folder)/\(inner)") }
      }
    }
    return paths.sorted()
  }

  /// The target that a source file belongs to: the folder below "Sources".
  static func target(of path: String) throws -> String {
    let parts = path.split(separator: "/").map(String.init)
    guard let sources = parts.firstIndex(of: "Sources"), sources + 2 < parts.count else {
      throw ArchitectureProblem("\(path) lies in no target's folder")
    }
    return parts[sources + 1]
  }
}

/// A table, manifest or file that does not have the form these tests read.
struct ArchitectureProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
