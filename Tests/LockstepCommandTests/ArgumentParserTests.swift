import Testing

@testable import lockstep

@Suite struct ArgumentParserTests {
  let parser = ArgumentParser(commands: CommandTable.all)

  /// The command and its arguments, or the message of the refusal.
  func parse(_ line: [String]) throws -> (String, Invocation) {
    guard case .run(let command, let invocation) = try parser.parse(line) else {
      throw CommandFailure("help instead of a command")
    }
    return (command.name, invocation)
  }

  func refusal(_ line: [String]) -> CommandFailure? {
    do throws(CommandFailure) {
      _ = try parser.parse(line)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ["add", "mail", "ann", "--label", "L", "--update"], ["add", "--label", "L", "mail", "--update", "ann"],
    ["add", "--update", "--label=L", "mail", "ann"], ["add", "--update", "--label", "L", "--", "mail", "ann"],
  ])
  func `Flags may stand anywhere and carry their value in two ways`(_ line: [String]) throws {
    let (name, invocation) = try parse(line)
    #expect(name == "add")
    #expect(invocation == Invocation(operands: ["mail", "ann"], values: ["label": "L"], switches: ["update"]))
  }

  @Test func `The common flags may come before the command`() throws {
    let (name, invocation) = try parse(["--home", "/v", "--socket=/s", "device", "list", "--json"])
    #expect(name == "device list")
    #expect(invocation == Invocation(values: ["home": "/v", "socket": "/s"], switches: ["json"]))
  }

  @Test func `A double hyphen ends the flags`() throws {
    #expect(try parse(["get", "--", "--label", "-x"]).1.operands == ["--label", "-x"])
    #expect(try parse(["get", "a", "--", "--"]).1.operands == ["a", "--"])
  }

  @Test func `Values may be empty, hold equal signs, and look like flags`() throws {
    #expect(try parse(["edit", "a", "--label="]).1.values == ["label": ""])
    #expect(try parse(["edit", "a", "--label=x=y"]).1.values == ["label": "x=y"])
    #expect(try parse(["edit", "a", "--label", "--secret"]).1.values == ["label": "--secret"])
  }

  @Test func `A single hyphen is an operand`() throws {
    #expect(try parse(["join", "-"]).1.operands == ["-"])
  }

  @Test func `An empty account is an account`() throws {
    #expect(try parse(["get", "mail", ""]).1.operand(1) == "")
    #expect(try parse(["get", "mail"]).1.operand(1) == nil)
  }

  @Test(arguments: [
    [], ["nope"], ["device"], ["device", "nope"], ["vault"], ["get"], ["get", "a", "b", "c"], ["get", "--nope", "a"],
    ["get", "a", "--label", "x"], ["get", "a", "--vault"], ["list", "--json=yes"], ["list", "--json", "--json"],
    ["list", "--vault", "a", "--vault=b"], ["list", "x"], ["--json", "list"], ["--", "list"], ["get", "-x"],
    ["status", "--vault", "v"],
    ["join"], ["init"], ["recover", "--relay="], ["Get", "a"], ["get ", "a"],
  ])
  func `A wrong call is exit code 2`(_ line: [String]) {
    #expect(refusal(line)?.exitCode == 2)
  }

  @Test(arguments: [
    ["add", "mail", "ann", "hunter2"], ["add", "mail", "ann", "--hunter2!"], ["add", "mail", "-hunter2"],
    ["add", "mail", "--label", "x", "--label", "hunter2"], ["hunter2"], ["list", "--json=hunter2"],
    ["device", "hunter2"], ["add", "mail", "--Hunter2"],
  ])
  func `No refusal repeats what may be a secret`(_ line: [String]) {
    let message = refusal(line)?.message
    #expect(message != nil)
    #expect(message?.lowercased().contains("hunter2") == false)
  }

  @Test(arguments: [["--help"], ["-h"], ["device", "--help"], ["get", "--help"], ["get", "-h", "a", "b", "c"]])
  func `Help is asked for everywhere`(_ line: [String]) throws {
    switch try parser.parse(line) {
    case .run: Issue.record("a command instead of help")
    case .help, .overview: break
    }
  }

  @Test(arguments: CommandTable.all.map(\.name))
  func `Every command has a help text that names its operands and flags`(_ name: String) throws {
    let command = try parser.named(name)
    let text = HelpText.of(command)
    for part in command.operands + command.flags.map({ "--" + $0.name }) { #expect(text.contains(part)) }
    #expect(command.details.allSatisfy { $0.count <= 110 })
    let flags = (command.flags + Flag.common).map(\.name)
    #expect(Set(flags).count == flags.count)
  }

  @Test func `The commands of the manual are all there`() {
    let expected = [
      "init", "device invite", "device list", "join", "recover", "add", "get", "edit", "rm", "list", "status", "sync",
      "lock", "unlock", "passwd", "conflicts", "conflict show", "conflict resolve", "vault list", "version", "help",
    ]
    #expect(Set(CommandTable.all.map(\.name)) == Set(expected))
    #expect(CommandTable.all.count == expected.count)
  }
}
