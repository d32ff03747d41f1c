/// Reads a command line. Flags may stand in any order and anywhere behind the command's name; the common ones also before
/// it. `--flag=VALUE` is `--flag VALUE`, and `--` ends the flags.
///
/// No message repeats an operand or a value: a person may have typed a secret there.
struct ArgumentParser {
  let commands: [Command]

  enum Outcome {
    case run(Command, Invocation)
    case help(Command)
    /// Help on everything, or on the commands of this group.
    case overview(group: String?)
  }

  func parse(_ arguments: [String]) throws(CommandFailure) -> Outcome {
    var rest = arguments[...]
    var invocation = Invocation()
    var words: [String] = []
    var command: Command?
    while command == nil {
      guard let argument = rest.first else { return try incomplete(words, invocation) }
      if argument.hasPrefix("-"), argument != "-" {
        if argument == "--" { throw .usage("a command must come before \"--\"; see \"lockstep help\"") }
        if argument == "--version" { return .run(try named("version"), invocation) }
        try takeFlag(&rest, into: &invocation, of: Flag.common, hint: "lockstep help")
        continue
      }
      rest.removeFirst()
      words.append(argument)
      command = commands.first { $0.name == words.joined(separator: " ") }
      guard command != nil || isGroup(words.joined(separator: " ")) else {
        // The first word is no secret's place, but a mistyped line may hold one anywhere.
        throw .usage(
          words.count == 1
            ? "no such command; see \"lockstep help\""
            : "no such command of \"\(words[0])\"; see \"lockstep help \(words[0])\"")
      }
    }
    guard let command else { return try incomplete(words, invocation) }
    try takeArguments(rest, of: command, into: &invocation)
    if invocation.has("help") { return .help(command) }
    try checkOperands(of: command, invocation)
    return .run(command, invocation)
  }

  func named(_ name: String) throws(CommandFailure) -> Command {
    guard let command = commands.first(where: { $0.name == name }) else {
      throw .usage("no such command; see \"lockstep help\"")
    }
    return command
  }

  func isGroup(_ name: String) -> Bool { commands.contains { $0.name.hasPrefix(name + " ") } }

  private func incomplete(_ words: [String], _ invocation: Invocation) throws(CommandFailure) -> Outcome {
    let group = words.isEmpty ? nil : words.joined(separator: " ")
    if invocation.has("help") { return .overview(group: group) }
    guard let group else { throw .usage("no command given; see \"lockstep help\"") }
    throw .usage("\"\(group)\" needs one more word; see \"lockstep help \(group)\"")
  }

  private func takeArguments(
    _ arguments: ArraySlice<String>, of command: Command, into invocation: inout Invocation
  ) throws(CommandFailure) {
    var rest = arguments
    while let argument = rest.first {
      if argument == "--" {
        invocation.operands += rest.dropFirst()
        return
      }
      if argument.hasPrefix("-"), argument != "-" {
        try takeFlag(
          &rest, into: &invocation, of: command.flags + Flag.common, hint: "lockstep \(command.name) --help")
      } else {
        invocation.operands.append(argument)
        rest.removeFirst()
      }
    }
  }

  /// Takes the flag at the start of `rest`, and its value.
  private func takeFlag(
    _ rest: inout ArraySlice<String>, into invocation: inout Invocation, of flags: [Flag], hint: String
  ) throws(CommandFailure) {
    let argument = rest.removeFirst()
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = argument == "-h" ? "help" : parts[0].hasPrefix("--") ? String(parts[0].dropFirst(2)) : ""
    guard let flag = flags.first(where: { $0.name == name }) else {
      throw .usage("unknown flag \(Self.shown(parts[0])); see \"\(hint)\"")
    }
    guard invocation.values[name] == nil, !invocation.switches.contains(name) else {
      throw .usage("--\(name) is given twice")
    }
    guard flag.placeholder != nil else {
      guard parts.count == 1 else { throw .usage("--\(name) takes no value") }
      invocation.switches.insert(name)
      return
    }
    if parts.count == 2 {
      invocation.values[name] = String(parts[1])
    } else {
      guard let value = rest.popFirst() else {
        throw .usage("--\(name) needs a value (\(flag.placeholder ?? "")); see \"\(hint)\"")
      }
      invocation.values[name] = value
    }
  }

  /// A flag's name, if it looks like one; what else begins with a hyphen may be a secret.
  private static func shown(_ name: Substring) -> String {
    let looksLikeOne =
      name.hasPrefix("--") && name.utf8.count <= 40
      && name.utf8.dropFirst(2).allSatisfy { 0x61...0x7A ~= $0 || $0 == 0x2D }
    return looksLikeOne ? String(name) : "(put \"--\" before an operand that begins with \"-\")"
  }

  private func checkOperands(of command: Command, _ invocation: Invocation) throws(CommandFailure) {
    let usage = "lockstep \(command.name) --help"
    if invocation.operands.count < command.requiredOperands {
      throw .usage("\(command.operands[invocation.operands.count]) is missing; see \"\(usage)\"")
    }
    for flag in command.flags where flag.isRequired && (invocation.value(flag.name) ?? "").isEmpty {
      throw .usage("--\(flag.name) is missing; see \"\(usage)\"")
    }
    if invocation.operands.count > command.operands.count {
      let takesSecret = command.name == "add" || command.name == "edit"
      throw .usage(
        takesSecret
          ? "too many operands: the secret comes from a prompt or standard input, never from an argument; see \"\(usage)\""
          : "too many operands; see \"\(usage)\"")
    }
  }
}
