import CBOR
import DeviceChain
import Foundation
import RelayWire
import TextCoding
import Testing
import VaultCrypto
import VaultModel

@testable import Membership

/// Docs/Formats.md §5 and §6 as the independent reader and writer in Python understand them.
@Suite struct RecoveryAndPairingVectorTests {
  @Test(arguments: ["recovery", "swift/recovery"])
  func `Every recovery key of the vectors is read, written and derived from as they say`(_ name: String) throws {
    for vector in try VectorFile(name).positive {
      let expected = vector.expected
      let key = try RecoveryKey(text: vector.text("typed"))
      #expect(try key.text() == expected.text("text"), "\(vector.name)")
      let same = RecoveryKey(try expected.key("secret", RecoveryRole.self).key.duplicate())
      #expect(try same.text() == expected.text("text"))
      let identity = key.identity()
      #expect(try identity.id == expected.bytes("recovery_id"))
      #expect(try identity.signing.publicKey == expected.bytes("signing_public"))
      #expect(try identity.signing.exportSeed() == expected.bytes("signing_seed"))
      #expect(try identity.sealing.publicKey == expected.bytes("sealing_public"))
      #expect(try identity.sealing.exportSeed() == expected.bytes("sealing_seed"))
      #expect(try identity.preSharedKey.bytes == expected.bytes("pre_shared_key"))
      #expect(try identity.locator == expected.bytes("locator"))
    }
  }

  @Test func `Every mistyped recovery key of the vectors is refused at the first group that they name`() throws {
    for vector in try VectorFile("recovery").negative {
      let groups = try vector.get("groups", [NSNumber].self).map(\.intValue)
      do throws(RecoveryKeyError) {
        _ = try RecoveryKey(text: (try? vector.text("typed")) ?? "")
        Issue.record("\(vector.name) was read")
      } catch {
        switch error {
        case .wrongGroup(let number): #expect(number == groups.first, "\(vector.name)")
        case .wrongCharacter(let group): #expect(group == groups.first, "\(vector.name)")
        case .wrongLength, .checksum: #expect(groups.isEmpty, "\(vector.name)")
        }
      }
    }
  }

  @Test(arguments: ["pairing", "swift/pairing"])
  func `Every code, request and answer of the vectors is what they say`(_ name: String) throws {
    for vector in try VectorFile(name).positive {
      let expected = vector.expected
      switch try vector.text("kind") {
      case "code":
        let code = try PairingCode(text: vector.text("code"))
        #expect(try code.relay == expected.text("relay") && code.vault.bytes == expected.bytes("vault"))
        #expect(try code.secret.exportSecret() == expected.bytes("secret"))
        #expect(try code.text() == expected.text("text"), "\(vector.name)")
        #expect(try code.secret.mailbox == expected.bytes("mailbox_key"))
        for purpose in ["request", "answer", "keyring"] {
          #expect(try code.secret.key(purpose).exportBytes() == expected.bytes("\(purpose)_key"))
        }
      case "request":
        let request = try request(vector)
        #expect(try request.device.elements == expected.get("device", [String].self).map { .bytes(try bytes($0)) })
        #expect(try request.deviceID.bytes == expected.bytes("id"))
        #expect(try Fingerprint.text(request.deviceID) == expected.text("fingerprint"))
        #expect(try request.name == expected.text("name") && request.nameSalt == expected.bytes("name_salt"))
        #expect(try request.joinSignature == expected.bytes("join_signature"))
        let commitment = try SealedName.commitment(request.name, salt: request.nameSalt)
        #expect(try commitment == expected.bytes("name_commitment"))
      default:
        let answer = try PairingAnswer(opening: vector.bytes("answer"), to: request(vector), secret(vector))
        guard case .approved(let approval) = answer else {
          #expect(try expected.number("outcome") == 0)
          continue
        }
        #expect(try expected.number("outcome") == 1)
        #expect(try approval.role.rawValue == expected.number("role"))
        #expect(try approval.head == expected.bytes("head") && approval.number == expected.number("number"))
        #expect(try approval.keyringA.encoded == expected.bytes("keyring_a"))
        #expect(try approval.keyringC.encoded == expected.bytes("keyring_c"))
        #expect(try approval.checkpoint == expected.bytes("checkpoint"))
      }
    }
  }

  @Test func `Every code, request and answer that the vectors refuse is refused`() throws {
    for vector in try VectorFile("pairing").negative {
      switch try vector.text("kind") {
      case "code":
        #expect(throws: PairingCodeError.self, "\(vector.name)") { try PairingCode(text: vector.text("code")) }
      case "request": #expect(throws: MembershipError.self, "\(vector.name)") { try request(vector) }
      default:
        #expect(throws: MembershipError.self, "\(vector.name)") {
          try PairingAnswer(opening: vector.bytes("answer"), to: request(vector), secret(vector))
        }
      }
    }
  }

  private func secret(_ vector: Vector) throws -> PairingSecret {
    let vault = try #require(VaultID(vector.bytes("vault")))
    return PairingSecret(try vector.key("secret", PairingRole.self).key.duplicate(), vault: vault)
  }

  private func request(_ vector: Vector) throws -> PairingRequest {
    try PairingRequest(opening: vector.bytes("request"), secret(vector))
  }
}
