public import RelayCore
internal import RelayWire
internal import SQLiteKit

extension SQLiteRelayStorage {
  /// See `RelayStorage`.
  public func openMailbox(
    _ mailbox: [UInt8], of vault: [UInt8], expires: UInt64, now: UInt64
  ) throws(RelayStorageError) -> MailboxOutcome {
    try writer.run { connection throws(SQLiteError) in
      guard let row = try VaultRow.find(vault, connection) else { return .taken }
      try connection.run(
        "DELETE FROM mailboxes WHERE expires <= ? AND (mailbox = ? OR vault = ?)",
        [.clamped(now), .blob(mailbox), .integer(row.key)])
      let owner = try connection.first("SELECT vault FROM mailboxes WHERE mailbox = ?", [.blob(mailbox)]) {
        row throws(SQLiteError) in try row.integer(0)
      }
      if let owner { return owner == row.key ? .open : .taken }
      let count = try connection.first("SELECT count(*) FROM mailboxes WHERE vault = ?", [.integer(row.key)]) {
        row throws(SQLiteError) in try row.integer(0)
      }
      guard (count ?? 0) < RelayLimits.mailboxCount else { return .tooMany }
      try connection.run(
        "INSERT INTO mailboxes VALUES (?, ?, ?, NULL, NULL)", [.blob(mailbox), .integer(row.key), .clamped(expires)])
      return .opened
    }
  }

  /// See `RelayStorage`.
  public func closeMailbox(_ mailbox: [UInt8], of vault: [UInt8]) throws(RelayStorageError) -> Bool {
    try writer.run { connection throws(SQLiteError) in
      guard let row = try VaultRow.find(vault, connection) else { return false }
      let removed = try connection.run(
        "DELETE FROM mailboxes WHERE mailbox = ? AND vault = ?", [.blob(mailbox), .integer(row.key)])
      return removed == 1
    }
  }

  /// See `RelayStorage`.
  public func mailbox(
    _ mailbox: [UInt8], of vault: [UInt8]?, now: UInt64
  ) throws(RelayStorageError) -> Mailbox? {
    try readers.run { connection throws(SQLiteError) in
      guard let found = try Self.find(mailbox, now, connection) else { return nil }
      guard vault == nil || vault == found.vault else { return nil }
      return found.contents
    }
  }

  /// See `RelayStorage`.
  public func put(
    request: [UInt8], into mailbox: [UInt8], now: UInt64
  ) throws(RelayStorageError) -> LetterOutcome {
    try writer.run { connection throws(SQLiteError) in
      guard let found = try Self.find(mailbox, now, connection) else { return .missing }
      if let held = found.contents.request { return held == request ? .stored : .exists }
      try connection.run(
        "UPDATE mailboxes SET request = ? WHERE mailbox = ?", [.blob(request), .blob(mailbox)])
      return .stored
    }
  }

  /// See `RelayStorage`.
  public func put(
    answer: [UInt8], into mailbox: [UInt8], of vault: [UInt8], now: UInt64
  ) throws(RelayStorageError) -> LetterOutcome {
    try writer.run { connection throws(SQLiteError) in
      guard let found = try Self.find(mailbox, now, connection), found.vault == vault else { return .missing }
      if let held = found.contents.answer { return held == answer ? .stored : .exists }
      try connection.run("UPDATE mailboxes SET answer = ? WHERE mailbox = ?", [.blob(answer), .blob(mailbox)])
      return .stored
    }
  }

  private static func find(
    _ mailbox: [UInt8], _ now: UInt64, _ connection: Connection
  ) throws(SQLiteError) -> (vault: [UInt8], contents: Mailbox)? {
    try connection.first(
      "SELECT id, request, answer FROM mailboxes JOIN vaults USING (vault) WHERE mailbox = ? AND expires > ?",
      [.blob(mailbox), .clamped(now)]
    ) { row throws(SQLiteError) in
      let request = row.isNull(1) ? nil : try row.blob(1)
      let answer = row.isNull(2) ? nil : try row.blob(2)
      return (vault: try row.blob(0), contents: Mailbox(request: request, answer: answer))
    }
  }

  /// See `RelayStorage`.
  public func addInvite(hash: [UInt8], uses: UInt64, expires: UInt64) throws(RelayStorageError) {
    try writer.run { connection throws(SQLiteError) in
      _ = try connection.run(
        "INSERT INTO invites VALUES (?, ?, ?)", [.blob(hash), .clamped(uses), .clamped(expires)])
    }
  }

  /// See `RelayStorage`.
  public func removeExpired(now: UInt64) throws(RelayStorageError) {
    try writer.run { connection throws(SQLiteError) in
      try connection.run("DELETE FROM mailboxes WHERE expires <= ?", [.clamped(now)])
      try connection.run("DELETE FROM invites WHERE uses = 0 OR expires <= ?", [.clamped(now)])
    }
  }
}
