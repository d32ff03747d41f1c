import Foundation
import Testing

@testable import lockstep

/// The manual, the man page and the completion know every command and flag.
@Suite struct ManualTests {
  static func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
      .replacing("\\-", with: "-")
  }

  @Test(arguments: ["Docs/CLI.md", "Docs/man/lockstep.1", "Docs/completions/lockstep.bash"])
  func `Nothing is missing`(_ path: String) throws {
    let text = try Self.text(path)
    for command in CommandTable.all {
      for word in command.name.split(separator: " ") { #expect(text.contains(word), "\(command.name)") }
      for flag in command.flags { #expect(text.contains("--" + flag.name), "\(command.name) --\(flag.name)") }
    }
  }

  @Test func `The manual shows every JSON key of a status`() throws {
    let text = try Self.text("Docs/CLI.md")
    for key in ["lockState", "deviceName", "quarantined", "lastSync", "standing", "problem", "thisDevice", "written"] {
      #expect(text.contains("\"\(key)\""))
    }
  }
}
