/// What `--help` and `help` print.
enum HelpText {
  static func of(_ command: Command) -> String {
    var lines = ["usage: lockstep \(synopsis(of: command))", "", command.summary]
    if !command.details.isEmpty { lines += [""] + command.details }
    lines.append("")
    let flags = command.flags + Flag.common
    let width = flags.map { shown($0).count }.max() ?? 0
    for flag in flags {
      let name = shown(flag)
      lines.append("  " + name + String(repeating: " ", count: width - name.count + 2) + flag.help)
    }
    return lines.joined(separator: "\n")
  }

  static func overview(of commands: [Command], group: String?) -> String {
    let shownCommands = commands.filter { command in
      guard let group else { return true }
      return command.name.hasPrefix(group + " ")
    }
    let synopses = shownCommands.map { command in
      (command.name + " " + command.operands.joined(separator: " "), command.summary)
    }
    let width = synopses.map(\.0.count).max() ?? 0
    var lines = ["usage: lockstep \(group ?? "COMMAND") …", ""]
    for (synopsis, summary) in synopses {
      lines.append("  " + synopsis + String(repeating: " ", count: width - synopsis.count + 2) + summary)
    }
    lines += ["", "\"lockstep COMMAND --help\" shows a command's flags; man lockstep has the rest."]
    return lines.joined(separator: "\n")
  }

  private static func synopsis(of command: Command) -> String {
    ([command.name] + command.operands + command.flags.map { $0.isRequired ? shown($0) : "[\(shown($0))]" }).joined(
      separator: " ")
  }

  private static func shown(_ flag: Flag) -> String {
    "--\(flag.name)" + (flag.placeholder.map { " \($0)" } ?? "")
  }
}
