import CBOR
import DeviceChain
import Foundation
import RelayWire
import Testing
import VaultCrypto
import VaultModel

@testable import Membership

/// The chain of Docs/Formats.md §4 as the independent reader and writer in Python understand it.
@Suite struct ChainVectorTests {
  static let files = ["chain", "swift/chain"]

  @Test(arguments: files) func `Every chain of the vectors verifies to the state that they say`(_ name: String) throws {
    let file = try VectorFile(name)
    for vector in file.positive where try vector.text("kind") == "chain" {
      let expected = vector.expected
      let entries = try file.chain(vector.text("chain"))
      let state = try ChainState(verifying: entries, vaultID: expected.bytes("vault"))
      #expect(try state.head == expected.bytes("head"), "\(vector.name)")
      #expect(try state.number == expected.number("number"))
      #expect(try state.epoch == expected.number("epoch"))
      #expect(try state.salt == expected.bytes("salt"))
      #expect(try state.resealedEpoch == expected.number("resealed"))
      for (epoch, pair) in try expected.get("commitments", [String: [String]].self) {
        let commitments = try #require(UInt64(epoch).flatMap { state.commitments(epoch: $0) })
        #expect(try [commitments.a, commitments.c] == pair.map(bytes))
      }
      let keyring = try keyringC(vector.get("c_keys"))
      let devices = try expected.vectors("devices")
      #expect(state.activeDevices.count == devices.count)
      for (device, expected) in zip(state.activeDevices, devices) {
        #expect(try device.id == expected.bytes("id"))
        #expect(try SealedName.open(device.name, for: device.id, keyring) == expected.text("name"))
        #expect(try device.role.rawValue == expected.number("role"))
        #expect(try device.hasLeft == expected.get("left"))
        #expect(try device.keys.chainSigning == expected.bytes("chain_signing"))
        #expect(try device.keys.exchangeA == expected.bytes("exchange_a"))
        #expect(try device.keys.pushSigning == expected.bytes("push_signing"))
        #expect(try device.keys.exchangeC == expected.bytes("exchange_c"))
      }
      let recoveries = try expected.vectors("recoveries")
      #expect(state.activeRecoveryKeys.count == recoveries.count)
      for (recovery, expected) in zip(state.activeRecoveryKeys, recoveries) {
        #expect(try recovery.id == expected.bytes("id"))
        #expect(try SealedName.open(recovery.keys.name, for: recovery.id, keyring) == expected.text("name"))
        #expect(try state.recoveryKey(locator: expected.bytes("locator"))?.id == recovery.id)
      }
    }
  }

  @Test func `Every entry that the vectors refuse is refused`() throws {
    let file = try VectorFile("chain")
    var states: [String: ChainState] = [:]
    var refused = 0
    for vector in file.negative where try vector.text("kind") == "chain" {
      let (after, entry) = (try vector.text("after"), try vector.bytes("entry"))
      refused += 1
      if after.isEmpty {
        let vaultID = (try? ChainEntry(decoding: entry)).map(ChainHash.entry) ?? [UInt8](repeating: 0, count: 32)
        #expect(throws: ChainError.self, "\(vector.name)") { try ChainState(genesis: entry, vaultID: vaultID) }
        continue
      }
      if states[after] == nil {
        let entries = try file.chain(after)
        let genesis = try ChainEntry(decoding: try #require(entries.first))
        states[after] = try ChainState(verifying: entries, vaultID: ChainHash.entry(genesis))
      }
      #expect(throws: ChainError.self, "\(vector.name)") { try states[after]?.applying(entry) }
    }
    #expect(refused > 150)
  }

  @Test func `Names open as the vectors say, and those that they refuse do not`() throws {
    let file = try VectorFile("chain")
    func open(_ vector: Vector) throws -> String {
      let sealed = try vector.vector("sealed_name")
      let name = try ChainName(
        commitment: sealed.bytes("commitment"), epoch: sealed.number("epoch"), nonce: sealed.bytes("nonce"),
        sealed: sealed.bytes("sealed"))
      return try SealedName.open(name, for: vector.bytes("id"), keyringC(vector.get("c_keys")))
    }
    for vector in file.positive where try vector.text("kind") == "name" {
      #expect(try open(vector) == vector.expected.text("text"))
    }
    for vector in file.negative where try vector.text("kind") == "name" {
      #expect(throws: MembershipError.self, "\(vector.name)") { try open(vector) }
    }
  }

  private func keyringC(_ keys: [String: String]) throws -> KeyringC {
    let sorted = try keys.map { (epoch: UInt64($0.key) ?? 0, key: try bytes($0.value)) }.sorted { $0.epoch < $1.epoch }
    let contents: CBORValue = [
      1, 3, .array(sorted.map { [.unsigned($0.epoch), .bytes($0.key)] }), .bytes(Randomness.bytes(32)),
      .bytes(Randomness.bytes(32)),
    ]
    return try KeyringC(contents: contents.encoded)
  }
}
