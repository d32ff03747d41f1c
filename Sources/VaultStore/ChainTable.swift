public import SQLiteKit

/// A keyring as the relay hands it out; every device keeps all of them, so that it can push them again if the relay lost them.
public struct StoredKeyring: Sendable, Equatable {
  /// 1 = A, 3 = C.
  public let kind: UInt8
  /// The newest epoch in it.
  public let epoch: UInt64
  /// A device id or recovery id, 32 bytes.
  public let recipient: [UInt8]
  /// The bytes.
  public let bytes: [UInt8]

  /// A keyring.
  public init(kind: UInt8, epoch: UInt64, recipient: [UInt8], bytes: [UInt8]) {
    self.kind = kind
    self.epoch = epoch
    self.recipient = recipient
    self.bytes = bytes
  }
}

extension VaultStore {
  /// The entries of a vault's chain, in order.
  public func chain(vault: Int64) throws(SQLiteError) -> [[UInt8]] {
    try connection.rows("SELECT entry FROM chain WHERE vault = ? ORDER BY number", [.integer(vault)]) {
      row throws(SQLiteError) in try row.blob(0)
    }
  }

  /// The entries of a vault's chain from number `from` on.
  public func chain(vault: Int64, from: UInt64) throws(SQLiteError) -> [[UInt8]] {
    try connection.rows(
      "SELECT entry FROM chain WHERE vault = ? AND number >= ? ORDER BY number", [.integer(vault), .unsigned(from)]
    ) { row throws(SQLiteError) in try row.blob(0) }
  }

  /// Appends a verified entry.
  public func appendChain(_ entry: [UInt8], number: UInt64, vault: Int64) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO chain (vault, number, entry) VALUES (?, ?, ?)", [.integer(vault), .unsigned(number), .blob(entry)])
  }

  /// All keyrings of a vault.
  public func keyrings(vault: Int64) throws(SQLiteError) -> [StoredKeyring] {
    try connection.rows(
      "SELECT kind, epoch, recipient, keyring FROM keyring WHERE vault = ? ORDER BY kind, epoch, recipient",
      [.integer(vault)]
    ) { row throws(SQLiteError) in
      StoredKeyring(
        kind: UInt8(truncatingIfNeeded: try row.integer(0)), epoch: try row.unsigned(1), recipient: try row.blob(2),
        bytes: try row.blob(3))
    }
  }

  /// The keyring of a kind and epoch for one recipient.
  public func keyring(kind: UInt8, epoch: UInt64, recipient: [UInt8], vault: Int64) throws(SQLiteError) -> [UInt8]? {
    try connection.first(
      "SELECT keyring FROM keyring WHERE vault = ? AND kind = ? AND epoch = ? AND recipient = ?",
      [.integer(vault), .integer(Int64(kind)), .unsigned(epoch), .blob(recipient)]
    ) { row throws(SQLiteError) in try row.blob(0) }
  }

  /// Takes a keyring away that does not open, so that another one can take its place.
  public func removeKeyring(kind: UInt8, epoch: UInt64, recipient: [UInt8], vault: Int64) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM keyring WHERE vault = ? AND kind = ? AND epoch = ? AND recipient = ?",
      [.integer(vault), .integer(Int64(kind)), .unsigned(epoch), .blob(recipient)])
  }

  /// Keeps a keyring; one that is there already stays.
  public func insert(_ keyring: StoredKeyring, vault: Int64) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO keyring (vault, kind, epoch, recipient, keyring) VALUES (?, ?, ?, ?, ?)",
      [
        .integer(vault), .integer(Int64(keyring.kind)), .unsigned(keyring.epoch), .blob(keyring.recipient),
        .blob(keyring.bytes),
      ])
  }
}
