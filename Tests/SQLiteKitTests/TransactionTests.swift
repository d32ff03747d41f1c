import SQLiteKit
import Testing

@Suite struct TransactionTests {
  struct Stop: Error {}

  let folder: Folder
  let connection: Connection

  init() throws {
    folder = try Folder()
    connection = try openOurs(folder.file("a.db"))
  }

  func insert() throws { try connection.run("INSERT INTO item (body) VALUES (NULL)") }

  @Test func `What throws leaves nothing behind`() throws {
    try insert()
    #expect(throws: Stop.self) {
      try connection.transaction {
        try insert()
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try count(connection) == 1)
  }

  @Test func `An inner transaction belongs to the outer one`() throws {
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.transaction { try insert() }
        throw Stop()
      }
    }
    #expect(try count(connection) == 0)
  }

  @Test func `What was committed is there for the next connection`() throws {
    try connection.transaction {
      try insert()
      try insert()
    }
    #expect(try count(Connection(path: folder.file("a.db"))) == 2)
  }

  @Test func `A second writer is told that the file is busy, and a reader is not disturbed`() throws {
    var options = Connection.Options()
    options.busyTimeout = 1
    let other = try Connection(path: folder.file("a.db"), options: options)
    try connection.transaction {
      try insert()
      #expect(code { try other.transaction {} } == .busy)
      #expect(!other.isInTransaction)
      #expect(try count(other) == 0)
    }
    try other.transaction {}
    #expect(try count(other) == 1)
  }

  @Test func `A full disk undoes the transaction, keeps what was there and is got over`() throws {
    try insert()
    try connection.execute("PRAGMA max_page_count = 20")
    let large = SQLiteValue.blob([UInt8](repeating: 7, count: 200_000))
    let found = code {
      try connection.transaction {
        try insert()
        try connection.run("INSERT INTO item (body) VALUES (?)", [large])
      }
    }
    #expect(found == .full)
    #expect(!connection.isInTransaction)
    #expect(try count(connection) == 1)
    #expect(try connection.quickCheck().isEmpty)
    try connection.execute("PRAGMA max_page_count = 10000")
    try connection.run("INSERT INTO item (body) VALUES (?)", [large])
    #expect(try count(connection) == 2)
  }
}
