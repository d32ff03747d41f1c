import AgentWire

/// The program from its arguments to its exit code.
enum Program {
  static func run(_ arguments: [String]) -> Int32 {
    do throws(CommandFailure) {
      let parser = ArgumentParser(commands: CommandTable.all)
      switch try parser.parse(arguments) {
      case .run(let command, let invocation): try command.run(invocation)
      case .help(let command): try Output.writeLine(HelpText.of(command))
      case .overview(let group): try Output.writeLine(HelpText.overview(of: CommandTable.all, group: group))
      }
      return ExitCode.success
    } catch {
      Output.say(error.text)
      return error.exitCode
    }
  }
}
