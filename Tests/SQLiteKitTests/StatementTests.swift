import SQLiteKit
import Testing

@Suite struct StatementTests {
  let connection: Connection

  init() throws {
    connection = try openOurs(":memory:")
    try connection.execute("CREATE TABLE pair (key TEXT UNIQUE, value, CHECK (value IS NOT 4242))")
  }

  @Test func `Every kind of value comes back as it was bound`() throws {
    let text = "nul\0 and ünïcode 👋"
    let values: [SQLiteValue] = [
      .null, .integer(.min), .integer(.max), .unsigned(.max), .bool(true), .text(""), .text(text), .blob([]),
      .blob([0, 255, 0]),
    ]
    let list = values.map { _ in "?" }.joined(separator: ", ")
    let row: Void? = try connection.first("SELECT \(list)", values) { row throws(SQLiteError) in
      #expect(row.isNull(0))
      #expect(try row.integer(1) == .min)
      #expect(try row.integer(2) == .max)
      #expect(try row.unsigned(3) == .max)
      #expect(try row.bool(4))
      #expect(try row.text(5) == "")
      #expect(try row.text(6) == text)
      #expect(try row.blob(7) == [])
      #expect(try row.blob(8) == [0, 255, 0])
    }
    #expect(row != nil)
  }

  @Test func `A column of another type is an error and not a default`() throws {
    try connection.first("SELECT 1, 'x', x'00', NULL, CAST(x'ff' AS TEXT)") { row throws(SQLiteError) in
      #expect(code { try row.text(0) } == .unexpectedType)
      #expect(code { try row.blob(1) } == .unexpectedType)
      #expect(code { try row.integer(2) } == .unexpectedType)
      #expect(code { try row.integer(3) } == .unexpectedType)
      #expect(code { try row.text(4) } == .unexpectedType)
      #expect(code { try row.blob(99) } == .unexpectedType)
    }
  }

  @Test func `A kept statement forgets the values of its last run`() throws {
    try connection.run("INSERT INTO pair VALUES (?, ?)", [.text("a"), .integer(1)])
    try connection.run("INSERT INTO pair VALUES (?, ?)", [.text("b")])
    let isNull = try connection.first("SELECT value FROM pair WHERE key = 'b'") { row throws(SQLiteError) in
      row.isNull(0)
    }
    #expect(isNull == true)
    #expect(code { try connection.run("SELECT ?", [.null, .null]) } != nil)
  }

  @Test func `A query may be run again for each of its own rows`() throws {
    for key in ["a", "b", "c"] { try connection.run("INSERT INTO pair VALUES (?, 1)", [.text(key)]) }
    let query = "SELECT key FROM pair ORDER BY key"
    var pairs: [String] = []
    _ = try connection.rows(query) { outer throws(SQLiteError) in
      let left = try outer.text(0)
      pairs += try connection.rows(query) { inner throws(SQLiteError) in left + (try inner.text(0)) }
    }
    #expect(pairs == ["aa", "ab", "ac", "ba", "bb", "bc", "ca", "cb", "cc"])
  }

  @Test func `A broken rule names itself and never a value`() throws {
    let sql = "INSERT INTO pair VALUES (?, ?)"
    try connection.run(sql, [.text("hunter2"), .integer(1)])
    for values: [SQLiteValue] in [[.text("hunter2"), .integer(2)], [.text("swordfish"), .integer(4242)]] {
      do {
        try connection.run(sql, values)
        Issue.record("accepted")
      } catch {
        #expect(error.code == .constraint)
        #expect(!error.description.contains("hunter2") && !error.description.contains("swordfish"))
      }
    }
  }

  @Test func `Foreign keys are kept`() throws {
    try connection.execute("CREATE TABLE child (item INTEGER NOT NULL REFERENCES item (id))")
    #expect(code { try connection.run("INSERT INTO child VALUES (7)") } == .constraint)
  }

  @Test func `The number of changed rows and the last row id are reported`() throws {
    #expect(try connection.run("INSERT INTO item (body) VALUES (NULL), (NULL), (NULL)") == 3)
    #expect(connection.lastInsertedRowID == 3)
    #expect(try connection.run("DELETE FROM item WHERE id > 1") == 2)
    #expect(try connection.run("DELETE FROM item WHERE id > 1") == 0)
  }
}
