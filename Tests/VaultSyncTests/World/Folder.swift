import Foundation

/// A folder that goes when the test is over. In memory where the system has such a place: SQLite syncs at every commit.
final class Folder: Sendable {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = parent + "/lockstep-sync-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
