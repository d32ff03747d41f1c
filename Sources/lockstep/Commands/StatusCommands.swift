import AgentWire
import TextCoding
import VaultModel

/// `status`, `sync` and `vault list`: the vaults and how they stand.
enum StatusCommands {
  static let status = Command(
    name: "status", flags: [.json], summary: "show the agent, the lock and the vaults",
    details: ["Ends with 70 if a relay was caught misbehaving and with 77 if this device was revoked."]
  ) { invocation throws(CommandFailure) in
    let status = try Session(invocation).status()
    if invocation.has("json") {
      try Output.writeLine(json(status).text(pretty: true))
    } else {
      try Output.writeLine(text(status))
    }
    // The relay being away is no failure of `status`: everything works without it.
    try check(status.vaults.filter { $0.standing == .relayMisbehaved || $0.standing == .deviceRevoked })
  }

  static let sync = Command(
    name: "sync", flags: [.json, .vault], summary: "exchange everything with the relay now, then return",
    details: ["The agent does so by itself; this waits until it is done."]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let progress = Progress()
    let result = try session.call(.sync(VaultArguments(vault: session.vault)), onEvent: progress.show)
    progress.clear()
    guard case .vaults(let synced) = result else { throw session.unexpected }
    if invocation.has("json") { try Output.writeLine(JSONValue.array(synced.vaults.map(json)).text(pretty: true)) }
    try check(synced.vaults)
  }

  static let vaultList = Command(
    name: "vault list", flags: [.json], summary: "list the vaults on this device"
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    guard case .vaults(let list) = try session.callOnce(.vaultList) else { throw session.unexpected }
    if invocation.has("json") {
      try Output.writeLine(JSONValue.array(list.vaults.map(json)).text(pretty: true))
      return
    }
    guard !list.vaults.isEmpty else { return }
    var table = Table("VAULT", "ROLE", "ITEMS", "DEVICE", "RELAY")
    for vault in list.vaults {
      table.add([vault.name, vault.role.rawValue, String(vault.itemCount), vault.deviceName, vault.relay])
    }
    try Output.writeLine(table.text)
  }

  /// Fails for the vault that is worst off.
  private static func check(_ vaults: [AgentVault]) throws(CommandFailure) {
    let order: [AgentVault.Standing] = [.relayMisbehaved, .deviceRevoked, .relayRefused, .relayUnreachable]
    for standing in order {
      guard let vault = vaults.first(where: { $0.standing == standing }) else { continue }
      throw CommandFailure(exitCode(standing), "vault \(vault.name): \(vault.problem ?? describe(standing))")
    }
  }

  private static func exitCode(_ standing: AgentVault.Standing) -> Int32 {
    switch standing {
    case .fine: ExitCode.success
    case .relayRefused: ExitCode.failure
    case .relayUnreachable: ExitCode.relayUnreachable
    case .relayMisbehaved: ExitCode.relayMisbehaved
    case .deviceRevoked: ExitCode.deviceRevoked
    }
  }

  private static func describe(_ standing: AgentVault.Standing) -> String {
    switch standing {
    case .fine: "fine"
    case .relayUnreachable: "the relay does not answer; changes wait here until it does"
    case .relayRefused: "the relay refuses this device"
    case .relayMisbehaved: "the relay was caught misbehaving; nothing is taken from it any more"
    case .deviceRevoked: "this device was revoked"
    }
  }

  private static func text(_ status: StatusResult) -> String {
    var lines = [
      "agent    \(status.version), process \(status.processID), home \(status.home)",
      "lock     \(describe(status.lockState)), \(describe(status.protection))",
    ]
    if status.vaults.isEmpty { lines.append("vaults   none: \"lockstep init\", \"join\" or \"recover\" makes one") }
    for vault in status.vaults {
      lines += [
        "",
        "vault    \(vault.name) (\(vault.role.rawValue)), device \(vault.deviceName.isEmpty ? "(locked)" : vault.deviceName), fingerprint \(vault.fingerprint)",
        "items    \(vault.itemCount), \(vault.pendingCount) to be sent, \(vault.conflictCount) in conflict, \(vault.quarantinedCount) refused",
        "relay    \(vault.relay), \(vault.lastSync.map { "last reached " + TimeText.local($0) } ?? "no sync yet")",
      ]
      if vault.standing != .fine || vault.problem != nil {
        lines.append("problem  \(vault.problem ?? describe(vault.standing))")
      }
    }
    return lines.map(TerminalText.escape).joined(separator: "\n")
  }

  private static func describe(_ state: StatusResult.LockState) -> String {
    switch state {
    case .locked: "locked since the agent started"
    case .afterFirstUnlock: "locked"
    case .unlocked: "unlocked"
    }
  }

  private static func describe(_ protection: StatusResult.Protection) -> String {
    switch protection {
    case .none: "no keys yet"
    case .open: "no passphrase"
    case .passphrase: "guarded by a passphrase"
    }
  }

  static func json(_ status: StatusResult) -> JSONValue {
    .object([
      ("version", .string(status.version)), ("pid", .int(Int64(status.processID))), ("home", .string(status.home)),
      ("protection", .string(status.protection.rawValue)), ("lockState", .string(status.lockState.rawValue)),
      ("vaults", .array(status.vaults.map(json))),
    ])
  }

  static func json(_ vault: AgentVault) -> JSONValue {
    .object([
      ("name", .string(vault.name)), ("id", .string(Hex.encode(vault.vaultID.bytes))), ("relay", .string(vault.relay)),
      ("deviceName", .string(vault.deviceName)), ("fingerprint", .string(vault.fingerprint)),
      ("role", .string(vault.role.rawValue)), ("items", .int(Int64(vault.itemCount))),
      ("pending", .int(Int64(vault.pendingCount))), ("conflicts", .int(Int64(vault.conflictCount))),
      ("quarantined", .int(Int64(vault.quarantinedCount))), ("lastSync", ItemText.json(time: vault.lastSync)),
      ("standing", .string(vault.standing.rawValue)), ("problem", vault.problem.map(JSONValue.string) ?? .null),
    ])
  }
}
