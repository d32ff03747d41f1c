import CBOR
import Testing
import VaultCrypto
import VaultModel

@testable import SealedRecords

struct CheckpointTests {
  private let key = SharedKey(SymmetricKey<SealingRole>.random())
  private let signer = PushSigner(.random())

  private func contents(quarantined: [SlotID] = [slot(1), slot(2)]) -> CheckpointContents {
    CheckpointContents(
      number: 7, incarnation: [UInt8](repeating: 3, count: 16), sequence: 99, setHash: bytes32(4),
      quarantined: quarantined, isClean: true, ownCounter: 1 << 60, floor: vector([device(1): 5, device(2): 6]),
      greatestPurged: 12, head: bytes32(5), chainNumber: 3)
  }

  private func sealed(_ contents: CheckpointContents) throws -> Checkpoint {
    try Checkpoint.seal(
      contents, vault: vault(1), epoch: 2, key: key.key, author: device(1), signer: signer)
  }

  private func open(_ checkpoint: Checkpoint) throws -> CheckpointContents {
    try checkpoint.open(vault: vault(1), pushSigningKey: signer.key.publicKey, key: key.key)
  }

  @Test("A checkpoint opens to what was sealed")
  func roundTrip() throws {
    for contents in [contents(), contents(quarantined: [])] {
      let checkpoint = try Checkpoint(decoding: sealed(contents).bytes)
      #expect(checkpoint.author == device(1))
      #expect(checkpoint.epoch == 2)
      #expect(try open(checkpoint) == contents)
    }
    #expect(contents(quarantined: [slot(2), slot(1), slot(2)]) == contents())
  }

  @Test("The greatest contents fit the limit, greater ones are not sealed")
  func limits() throws {
    func slots(_ count: Int) -> [SlotID] {
      (0..<count).compactMap { SlotID([UInt8($0 >> 8), UInt8($0 & 255)] + [UInt8](repeating: 0, count: 30)) }
    }
    var greatest = contents(quarantined: slots(CheckpointContents.maximumQuarantined))
    greatest.floor =
      VersionVector(
        slots(Limits.vectorEntries).compactMap { DeviceID($0.bytes) }.map { .init(device: $0, counter: .max) })
      ?? VersionVector()
    #expect(greatest.floor.entries.count == Limits.vectorEntries)
    #expect(try open(sealed(greatest)) == greatest)
    #expect(throws: RecordError.malformed) {
      try sealed(contents(quarantined: slots(CheckpointContents.maximumQuarantined + 1)))
    }
    var bad = contents()
    bad.incarnation = [1]
    #expect(throws: RecordError.malformed) { try sealed(bad) }
    bad = contents()
    bad.setHash = []
    #expect(throws: RecordError.malformed) { try sealed(bad) }
    #expect(throws: RecordError.tooLarge) {
      try Checkpoint(decoding: [UInt8](repeating: 0, count: Checkpoint.maximumLength + 1))
    }
  }

  @Test("No byte of a checkpoint can be changed, and it opens in its vault alone, under its key")
  func tampering() throws {
    let checkpoint = try sealed(contents())
    for index in checkpoint.bytes.indices {
      var altered = checkpoint.bytes
      altered[index] ^= 1
      #expect(throws: RecordError.self, "byte \(index)") { try open(Checkpoint(decoding: altered)) }
      #expect(throws: RecordError.malformed) { try Checkpoint(decoding: Array(checkpoint.bytes[..<index])) }
    }
    #expect(throws: RecordError.wrongSignature) {
      try checkpoint.open(vault: vault(2), pushSigningKey: signer.key.publicKey, key: key.key)
    }
    #expect(throws: RecordError.wrongSignature) {
      try checkpoint.open(vault: vault(1), pushSigningKey: PushSigner(.random()).key.publicKey, key: key.key)
    }
    let other = SharedKey(SymmetricKey<SealingRole>.random())
    #expect(throws: RecordError.notAuthentic) {
      try checkpoint.open(vault: vault(1), pushSigningKey: signer.key.publicKey, key: other.key)
    }
  }

  @Test("Every departure from the form is refused, outside and inside")
  func form() throws {
    let value = try CBORValue(decoding: sealed(contents()).bytes)
    for form in [
      .array(Array(value.elements.dropLast())), .array(value.elements + [0]), value.replacing([1], .bytes([1])),
      value.replacing([2], 0), value.replacing([2], -1), value.replacing([3], .bytes([1])),
      value.replacing([4], .bytes([1])), value.replacing([5], .bytes([])),
    ] as [CBORValue] {
      #expect(throws: RecordError.malformed) { try Checkpoint(decoding: form.encoded) }
    }
    #expect(throws: RecordError.unsupportedVersion) { try Checkpoint(decoding: value.replacing([0], 2).encoded) }

    let inner = try CBORValue(decoding: contents().encoded)
    #expect(try CheckpointContents(decoding: inner.encoded) == contents())
    for form in [
      .array(Array(inner.elements.dropLast())), .array(inner.elements + [0]), inner.replacing([1], -1),
      inner.replacing([2], .bytes([1])), inner.replacing([3], "1"), inner.replacing([4], .bytes([1])),
      inner.replacing([5], [.bytes(bytes32(2)), .bytes(bytes32(1))]),
      inner.replacing([5], [.bytes(bytes32(2)), .bytes(bytes32(2))]), inner.replacing([5], [.bytes([1])]),
      inner.replacing([6], 1), inner.replacing([7], .null), inner.replacing([8], [[.bytes(bytes32(1)), 0]]),
      inner.replacing([9], .bytes([])), inner.replacing([10], .bytes([1])), inner.replacing([11], "1"),
    ] as [CBORValue] {
      #expect(throws: RecordError.malformed) { try CheckpointContents(decoding: form.encoded) }
    }
    #expect(throws: RecordError.unsupportedVersion) {
      try CheckpointContents(decoding: inner.replacing([0], 2).encoded)
    }
  }
}
