import CBOR
import DeviceChain
import Foundation
import RelayWire
import Testing
import VaultCrypto
import VaultModel

@testable import Membership

/// The keyrings of Docs/Formats.md §3 as the independent reader and writer in Python understand them.
@Suite struct KeyringVectorTests {
  private enum Opened {
    case a(KeyringA)
    case c(KeyringC)
  }

  private func open(_ vector: Vector, _ state: ChainState) throws -> Opened {
    let sealed = try SealedKeyring(decoding: vector.bytes("keyring"))
    let recipient = try vector.bytes("recipient")
    let isA = try vector.number("kind") == 1
    let wrap: KeyringWrap
    switch try vector.number("wrap") {
    case 0: wrap = .previousEpoch(try vector.key("wrap_secret"))
    case 1:
      let secret = try vector.key("wrap_secret", PairingRole.self)
      wrap = .pairing(PairingSecret(secret.key.duplicate(), vault: state.vault))
    default:
      let key = RecoveryKey(try vector.key("recovery_secret", RecoveryRole.self).key.duplicate())
      let identity = key.identity()
      #expect(try identity.sealing.exportSeed() == vector.bytes("recipient_seed"))
      if try identity.id == recipient && identity.preSharedKey.bytes == vector.bytes("wrap_secret") {
        return isA
          ? .a(try Keyring.openA(sealed, identity, state)) : .c(try Keyring.openC(sealed, identity, state))
      }
      wrap = .recoveryKey(try vector.key("wrap_secret"))
    }
    let exchange = ExchangeKey<ExchangeARole>(
      seed: try vector.key("recipient_seed", ExchangeARole.self).key.duplicate())
    return isA
      ? .a(try Keyring.openA(sealed, recipient, exchange, wrap, state))
      : .c(try Keyring.openC(sealed, recipient, exchange, wrap, state))
  }

  private func state(_ file: VectorFile, _ vector: Vector) throws -> ChainState {
    let entries = try file.chain(vector.text("chain"))
    let genesis = try ChainEntry(decoding: try #require(entries.first))
    return try ChainState(verifying: entries, vaultID: ChainHash.entry(genesis))
  }

  @Test(arguments: ["keyring", "swift/keyring"])
  func `Every keyring of the vectors opens to what they say`(_ name: String) throws {
    let file = try VectorFile(name)
    for vector in file.positive {
      let expected = vector.expected
      let sealed = try SealedKeyring(decoding: vector.bytes("keyring"))
      #expect(try sealed.vaultID == expected.bytes("vault") && sealed.epoch == expected.number("epoch"))
      #expect(try sealed.wrap.rawValue == vector.number("wrap"), "\(vector.name)")
      let keys = try expected.get("keys", [[Any]].self)
      let entries: [EpochKeys.Entry]
      switch try open(vector, state(file, vector)) {
      case .a(let keyring):
        #expect(try keyring.exportContents() == expected.bytes("contents"))
        entries = keyring.keys.entries
        let recoveries = try expected.get("recoveries", [[String]].self)
        #expect(try keyring.recovery.map { [$0.id, $0.key.bytes] } == recoveries.map { try $0.map(bytes) })
      case .c(let keyring):
        #expect(try keyring.exportContents() == expected.bytes("contents"))
        entries = keyring.keys.entries
        #expect(try keyring.slotKey.bytes == expected.bytes("slot_key"))
        #expect(try keyring.setHashKey.bytes == expected.bytes("set_hash_key"))
      }
      #expect(entries.count == keys.count)
      for (entry, key) in zip(entries, keys) {
        #expect(entry.epoch == (key[0] as? NSNumber)?.uint64Value)
        #expect(try entry.key.bytes == bytes(key[1] as? String ?? ""))
      }
    }
  }

  @Test func `Every keyring that the vectors refuse is refused`() throws {
    let file = try VectorFile("keyring")
    #expect(file.negative.count > 50)
    for vector in file.negative {
      let state = try state(file, vector)
      #expect(throws: (any Error).self, "\(vector.name)") { try open(vector, state) }
    }
  }
}
