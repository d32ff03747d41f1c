import Foundation

/// What SwiftPM itself reads in Package.swift.
struct Manifest {
  /// Targets that are not tests, with the targets they depend on.
  let dependencies: [String: Set<String>]

  /// Asks `swift package dump-package`; the scratch folder of its own keeps it from waiting for the build that runs us.
  static func load() throws -> Manifest {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("lockstep-manifest-\(getpid())")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swift", "package", "--package-path", Repository.root.path, "--scratch-path", scratch.path, "dump-package",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let json = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ArchitectureProblem("swift package dump-package ended with \(process.terminationStatus)")
    }
    return try Manifest(json: json)
  }

  init(json: Data) throws {
    guard let package = try JSONSerialization.jsonObject(with: json) as? [String: Any],
      let targets = package["targets"] as? [[String: Any]]
    else { throw ArchitectureProblem("dump-package did not print a package with targets") }
    var dependencies: [String: Set<String>] = [:]
    for target in targets {
      guard let name = target["name"] as? String, let type = target["type"] as? String,
        let entries = target["dependencies"] as? [[String: [Any]]]
      else { throw ArchitectureProblem("a target of dump-package has no name, type or dependencies") }
      if type == "test" { continue }
      dependencies[name] = Set(entries.flatMap(\.values).compactMap { $0.first as? String })
    }
    self.dependencies = dependencies
  }
}
