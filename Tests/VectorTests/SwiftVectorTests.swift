import Foundation
import Testing
import VaultCrypto
import VaultModel

@testable import SealedRecords

/// Tests/Vectors/swift: what this side sealed, for the Python reader to open. Written when LOCKSTEP_WRITE_VECTORS names a
/// directory; every write has fresh nonces, so the committed files change only when somebody writes them anew.
struct SwiftVectorTests {
  static let record = VectorFile.load("swift/record")
  static let keybag = VectorFile.load("swift/keybag")
  static let checkpoint = VectorFile.load("swift/checkpoint")

  @Test("The files hold vectors", .disabled(if: writing, "they are being written"))
  func notEmpty() {
    for (file, name) in [(Self.record, "record"), (Self.keybag, "keybag"), (Self.checkpoint, "checkpoint")] {
      #expect(file.format == name && file.version == 1)
      #expect(file.positive.count > 2)
    }
  }

  @Test("Records that were sealed once still open", arguments: record.positive)
  func records(vector: Vector) throws { try RecordVectorTests().accepted(vector: vector) }

  @Test("Keybags and local blobs that were made once still open", arguments: keybag.positive)
  func keybags(vector: Vector) throws { try DeviceVectorTests().keybagAccepted(vector: vector) }

  @Test("Checkpoints and purge events that were signed once still open", arguments: checkpoint.positive)
  func checkpoints(vector: Vector) throws { try DeviceVectorTests().checkpointAccepted(vector: vector) }

  private static let directory = ProcessInfo.processInfo.environment["LOCKSTEP_WRITE_VECTORS"]
  private static let writing = directory != nil

  @Test("The files are written on demand", .enabled(if: writing))
  func write() throws {
    let directory = URL(filePath: try #require(Self.directory))
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let files = [
      "record": try SwiftVectors.records(), "keybag": try SwiftVectors.keybags(),
      "checkpoint": try SwiftVectors.checkpoints(),
    ]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for (name, vectors) in files {
      let lines = try vectors.map { "    " + String(decoding: try encoder.encode($0), as: UTF8.self) }
      let text = """
        {
          "format": "\(name)",
          "version": 1,
          "positive": [
        \(lines.joined(separator: ",\n"))
          ],
          "negative": []
        }

        """
      try Data(text.utf8).write(to: directory.appending(path: "\(name).json"))
    }
  }
}
