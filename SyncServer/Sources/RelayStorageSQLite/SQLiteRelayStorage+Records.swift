public import RelayCore
public import RelayWire
internal import SQLiteKit

extension SQLiteRelayStorage {
  /// See `RelayStorage`.
  public func push(
    _ items: [PushStep], to vault: [UInt8], _ guarded: WriteGuard
  ) throws(RelayStorageError) -> WriteOutcome<[PushAnswer]> {
    try writer.run { connection throws(SQLiteError) in
      guard var row = try VaultRow.find(vault, connection) else { return .missing }
      if let refusal = row.refusal(guarded, as: [PushAnswer].self) { return refusal }
      var session = PushSession(feed: row.feed, quota: guarded.quota)
      var answers: [PushAnswer] = []
      for step in items {
        switch step {
        case .refused(let code): answers.append(.refused(code))
        case .put(let item):
          let held = try Self.slot(item.slot, of: row, connection)
          let answer = session.take(item, held: held)
          if case .stored(let sequence) = answer, sequence > held?.sequence ?? 0 {
            try Self.write(item, sequence, of: row, connection)
          }
          answers.append(answer)
        }
      }
      if session.feed != row.feed {
        row.feed = session.feed
        try row.save(connection)
      }
      return .done(answers)
    }
  }

  private static func slot(
    _ slot: [UInt8], of row: VaultRow, _ connection: Connection
  ) throws(SQLiteError) -> HeldSlot? {
    try connection.first(
      "SELECT sequence, kind, content FROM slots WHERE vault = ? AND slot = ?", [.integer(row.key), .blob(slot)]
    ) { row throws(SQLiteError) in
      HeldSlot(sequence: try row.unsigned(0), content: try content(row, 1, 2))
    }
  }

  private static func content(_ row: Statement, _ kind: Int32, _ bytes: Int32) throws(SQLiteError) -> SlotContent {
    try row.integer(kind) == 0 ? .record(try row.blob(bytes)) : .purge(try row.blob(bytes))
  }

  private static func write(
    _ item: PushItem, _ sequence: UInt64, of row: VaultRow, _ connection: Connection
  ) throws(SQLiteError) {
    let kind: Int64 = if case .purge = item.content { 1 } else { 0 }
    let sql = """
      INSERT INTO slots VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (vault, slot)
      DO UPDATE SET sequence = excluded.sequence, kind = excluded.kind, content = excluded.content
      """
    try connection.run(
      sql,
      [.integer(row.key), .blob(item.slot), .unsigned(sequence), .integer(kind), .blob(item.content.bytes)])
  }

  /// See `RelayStorage`.
  public func changes(of vault: [UInt8], since: UInt64, limit: Int) throws(RelayStorageError) -> ChangesPage? {
    try readers.run { connection throws(SQLiteError) in
      guard let row = try VaultRow.find(vault, connection) else { return nil }
      let (changes, isCut) = try Self.changes(of: row, since: since, limit: limit, connection)
      var page = ChangesPage(
        incarnation: row.incarnation, changes: changes, more: isCut, head: row.feed.head,
        chainLength: row.chainLength, last: nil)
      if isCut { return page }
      let checkpoints = try connection.rows(
        "SELECT checkpoint FROM checkpoints WHERE vault = ? ORDER BY author", [.integer(row.key)]
      ) { row throws(SQLiteError) in try row.blob(0) }
      // A large record and large checkpoints do not fit one body; then the checkpoints come on a page of their own.
      let bytes = checkpoints.reduce(changes.reduce(0) { $0 + $1.content.bytes.count }) { $0 + $1.count }
      if bytes > RelayLimits.bodyBytes - (1 << 20), !changes.isEmpty {
        page.more = true
      } else {
        page.last = LastPage(
          listingDigest: row.feed.digest, droppedPurge: 0, checkpoints: checkpoints,
          checkpointCount: row.checkpointCount)
      }
      return page
    }
  }

  private static func changes(
    of row: VaultRow, since: UInt64, limit: Int, _ connection: Connection
  ) throws(SQLiteError) -> (changes: [Change], isCut: Bool) {
    let statement = try connection.statement(
      """
      SELECT slot, sequence, kind, content, length(content) FROM slots WHERE vault = ? AND sequence > ? ORDER BY sequence
      """)
    defer { statement.reset() }
    try statement.bind([.integer(row.key), .clamped(since)])
    var changes: [Change] = []
    var bytes = 0
    while try statement.step() {
      bytes += Int(try statement.integer(4))
      guard changes.count < limit, changes.isEmpty || bytes <= RelayLimits.batchBytes else { return (changes, true) }
      changes.append(
        Change(
          slot: try statement.blob(0), sequence: try statement.unsigned(1), content: try content(statement, 2, 3)))
    }
    return (changes, false)
  }

  /// See `RelayStorage`.
  public func put(
    checkpoint: [UInt8], of author: [UInt8], in vault: [UInt8], _ guarded: WriteGuard
  ) throws(RelayStorageError) -> WriteOutcome<Void> {
    try writer.run { connection throws(SQLiteError) in
      guard var row = try VaultRow.find(vault, connection) else { return .missing }
      let others = try connection.first(
        "SELECT coalesce(sum(length(checkpoint)), 0) FROM checkpoints WHERE vault = ? AND author <> ?",
        [.integer(row.key), .blob(author)]
      ) { row throws(SQLiteError) in Int(try row.integer(0)) }
      if let refusal = row.refusal(guarded, adding: checkpoint.count, as: Void.self) { return refusal }
      guard (others ?? 0) + checkpoint.count <= RelayLimits.checkpointsBytes else { return .quota }
      try Self.dropCheckpoint(of: author, in: &row, connection)
      try connection.run(
        "INSERT INTO checkpoints VALUES (?, ?, ?)", [.integer(row.key), .blob(author), .blob(checkpoint)])
      row.feed.bytes += UInt64(checkpoint.count)
      row.checkpointCount += 1
      try row.save(connection)
      return .done(())
    }
  }

  static func dropCheckpoint(
    of author: [UInt8], in row: inout VaultRow, _ connection: Connection
  ) throws(SQLiteError) {
    let held = try connection.first(
      "SELECT length(checkpoint) FROM checkpoints WHERE vault = ? AND author = ?", [.integer(row.key), .blob(author)]
    ) { row throws(SQLiteError) in try row.unsigned(0) }
    guard let held else { return }
    try connection.run("DELETE FROM checkpoints WHERE vault = ? AND author = ?", [.integer(row.key), .blob(author)])
    row.feed.bytes -= min(row.feed.bytes, held)
  }
}
