import AgentWire
import Testing
import VaultModel

@testable import lockstep

@Suite struct ItemArgumentTests {
  func addition(_ line: String...) throws -> AddArguments {
    let parser = ArgumentParser(commands: CommandTable.all)
    guard case .run(_, let invocation) = try parser.parse(["add"] + line) else { throw CommandFailure("help") }
    return try ItemCommands.addition(invocation)
  }

  @Test func `An item is a generic password in the vault, readable while unlocked`() throws {
    let item = try addition("mail")
    #expect(item.itemClass == .genericPassword)
    #expect(item.synchronizable)
    #expect(!item.replace)
    #expect(item.attributes == [.service: .text("mail"), .account: .text(""), .accessible: .text("ak")])
  }

  @Test(arguments: [
    ("when-unlocked", "ak", "aku"), ("after-first-unlock", "ck", "cku"), ("always", "dk", "dku"),
    ("when-passcode-set", "akpu", "akpu"),
  ])
  func `The class says when it can be read`(_ name: String, _ code: String, _ deviceOnly: String) throws {
    let item = try addition("mail", "--accessible", name)
    #expect(item.attributes[.accessible] == .text(code))
    #expect(item.synchronizable == (name != "when-passcode-set"))
    let local = try addition("mail", "--accessible", name, "--this-device-only")
    #expect(local.attributes[.accessible] == .text(deviceOnly))
    #expect(!local.synchronizable)
  }

  @Test(arguments: ["ak", "unlocked", "", "When-Unlocked"])
  func `Another class is refused`(_ name: String) {
    #expect(throws: CommandFailure.self) { _ = try addition("mail", "--accessible", name) }
  }

  @Test func `An empty service is refused`() {
    #expect(throws: CommandFailure.self) { _ = try addition("") }
  }

  @Test func `A length needs a secret that is generated`() throws {
    #expect(try addition("a", "--generate", "--length", "40").generatedLength == 40)
    for line in [["--length", "40"], ["--generate", "--length", "7"], ["--generate", "--length", "x"]] {
      #expect(throws: CommandFailure.self) {
        guard case .run(_, let invocation) = try ArgumentParser(commands: CommandTable.all).parse(["add", "a"] + line)
        else { return }
        _ = try ItemCommands.addition(invocation)
      }
    }
  }
}
