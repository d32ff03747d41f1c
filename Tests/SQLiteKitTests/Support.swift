import Foundation
import SQLiteKit

/// A folder that is removed with its contents when the test is over.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("lockstep-sqlite-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func contents(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }
}

let ours = Migrator(applicationID: 0x1234_5678, migrations: ["CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB)"])

/// A migrated database.
func openOurs(_ path: String) throws -> Connection {
  let connection = try Connection(path: path)
  try ours.migrate(connection)
  return connection
}

/// The code of the error that `body` throws.
func code<Result>(_ body: () throws -> Result) -> SQLiteError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? SQLiteError)?.code
  }
}

func count(_ connection: Connection) throws -> Int64? {
  try connection.first("SELECT count(*) FROM item") { row throws(SQLiteError) in try row.integer(0) }
}
