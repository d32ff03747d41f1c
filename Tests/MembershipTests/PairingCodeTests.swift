import CBOR
import Membership
import TextCoding
import Testing
import VaultCrypto
import VaultModel

@Suite struct PairingCodeTests {
  private func makeCode(relay: String = "https://relay.example:8443") throws -> PairingCode {
    let vault = try #require(VaultID(Randomness.bytes(32)))
    return try #require(PairingCode(relay: relay, secret: .random(vault: vault)))
  }

  private func error(_ text: String) -> PairingCodeError? {
    do throws(PairingCodeError) {
      _ = try PairingCode(text: text)
      return nil
    } catch {
      return error
    }
  }

  /// A code of any contents with a right check.
  private func code(_ value: CBORValue) -> String {
    let body = value.encoded
    let check = Digest.hash("lockstep/pairing-code/1", [.bytes(body)]).prefix(4)
    return "LOCKSTEP-" + CrockfordBase32.encode(body + check)
  }

  @Test func `What is shown is read, whatever the case, spaces and hyphens`() throws {
    for relay in ["", "http://localhost:1", String(repeating: "r", count: 512)] {
      let code = try makeCode(relay: relay)
      let text = code.text()
      #expect(text.hasPrefix("LOCKSTEP-"))
      var spaced = ""
      for (index, character) in text.enumerated() { spaced += index % 5 == 0 ? " -\(character)" : String(character) }
      for spelling in [text, text.lowercased(), spaced, "\n\(text) \r\n"] {
        let read = try PairingCode(text: spelling)
        #expect(read.relay == relay && read.vault == code.vault)
        #expect(read.secret.mailbox == code.secret.mailbox)
      }
    }
  }

  @Test func `A relay's address of more than 512 bytes makes no code`() throws {
    let vault = try #require(VaultID(Randomness.bytes(32)))
    #expect(PairingCode(relay: String(repeating: "r", count: 513), secret: .random(vault: vault)) == nil)
  }

  @Test func `Every single mistyped character is noticed`() throws {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    let right = Array(try makeCode().text())
    for index in right.indices where right[index] != "-" {
      for character in alphabet + ["U", "!", "é"] where character != right[index] {
        var wrong = right
        wrong[index] = character
        #expect(error(String(wrong)) == (index < 8 ? .notACode : .mistyped))
      }
    }
  }

  @Test func `A code cut short, too long or with two characters swapped is noticed`() throws {
    let right = Array(try makeCode().text())
    for length in 0..<right.count {
      #expect(error(String(right[..<length])) == (length < 8 ? .notACode : .mistyped))
    }
    #expect(error(String(right) + "0") == .mistyped)
    #expect(error(String(right + right)) == .mistyped)
    for index in 9..<right.count - 1 where right[index] != right[index + 1] {
      var wrong = right
      wrong.swapAt(index, index + 1)
      #expect(error(String(wrong)) == .mistyped)
    }
  }

  @Test func `Something else is no code`() {
    for text in ["", "hello", "https://relay.example", RecoveryKey.random().text()] {
      #expect(error(text) == .notACode)
    }
    #expect(error("LOCKSTEP-" + String(repeating: "0", count: 5_000)) == .notACode)
  }

  @Test func `A newer version's code says so`() {
    #expect(error(code([2, "https://relay.example", "anything"])) == .unsupportedVersion)
    #expect(error(code([7])) == .unsupportedVersion)
  }

  @Test func `A code of another form with a right check is no code`() {
    let vault = CBORValue.bytes(Randomness.bytes(32))
    let secret = CBORValue.bytes(Randomness.bytes(16))
    #expect(error(code([1, "r", vault, secret])) == nil)
    for value in [
      [1, "r", vault], [1, "r", vault, secret, 0], [0, "r", vault, secret],
      [1, "r", .bytes(Randomness.bytes(31)), secret], [1, "r", vault, .bytes(Randomness.bytes(15))],
      [1, .text(String(repeating: "r", count: 513)), vault, secret], [1, .bytes([1]), vault, secret], 1, [], "LOCKSTEP",
    ] as [CBORValue] {
      #expect(error(code(value)) == .notACode)
    }
  }

  @Test func `Errors say what to do`() {
    let errors: [PairingCodeError] = [.notACode, .mistyped, .unsupportedVersion]
    #expect(errors.allSatisfy { !$0.description.isEmpty })
  }
}
