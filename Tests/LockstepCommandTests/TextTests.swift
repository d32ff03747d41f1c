import AgentWire
import Testing
import TextCoding
import VaultModel

@testable import lockstep

@Suite struct TextTests {
  static let key = (0..<13).map { "ABC0\($0 % 10)" }.joined(separator: "-")

  @Test(arguments: [
    key, key.lowercased(), "  " + key + "  ", key.replacing("-", with: " "), key.replacing("-", with: ""),
    "Lockstep recovery kit\r\n\r\n" + key + "\r\nrelay: http://r\r\n", key.replacing("0", with: "O"),
    "a line\n" + key,
  ])
  func `The recovery key is found in a kit and brought into its form`(_ text: String) {
    #expect(RecoveryKit.key(in: text) == Self.key)
  }

  @Test(arguments: ["", "nothing", String(key.dropLast()), key + "A", key.replacing("A", with: "U")])
  func `What is no recovery key is not taken for one`(_ text: String) {
    #expect(RecoveryKit.key(in: text) == nil)
  }

  @Test func `A kit holds the key alone on its line and nothing else that looks like one`() {
    let kit = RecoveryKit.text(
      key: Self.key, relay: "http://r", vault: "v", vaultID: Array(repeating: 0xAB, count: 32))
    #expect(kit.split(separator: "\n").count(where: { $0 == Self.key }) == 1)
    #expect(RecoveryKit.key(in: kit) == Self.key)
    let long = kit.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).filter { $0.count > 20 }
    #expect(long.isEmpty)
    #expect(RecoveryKit.key(in: kit.replacing(Self.key, with: "")) == nil)
  }

  @Test func `Times are written as RFC 3339 has them`() {
    #expect(TimeText.utc(0) == "1970-01-01T00:00:00.000Z")
    #expect(TimeText.utc(1_700_000_000_007) == "2023-11-14T22:13:20.007Z")
    #expect(TimeText.utc(-1) == "1969-12-31T23:59:59.999Z")
    #expect(TimeText.utc(.max) == nil)
    #expect(TimeText.utc(.min) == nil)
  }

  @Test func `A table lines up and cannot drive the terminal`() {
    var table = Table("A", "LONGER", "")
    table.add(["x\u{1B}[2J", "y", ""])
    table.add(["", "zzzzzzzz", "!"])
    #expect(table.text == "A           LONGER\nx\\u{1B}[2J  y\n            zzzzzzzz  !")
  }

  @Test func `Bytes that are no text are marked in JSON`() {
    #expect(ItemText.json(.bytes([0xFF, 0x00])).text(pretty: false) == #"{"base64":"/wA="}"#)
    #expect(ItemText.json(.bytes(Array("é".utf8))).text(pretty: false) == #""é""#)
    #expect(ItemText.json(nil).text(pretty: false) == "null")
  }

  @Test func `One final newline is dropped and no more`() {
    #expect(InputFile.withoutFinalNewline(Array("a\n\n".utf8)) == Array("a\n".utf8))
    #expect(InputFile.withoutFinalNewline(Array("a\r\n".utf8)) == Array("a\r".utf8))
    #expect(InputFile.withoutFinalNewline([]) == [])
  }

  @Test func `A message is one line whatever is in it`() {
    let failure = CommandFailure(1, "a\nb\u{1B}", details: ["c\td"])
    #expect(failure.text == "lockstep: a\\u{0A}b\\u{1B}\n  c\\u{09}d")
  }
}
