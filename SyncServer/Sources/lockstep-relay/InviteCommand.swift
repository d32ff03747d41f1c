internal import RelayCore
internal import RelayStorageSQLite
internal import Threading

/// `invite create`: works beside a running relay, since both only add to the same database.
enum InviteCommand {
  static func run(_ options: Command.InviteOptions) throws {
    let directory = try DataDirectory(options.data)
    try directory.checkDatabaseFile()
    let storage = try SQLiteRelayStorage(database: directory.database)
    let token = Invite.token()
    guard let hash = Invite.hash(of: token) else { throw RelayStartError("The token that was made is not one.") }
    let expires = WallClock.milliseconds + options.seconds * 1_000
    try storage.addInvite(hash: hash, uses: options.uses, expires: expires)
    storage.close()
    Output.line(token)
  }
}
