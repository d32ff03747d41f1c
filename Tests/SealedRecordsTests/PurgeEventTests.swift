import CBOR
import SealedRecords
import Testing
import VaultCrypto
import VaultModel

struct PurgeEventTests {
  private let writer = makeAuthor(4)

  private func event() throws -> PurgeEvent {
    try PurgeEvent(
      vault: vault(1), slot: slot(2), sequence: 1 << 40, recordHash: bytes32(3),
      incarnation: [UInt8](repeating: 5, count: 16), author: writer)
  }

  @Test("An event is read as it was made, and its signature holds in its vault alone")
  func roundTrip() throws {
    let event = try event()
    let decoded = try PurgeEvent(decoding: event.encoded)
    #expect(decoded == event)
    #expect(decoded.slot == slot(2) && decoded.sequence == 1 << 40 && decoded.author == device(4))
    #expect(decoded.recordHash == bytes32(3) && decoded.head == writer.head)
    try decoded.verifySignature(vault: vault(1), pushSigningKey: writer.signer.key.publicKey)
    #expect(throws: RecordError.wrongSignature) {
      try decoded.verifySignature(vault: vault(2), pushSigningKey: writer.signer.key.publicKey)
    }
    #expect(throws: RecordError.wrongSignature) {
      try decoded.verifySignature(vault: vault(1), pushSigningKey: bytes32(1))
    }
  }

  @Test("No byte can be changed, but the author's name, by which the key is found")
  func tampering() throws {
    let encoded = try event().encoded
    var unnoticed = 0
    for index in encoded.indices {
      var altered = encoded
      altered[index] ^= 1
      #expect(throws: RecordError.malformed) { try PurgeEvent(decoding: Array(encoded[..<index])) }
      guard let decoded = try? PurgeEvent(decoding: altered) else { continue }
      let held: Void? = try? decoded.verifySignature(
        vault: vault(1), pushSigningKey: writer.signer.key.publicKey)
      if held != nil {
        unnoticed += 1
        #expect(decoded.author != device(4))
      }
    }
    #expect(unnoticed == 32)
  }

  @Test("Every departure from the form is refused")
  func form() throws {
    let value = try CBORValue(decoding: event().encoded)
    for form in [
      .array(Array(value.elements.dropLast())), .array(value.elements + [0]), value.replacing([1], .bytes([1])),
      value.replacing([2], -1), value.replacing([3], .bytes([1])), value.replacing([4], .bytes(bytes32(1))),
      value.replacing([5], .bytes([])), value.replacing([6], .bytes([])), value.replacing([7], .bytes([])),
    ] as [CBORValue] {
      #expect(throws: RecordError.malformed) { try PurgeEvent(decoding: form.encoded) }
    }
    #expect(throws: RecordError.unsupportedVersion) { try PurgeEvent(decoding: value.replacing([0], 2).encoded) }
    #expect(throws: RecordError.malformed) { try PurgeEvent(decoding: value.encoded + [0]) }
    #expect(throws: RecordError.tooLarge) { try PurgeEvent(decoding: [UInt8](repeating: 0, count: 2000)) }
    for (hash, incarnation) in [([1], [UInt8](repeating: 5, count: 16)), (bytes32(3), [1])] {
      #expect(throws: RecordError.malformed) {
        try PurgeEvent(
          vault: vault(1), slot: slot(2), sequence: 1, recordHash: hash, incarnation: incarnation, author: writer)
      }
    }
  }
}
