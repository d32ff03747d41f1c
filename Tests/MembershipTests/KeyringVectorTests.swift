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
    let wrap: KeyringWrap =
      switch sealed.wrap {
      case .previousEpoch: .previousEpoch(try vector.key("wrap_secret"))
      case .pairing:
        .pairing(PairingSecret(try vector.key("wrap_secret", PairingRole.self).key.duplicate(), vault: state.vault))
      case .recoveryKey: .recoveryKey(try vector.key("wrap_secret"))
      }
    let recipient = try vector.bytes("recipient")
    let exchange = ExchangeKey<ExchangeARole>(
      seed: try vector.key("recipient_seed", ExchangeARole.self).key.duplicate())
    return try vector.number("kind") == 1
      ? .a(Keyring.openA(sealed, recipient, exchange, wrap, state))
      : .c(Keyring.openC(sealed, recipient, exchange, wrap, state))
  }

  private func state(_ file: VectorFile, _ vector: Vector) throws -> ChainState {
    let entries = try file.chain(vector.text("chain"))
    let genesis = try ChainEntry(decoding: try #require(entries.first))
    return try ChainState(verifying: entries, vaultID: ChainHash.entry(genesis))
  }

  @Test(arguments: ["keyring"])
  func `Every keyring of the vectors opens to what they say`(_ name: String) throws {
    let file = try VectorFile(name)
    for vector in file.positive {
      let expected = vector.expected
      let sealed = try SealedKeyring(decoding: vector.bytes("keyring"))
      #expect(try sealed.vaultID == expected.bytes("vault") && sealed.epoch == expected.number("epoch"))
      #expect(try sealed.wrap.rawValue == expected.number("wrap"), "\(vector.name)")
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
