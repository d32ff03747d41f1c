import CBOR
import SealedRecords
import Testing
import VaultCrypto
import VaultModel

struct LocalBlobTests {
  private let key = SharedKey(SymmetricKey<SealingRole>.random())

  @Test("A blob opens with its key, for its purpose and its vault alone")
  func opening() throws {
    for contents in [[], [1, 2, 3], [UInt8](repeating: 9, count: 100_000)] {
      let blob = try LocalBlob.seal(contents, .vaultA, vault: vault(1), classKey: key.key)
      #expect(try LocalBlob.open(blob, .vaultA, vault: vault(1), classKey: key.key) == contents)
      #expect(throws: RecordError.notAuthentic) {
        try LocalBlob.open(blob, .vaultA, vault: vault(2), classKey: key.key)
      }
      #expect(throws: RecordError.malformed) {
        try LocalBlob.open(blob, .vaultC, vault: vault(1), classKey: key.key)
      }
      #expect(throws: RecordError.notAuthentic) {
        try LocalBlob.open(blob, .init("vault B", .whenUnlocked), vault: vault(1), classKey: key.key)
      }
      let other = SharedKey(SymmetricKey<SealingRole>.random())
      #expect(throws: RecordError.notAuthentic) {
        try LocalBlob.open(blob, .vaultA, vault: vault(1), classKey: other.key)
      }
    }
  }

  @Test("No byte of a blob can be changed, left out or added")
  func tampering() throws {
    let blob = try LocalBlob.seal([1, 2, 3], .vaultC, vault: vault(1), classKey: key.key)
    for index in blob.indices {
      var altered = blob
      altered[index] ^= 1
      #expect(throws: RecordError.self) {
        try LocalBlob.open(altered, .vaultC, vault: vault(1), classKey: key.key)
      }
      #expect(throws: RecordError.malformed) {
        try LocalBlob.open(Array(blob[..<index]), .vaultC, vault: vault(1), classKey: key.key)
      }
    }
    #expect(throws: RecordError.malformed) {
      try LocalBlob.open(blob + [0], .vaultC, vault: vault(1), classKey: key.key)
    }
    let value = try CBORValue(decoding: blob)
    for other in [value.replacing([1], 0), value.replacing([1], 5), value.replacing([2], .bytes([1])), .array([1])] {
      #expect(throws: RecordError.malformed) {
        try LocalBlob.open(other.encoded, .vaultC, vault: vault(1), classKey: key.key)
      }
    }
    #expect(throws: RecordError.unsupportedVersion) {
      try LocalBlob.open(value.replacing([0], 2).encoded, .vaultC, vault: vault(1), classKey: key.key)
    }
  }

  @Test("Contents beyond the limit are refused on either side")
  func limit() {
    let large = [UInt8](repeating: 0, count: LocalBlob.maximumLength + 1)
    #expect(throws: RecordError.tooLarge) {
      try LocalBlob.seal(large, .vaultC, vault: vault(1), classKey: key.key)
    }
    #expect(throws: RecordError.tooLarge) {
      try LocalBlob.open(large, .vaultC, vault: vault(1), classKey: key.key)
    }
  }
}
