import Foundation
import RelayCore
import RelayStorageSQLite

/// The storage engines that must keep the contract. A further engine is a further case.
enum Engine: CaseIterable, Sendable {
  case sqlite

  func make() throws -> any Subject {
    switch self {
    case .sqlite: try SQLiteSubject()
    }
  }
}

/// A storage under test. `reopen` ends the use of the old one as a stop of the relay does and gives what the next start finds.
protocol Subject: AnyObject {
  var storage: any RelayStorage { get }
  func reopen() throws
}

final class SQLiteSubject: Subject {
  let folder: Folder
  private var sqlite: SQLiteRelayStorage
  var storage: any RelayStorage { sqlite }

  init() throws {
    folder = try Folder()
    sqlite = try SQLiteRelayStorage(database: folder.path + "/relay.sqlite")
  }

  func reopen() throws {
    sqlite.close()
    sqlite = try SQLiteRelayStorage(database: folder.path + "/relay.sqlite")
  }
}

/// A folder of the test's own. It goes when the process ends, not with the last reference to it: a storage may outlive its subject.
struct Folder: Sendable {
  private static let root: String = {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("lockstep-storage-\(UUID())").path
    atexit { try? FileManager.default.removeItem(atPath: Folder.root) }
    return root
  }()

  let path = root + "/\(UUID())"

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
}
