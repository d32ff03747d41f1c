import AgentWire

/// Every command, in the order in which `help` lists them.
enum CommandTable {
  static let all: [Command] = [
    VaultCommands.initialize, DeviceCommands.invite, VaultCommands.join, DeviceCommands.list, VaultCommands.recover,
    ItemCommands.add, ItemCommands.get, ItemCommands.edit, ItemCommands.remove, ListCommand.list,
    ConflictsCommand.conflicts, ConflictCommands.show, ConflictCommands.resolve, StatusCommands.status,
    StatusCommands.sync, StatusCommands.vaultList,
    LockCommands.lock, LockCommands.unlock, LockCommands.passwd, version, help,
  ]

  private static let version = Command(name: "version", summary: "print the version") {
    _ throws(CommandFailure) in try Output.writeLine("lockstep \(LockstepVersion.text)")
  }

  /// The parser needs its name; `main` answers it, because it is about the table.
  private static let help = Command(
    name: "help", operands: ["[COMMAND]", "[WORD]"], summary: "explain a command, or list them all"
  ) { invocation throws(CommandFailure) in
    try Output.writeLine(try text(for: invocation.operands))
  }

  private static func text(for words: [String]) throws(CommandFailure) -> String {
    let name = words.joined(separator: " ")
    let parser = ArgumentParser(commands: all)
    if words.isEmpty { return HelpText.overview(of: all, group: nil) }
    if parser.isGroup(name) { return HelpText.overview(of: all, group: name) }
    return HelpText.of(try parser.named(name))
  }
}
