import Foundation
import SQLiteKit
import Testing

@Suite struct ConnectionTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test func `A migrated database is durable, checked and closed to others`() throws {
    let connection = try openOurs(folder.file("a.db"))
    #expect(try connection.first("PRAGMA journal_mode") { row throws(SQLiteError) in try row.text(0) } == "wal")
    // 2 is FULL for synchronous and MEMORY for temp_store.
    let expected: [(pragma: String, value: Int64)] = [
      ("synchronous", 2), ("foreign_keys", 1), ("trusted_schema", 0), ("cell_size_check", 1), ("secure_delete", 1),
      ("temp_store", 2), ("busy_timeout", 5_000),
    ]
    for (pragma, value) in expected {
      let found = try connection.first("PRAGMA \(pragma)") { row throws(SQLiteError) in try row.integer(0) }
      #expect(found == value, "\(pragma)")
    }
  }

  @Test func `The files are readable by their owner alone whatever the umask`() throws {
    let path = folder.file("a.db")
    let connection = try openOurs(path)
    try connection.run("INSERT INTO item (body) VALUES (?)", [.blob([1])])
    for suffix in ["", "-wal", "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
    }
  }

  @Test func `A symbolic link in place of the file is refused, in the folder's path it is not`() throws {
    let files = FileManager.default
    _ = try openOurs(folder.file("real.db"))
    try files.createSymbolicLink(atPath: folder.file("link.db"), withDestinationPath: folder.file("real.db"))
    #expect(code { try Connection(path: folder.file("link.db")) } == .cannotOpen)
    try files.createSymbolicLink(atPath: folder.file("dangling.db"), withDestinationPath: folder.file("new.db"))
    #expect(code { try Connection(path: folder.file("dangling.db")) } == .cannotOpen)
    #expect(!files.fileExists(atPath: folder.file("new.db")))
    try files.createSymbolicLink(atPath: folder.file("here"), withDestinationPath: folder.path)
    #expect(try count(Connection(path: folder.file("here/real.db"))) == 0)
  }

  @Test func `What cannot be opened says so`() throws {
    #expect(code { try Connection(path: folder.file("missing/a.db")) } == .cannotOpen)
    #expect(code { try Connection(path: folder.path) } == .cannotOpen)
    #expect(code { try Connection(path: folder.file("a\0b")) } == .cannotOpen)
    #expect(code { try Connection(path: "") } == .cannotOpen)
    var options = Connection.Options()
    options.create = false
    #expect(code { try Connection(path: folder.file("none.db"), options: options) } == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: folder.file("none.db")))
  }

  @Test func `A connection opened for reading cannot write`() throws {
    let path = folder.file("a.db")
    let writer = try openOurs(path)
    var options = Connection.Options()
    options.readOnly = true
    let reader = try Connection(path: path, options: options)
    #expect(code { try reader.run("INSERT INTO item (body) VALUES (NULL)") } == .readOnly)
    try writer.run("INSERT INTO item (body) VALUES (NULL)")
    #expect(try count(reader) == 1)
  }

  @Test func `A path that looks like a URI is a file's name`() throws {
    _ = try openOurs(folder.file("file:x.db?mode=memory"))
    #expect(FileManager.default.fileExists(atPath: folder.file("file:x.db?mode=memory")))
  }

  @Test func `A database in memory works without a file`() throws {
    let connection = try openOurs(":memory:")
    try connection.run("INSERT INTO item (body) VALUES (NULL)")
    #expect(try count(connection) == 1)
  }
}
