public import RelayCore
public import RelayWire
internal import SQLiteKit

extension SQLiteRelayStorage {
  /// See `RelayStorage`.
  public func status(of vault: [UInt8]) throws(RelayStorageError) -> VaultStatus? {
    try readers.run { connection throws(SQLiteError) in try VaultRow.find(vault, connection)?.status }
  }

  /// See `RelayStorage`.
  public func create(_ vault: NewVault, now: UInt64) throws(RelayStorageError) -> CreateOutcome {
    try writer.run { connection throws(SQLiteError) in
      if let row = try VaultRow.find(vault.vault, connection) {
        let genesis = try connection.first(
          "SELECT entry FROM entries WHERE vault = ? AND number = 0", [.integer(row.key)]
        ) { row throws(SQLiteError) in try row.blob(0) }
        return .exists(incarnation: row.incarnation, genesis: genesis ?? [])
      }
      if let invite = vault.invite {
        let used = try connection.run(
          "UPDATE invites SET uses = uses - 1 WHERE hash = ? AND uses > 0 AND expires > ?",
          [.blob(invite), .clamped(now)])
        guard used == 1 else { return .inviteRefused }
      }
      try Self.insert(vault, connection)
      return .created
    }
  }

  private static func insert(_ vault: NewVault, _ connection: Connection) throws(SQLiteError) {
    let genesisBytes = UInt64(vault.genesis.count)
    let feed = FeedState.empty(bytes: genesisBytes)
    try connection.run(
      "INSERT INTO vaults VALUES (NULL, ?, ?, ?, ?, ?, 1, ?, 0)",
      [
        .blob(vault.vault), .blob(vault.incarnation), .unsigned(feed.head), .blob(feed.digest), .unsigned(feed.bytes),
        .unsigned(genesisBytes),
      ])
    guard var row = try VaultRow.find(vault.vault, connection) else { return }
    try connection.run("INSERT INTO entries VALUES (?, 0, ?)", [.integer(row.key), .blob(vault.genesis)])
    try add(vault.keyrings, to: &row, connection)
    try replaceLocators(vault.locators, of: row, connection)
    try row.save(connection)
  }

  /// See `RelayStorage`.
  public func chain(of vault: [UInt8], from: UInt64) throws(RelayStorageError) -> ChainPage? {
    try readers.run { connection throws(SQLiteError) in
      guard let row = try VaultRow.find(vault, connection) else { return nil }
      let entries = try connection.page(
        "SELECT entry, length(entry) FROM entries WHERE vault = ? AND number >= ? ORDER BY number",
        [.integer(row.key), .clamped(from)])
      return ChainPage(entries: entries, chainLength: row.chainLength)
    }
  }

  /// See `RelayStorage`.
  public func append(
    _ entry: NewEntry, to vault: [UInt8], _ guarded: WriteGuard
  ) throws(RelayStorageError) -> WriteOutcome<Void> {
    try writer.run { connection throws(SQLiteError) in
      guard var row = try VaultRow.find(vault, connection) else { return .missing }
      let keyrings = try Self.missing(entry.keyrings, in: row, connection)
      let bytes = keyrings.reduce(entry.entry.count) { $0 + $1.bytes.count }
      if let refusal = row.refusal(guarded, adding: bytes, as: Void.self) { return refusal }
      guard row.chainBytes + UInt64(entry.entry.count) <= RelayLimits.chainBytes else { return .quota }
      try connection.run(
        "INSERT INTO entries VALUES (?, ?, ?)", [.integer(row.key), .unsigned(row.chainLength), .blob(entry.entry)])
      row.chainLength += 1
      row.chainBytes += UInt64(entry.entry.count)
      row.feed.bytes += UInt64(entry.entry.count)
      try Self.add(keyrings, to: &row, connection)
      try Self.replaceLocators(entry.locators, of: row, connection)
      for author in entry.departed { try Self.dropCheckpoint(of: author, in: &row, connection) }
      try row.save(connection)
      return .done(())
    }
  }

  /// See `RelayStorage`.
  public func keyrings(of vault: [UInt8], from: UInt64) throws(RelayStorageError) -> KeyringsPage? {
    try readers.run { connection throws(SQLiteError) in
      guard let row = try VaultRow.find(vault, connection) else { return nil }
      var last = Int64(clamping: from)
      let keyrings = try connection.page(
        "SELECT keyring, length(keyring), number FROM keyrings WHERE vault = ? AND number > ? ORDER BY number",
        [.integer(row.key), .integer(last)]
      ) { row throws(SQLiteError) in last = try row.integer(2) }
      let more = try connection.first(
        "SELECT 1 FROM keyrings WHERE vault = ? AND number > ?", [.integer(row.key), .integer(last)]
      ) { row throws(SQLiteError) in true }
      return KeyringsPage(keyrings: keyrings, next: more == true ? UInt64(clamping: last) : nil)
    }
  }

  /// See `RelayStorage`.
  public func keyrings(of vault: [UInt8], recipient: [UInt8]) throws(RelayStorageError) -> [[UInt8]] {
    try readers.run { connection throws(SQLiteError) in
      guard let row = try VaultRow.find(vault, connection) else { return [] }
      return try connection.page(
        "SELECT keyring, length(keyring) FROM keyrings WHERE vault = ? AND recipient = ? ORDER BY epoch DESC, kind",
        [.integer(row.key), .blob(recipient)])
    }
  }

  /// See `RelayStorage`.
  public func add(
    _ keyrings: [StoredKeyring], to vault: [UInt8], _ guarded: WriteGuard
  ) throws(RelayStorageError) -> WriteOutcome<Void> {
    try writer.run { connection throws(SQLiteError) in
      guard var row = try VaultRow.find(vault, connection) else { return .missing }
      let missing = try Self.missing(keyrings, in: row, connection)
      let bytes = missing.reduce(0) { $0 + $1.bytes.count }
      if let refusal = row.refusal(guarded, adding: bytes, as: Void.self) { return refusal }
      try Self.add(missing, to: &row, connection)
      try row.save(connection)
      return .done(())
    }
  }

  /// See `RelayStorage`.
  public func vaults(
    locator: [UInt8]
  ) throws(RelayStorageError) -> [(vault: [UInt8], recovery: [UInt8])] {
    let sql = """
      SELECT id, recovery FROM locators JOIN vaults USING (vault) WHERE locator = ? ORDER BY locators.number LIMIT 16
      """
    return try readers.run { connection throws(SQLiteError) in
      try connection.rows(sql, [.blob(locator)]) { row throws(SQLiteError) in
        (vault: try row.blob(0), recovery: try row.blob(1))
      }
    }
  }

  /// Those of `keyrings` whose place is free, each place once.
  private static func missing(
    _ keyrings: [StoredKeyring], in row: VaultRow, _ connection: Connection
  ) throws(SQLiteError) -> [StoredKeyring] {
    var missing: [StoredKeyring] = []
    for keyring in keyrings {
      let held = try connection.first(
        "SELECT 1 FROM keyrings WHERE vault = ? AND recipient = ? AND epoch = ? AND kind = ?",
        [.integer(row.key), .blob(keyring.recipient), .clamped(keyring.epoch), .clamped(keyring.kind)]
      ) { row throws(SQLiteError) in true }
      if held == nil { missing.append(keyring) }
    }
    return missing
  }

  private static func add(
    _ keyrings: [StoredKeyring], to row: inout VaultRow, _ connection: Connection
  ) throws(SQLiteError) {
    for keyring in keyrings {
      let added = try connection.run(
        "INSERT INTO keyrings VALUES (NULL, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
          .integer(row.key), .clamped(keyring.kind), .clamped(keyring.epoch), .blob(keyring.recipient),
          .blob(keyring.bytes),
        ])
      row.feed.bytes += UInt64(added * keyring.bytes.count)
    }
  }

  private static func replaceLocators(
    _ locators: [RecoveryLocator], of row: VaultRow, _ connection: Connection
  ) throws(SQLiteError) {
    // Those that stay keep their row, and with it their place among vaults that claim the same locator.
    let held = try connection.rows("SELECT locator FROM locators WHERE vault = ?", [.integer(row.key)]) {
      row throws(SQLiteError) in try row.blob(0)
    }
    for locator in held where !locators.contains(where: { $0.locator == locator }) {
      try connection.run(
        "DELETE FROM locators WHERE vault = ? AND locator = ?", [.integer(row.key), .blob(locator)])
    }
    for locator in locators {
      try connection.run(
        "INSERT INTO locators VALUES (NULL, ?, ?, ?) ON CONFLICT (vault, locator) DO UPDATE SET recovery = excluded.recovery",
        [.integer(row.key), .blob(locator.locator), .blob(locator.recovery)])
    }
  }
}

extension Connection {
  /// Blobs (column 0, with their length in column 1), as many as a page holds; the first one always.
  func page(
    _ sql: String, _ values: [SQLiteValue], _ visit: (Statement) throws(SQLiteError) -> Void = { _ in }
  ) throws(SQLiteError) -> [[UInt8]] {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var blobs: [[UInt8]] = []
    var bytes = 0
    while blobs.count < RelayLimits.batchCount, try statement.step() {
      bytes += Int(try statement.integer(1))
      guard blobs.isEmpty || bytes <= RelayLimits.batchBytes else { break }
      blobs.append(try statement.blob(0))
      try visit(statement)
    }
    return blobs
  }
}
