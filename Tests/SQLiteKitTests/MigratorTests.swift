import Foundation
import SQLiteKit
import Synchronization
import Testing

@Suite struct MigratorTests {
  let folder: Folder
  let second = Migrator(
    applicationID: 0x1234_5678,
    migrations: ["CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB)", "ALTER TABLE item ADD COLUMN kind INTEGER"])

  init() throws { folder = try Folder() }

  func refusal(_ name: String, by migrator: Migrator = ours) -> SQLiteError.Code? {
    code { try migrator.migrate(Connection(path: folder.file(name))) }
  }

  @Test func `Only what is missing is run`() throws {
    let connection = try openOurs(folder.file("a.db"))
    try connection.run("INSERT INTO item (body) VALUES (x'01')")
    try second.migrate(connection)
    try second.migrate(connection)
    #expect(try connection.run("UPDATE item SET kind = 1") == 1)
  }

  @Test func `A migration that fails leaves the version before it`() throws {
    let broken = Migrator(
      applicationID: 0x1234_5678,
      migrations: [
        "CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB)", "CREATE TABLE x (y); CREATE TABLE item (z)",
      ])
    let connection = try Connection(path: folder.file("a.db"))
    #expect(throws: SQLiteError.self) { try broken.migrate(connection) }
    #expect(code { try connection.execute("SELECT * FROM x") } != nil)
    try second.migrate(connection)
    #expect(try count(connection) == 0)
  }

  @Test func `A file of a newer version is refused and left as it is`() throws {
    try second.migrate(Connection(path: folder.file("a.db")))
    let before = try folder.contents("a.db")
    #expect(refusal("a.db") == .newer)
    #expect(try folder.contents("a.db") == before)
  }

  @Test func `A database of another program is refused and left as it is`() throws {
    let foreign = [
      "CREATE TABLE theirs (x)", "PRAGMA application_id = 77", "PRAGMA user_version = 1",
      "CREATE TABLE theirs (x); PRAGMA user_version = 1", "PRAGMA application_id = 305419896; PRAGMA user_version = -1",
    ]
    for (number, sql) in foreign.enumerated() {
      let name = "\(number).db"
      try Connection(path: folder.file(name)).execute(sql)
      let before = try folder.contents(name)
      #expect(refusal(name) == .foreign, "\(sql)")
      #expect(try folder.contents(name) == before)
      #expect(!FileManager.default.fileExists(atPath: folder.file(name + "-wal")))
    }
  }

  @Test func `A file that is no database is refused and left as it is`() throws {
    let text = Data("This is not a database, but something a person wrote. ".utf8)
    for contents in [text, Data(repeating: 0xa5, count: 8_192), Data("SQLite format 3\0".utf8) + Data(count: 200)] {
      try contents.write(to: URL(fileURLWithPath: folder.file("a.db")))
      #expect(refusal("a.db") == .notADatabase)
      #expect(try folder.contents("a.db") == contents)
    }
  }

  @Test func `An empty file becomes a database`() throws {
    try Data().write(to: URL(fileURLWithPath: folder.file("a.db")))
    #expect(refusal("a.db") == nil)
  }

  @Test func `Damage is found`() throws {
    let path = folder.file("a.db")
    do {
      let connection = try openOurs(path)
      for _ in 0..<50 {
        try connection.run("INSERT INTO item (body) VALUES (?)", [.blob([UInt8](repeating: 1, count: 900))])
      }
      #expect(try connection.quickCheck() == [])
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    var damaged = try folder.contents("a.db")
    for offset in 8_192..<16_384 { damaged[offset] = 0xff }
    try damaged.write(to: URL(fileURLWithPath: path))
    let connection = try Connection(path: path)
    var findings: [String] = []
    let thrown = code { findings = try connection.quickCheck() }
    #expect(!findings.isEmpty || thrown == .corrupt)
    #expect(
      code { try connection.rows("SELECT body FROM item") { row throws(SQLiteError) in try row.blob(0) } } == .corrupt)
    let truncated = try folder.contents("a.db").prefix(4_096 + 17)
    try truncated.write(to: URL(fileURLWithPath: path))
    #expect(code { try count(Connection(path: path)) } != nil)
  }

  @Test func `Two programs that start at once migrate once`() throws {
    let path = folder.file("a.db")
    _ = try Connection(path: path)
    let migrator = second
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      do { try migrator.migrate(Connection(path: path)) } catch { failures.add("\(error)") }
    }
    #expect(failures.all == [])
    #expect(try count(Connection(path: path)) == 0)
  }
}

/// Collects from several threads.
final class Failures: Sendable {
  private let list = Mutex<[String]>([])
  func add(_ failure: String) { list.withLock { $0.append(failure) } }
  var all: [String] { list.withLock { $0 } }
}
