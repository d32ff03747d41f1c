import Membership
import TextCoding
import Testing
import VaultCrypto

@Suite struct RecoveryKeyTests {
  static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  private func error(_ text: String) -> RecoveryKeyError? {
    do throws(RecoveryKeyError) {
      _ = try RecoveryKey(text: text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `What is written down is read, whatever the case, the grouping and the look-alikes`() throws {
    for _ in 0..<200 {
      let key = RecoveryKey.random()
      let text = key.text()
      #expect(text.count == 13 * 5 + 12)
      #expect(text.split(separator: "-").allSatisfy { $0.count == 5 })
      let id = key.identity().id
      let spellings = [
        text, text.lowercased(), text.replacing("-", with: ""), text.replacing("-", with: " "), " \(text)\r\n",
        text.replacing("0", with: "O").replacing("1", with: "I"),
        text.replacing("0", with: "o").replacing("1", with: "l"),
      ]
      for spelling in spellings { #expect(try RecoveryKey(text: spelling).identity().id == id) }
    }
  }

  @Test func `Every single wrong character is located, all 65 places and all 31 ways`() {
    for _ in 0..<3 {
      let right = Array(RecoveryKey.random().text())
      for place in 0..<65 {
        let index = place + place / 5
        for character in Self.alphabet where character != right[index] {
          var wrong = right
          wrong[index] = character
          #expect(error(String(wrong)) == .wrongGroup(number: place / 5 + 1))
        }
      }
    }
  }

  @Test func `Two swapped neighbours are located, also across groups`() {
    for _ in 0..<50 {
      let right = Array(RecoveryKey.random().text().replacing("-", with: ""))
      for place in 0..<64 where right[place] != right[place + 1] {
        var wrong = right
        wrong.swapAt(place, place + 1)
        #expect(error(String(wrong)) == .wrongGroup(number: place / 5 + 1))
      }
    }
  }

  @Test func `Two swapped groups are located, any two`() {
    for _ in 0..<20 {
      let right = RecoveryKey.random().text().split(separator: "-")
      for one in 0..<13 {
        for other in one + 1..<13 where right[one] != right[other] {
          var wrong = right
          wrong.swapAt(one, other)
          #expect(error(wrong.joined(separator: "-")) == .wrongGroup(number: one + 1))
        }
      }
    }
  }

  @Test func `A character that is none of the alphabet is located`() {
    let right = Array(RecoveryKey.random().text())
    for place in 0..<65 {
      for character in ["U", "u", "!", "é", "–", "\0", "𝟘"] as [Character] {
        var wrong = right
        wrong[place + place / 5] = character
        #expect(error(String(wrong)) == .wrongCharacter(group: place / 5 + 1))
      }
    }
  }

  @Test func `A missing or an extra character is a wrong length`() {
    let right = RecoveryKey.random().text()
    #expect(error("") == .wrongLength)
    #expect(error(String(right.dropLast())) == .wrongLength)
    #expect(error(String(right.dropFirst())) == .wrongLength)
    #expect(error(right + "0") == .wrongLength)
    #expect(error(right + right) == .wrongLength)
  }

  @Test func `Groups that are right one by one but belong to another key are found by the checksum`() {
    // A group's check is linear, so the whole group of another key fits its place; four bits then remain to tell.
    var found = 0
    for _ in 0..<200 {
      var groups = RecoveryKey.random().text().split(separator: "-")
      groups[4] = RecoveryKey.random().text().split(separator: "-")[4]
      switch error(groups.joined(separator: "-")) {
      case .checksum: found += 1
      case nil: break
      default: Issue.record("a whole group in its own place is right by itself")
      }
    }
    #expect(found > 150)
  }

  @Test func `Nothing derived is anything else that is derived`() {
    let identity = RecoveryKey.random().identity()
    let values = [
      identity.signing.publicKey, identity.sealing.publicKey, identity.preSharedKey.bytes, identity.locator,
      identity.id,
    ]
    #expect(Set(values).count == values.count)
    #expect(RecoveryKey.random().identity().locator != identity.locator)
  }

  @Test func `The one key in a whole recovery kit is found`() {
    let key = RecoveryKey.random().text()
    let kit = { (line: String) in
      """
      Lockstep recovery kit

      Vault: personal, made 2026-01-02 on alder. Relay: https://relay.example:8443/vaults
      Keep this page where nobody but you finds it. It opens everything, without a passphrase.
      The id of this vault is 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.

      \(line)

      To use it: lockstep recover --relay https://relay.example:8443
      """
    }
    for line in ["    \(key)", "Recovery key: \(key)", key.lowercased()] {
      let found = RecoveryKey.find(in: kit(line))
      #expect(found.flatMap { error($0) } == nil && found != nil)
    }
    #expect(RecoveryKey.find(in: kit("Key: " + key.replacing("-", with: " "))).map { error($0) } == .some(nil))
    #expect(RecoveryKey.find(in: key) == key)
    #expect(RecoveryKey.find(in: kit("") + kit("")) == nil)
    #expect(RecoveryKey.find(in: kit(key) + "\r\n" + key) == key)
    #expect(RecoveryKey.find(in: kit(key) + "\n" + RecoveryKey.random().text()) == nil)
  }

  @Test func `A mistyped key in a kit is found, so that its error can be located`() throws {
    let right = RecoveryKey.random().text()
    var wrong = Array(right)
    wrong[13] = wrong[13] == "7" ? "8" : "7"
    let found = try #require(RecoveryKey.find(in: "Recovery key\n  \(String(wrong))\nend"))
    #expect(error(found) == .wrongGroup(number: 3))
    let short = try #require(RecoveryKey.find(in: "Recovery key\n  \(right.dropLast())\nend"))
    #expect(error(short) == .wrongLength)
    wrong[13] = "U"
    #expect(error(try #require(RecoveryKey.find(in: String(wrong)))) == .wrongCharacter(group: 3))
  }

  @Test func `Errors say where to look and never what was typed`() {
    let errors: [RecoveryKeyError] = [.wrongLength, .wrongCharacter(group: 4), .wrongGroup(number: 9), .checksum]
    #expect(errors.map(\.description).allSatisfy { !$0.isEmpty })
    #expect(RecoveryKeyError.wrongGroup(number: 9).description.contains("group 9"))
  }
}
