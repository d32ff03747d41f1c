import CBOR
import Testing
import VaultCrypto
import VaultModel

@testable import SealedRecords

struct RecordTamperTests {
  private let key = SharedKey(SymmetricKey<SealingRole>.random())
  private let author = makeAuthor(1)
  private let keyID = SealingKeyID.vault(epoch: 1, .whenUnlocked)

  private func sealed(
    _ item: ItemState, vault vaultID: VaultID = vault(1), slot slotID: SlotID = slot(1)
  ) throws -> SealedRecord {
    try RecordSealer.seal(item, vault: vaultID, slot: slotID, keyID: keyID, key: key.key, author: author)
  }

  /// Whether the signature holds, and whether it opens for someone who forgot to check the signature.
  private func outcome(
    _ bytes: [UInt8], vault vaultID: VaultID = vault(1), slot slotID: SlotID = slot(1)
  ) -> (signed: Bool, attributes: Bool, opened: Bool) {
    guard let record = try? SealedRecord(decoding: bytes) else { return (false, false, false) }
    let signed: Void? = try? RecordOpener.verifySignature(
      record, vault: vaultID, slot: slotID, pushSigningKey: author.signer.key.publicKey)
    let attributes = try? RecordOpener.openAttributes(record, vault: vaultID, slot: slotID, key: key.key)
    let opened = try? RecordOpener.open(record, vault: vaultID, slot: slotID, key: key.key)
    return (signed != nil, attributes != nil, opened != nil)
  }

  /// `record` with other elements, signed anew by the author.
  private func resigned(_ value: CBORValue, vault vaultID: VaultID = vault(1), slot slotID: SlotID = slot(1))
    -> [UInt8]
  {
    let header = CBORValue.array(Array(value.elements[..<6])).encoded
    let signature = author.signer.key.sign(
      RecordContext.signatureContext,
      RecordContext(vault: vaultID, slot: slotID).signatureInputs(
        header: header, attributesPart: value.elements[6].contents, secretPart: value.elements[7].contents))
    return value.replacing([8], .bytes(signature)).encoded
  }

  @Test("No flipped byte goes unnoticed, by the signature and by the encryption alike", arguments: [0x01, 0x40, 0x80])
  func flips(mask: UInt8) throws {
    let record = try sealed(try item())
    #expect(outcome(record.bytes) == (true, true, true))
    let signatureStart = record.bytes.count - Signature.length
    for index in record.bytes.indices {
      var altered = record.bytes
      altered[index] ^= mask
      let (signed, _, opened) = outcome(altered)
      #expect(!signed, "byte \(index)")
      if index < signatureStart { #expect(!opened, "byte \(index)") }
    }
  }

  @Test("No flipped byte of a record of this device goes unnoticed, though nothing signs it")
  func deviceFlips() throws {
    let record = try RecordSealer.seal(
      try item(), vault: vault(1), slot: slot(1), keyID: .device(.always), key: key.key, author: nil)
    #expect(outcome(record.bytes) == (false, true, true))
    for index in record.bytes.indices {
      var altered = record.bytes
      altered[index] ^= 1
      #expect(!outcome(altered).opened, "byte \(index)")
    }
  }

  @Test("A record that is cut short or continued is malformed")
  func lengths() throws {
    let record = try sealed(try item())
    for length in 0..<record.bytes.count {
      #expect(throws: RecordError.malformed) { try SealedRecord(decoding: Array(record.bytes[..<length])) }
    }
    #expect(throws: RecordError.malformed) { try SealedRecord(decoding: record.bytes + [0]) }
  }

  @Test("A record opens in no other slot and in no other vault")
  func moved() throws {
    let record = try sealed(try item())
    #expect(outcome(record.bytes, slot: slot(2)) == (false, false, false))
    #expect(outcome(record.bytes, vault: vault(2)) == (false, false, false))
    // Not even if its author signs it there.
    let value = try CBORValue(decoding: record.bytes)
    #expect(outcome(resigned(value, slot: slot(2)), slot: slot(2)) == (true, false, false))
    #expect(outcome(resigned(value, vault: vault(2)), vault: vault(2)) == (true, false, false))
  }

  @Test("Parts of two records of one slot do not go together, even signed anew")
  func exchangedParts() throws {
    let first = try CBORValue(decoding: try sealed(try item()).bytes)
    let second = try CBORValue(decoding: try sealed(try item(secret: [1])).bytes)
    #expect(outcome(resigned(first)) == (true, true, true))
    // The secret part of another record: listing still works, opening does not.
    #expect(outcome(resigned(first.replacing([7], second.elements[7]))) == (true, true, false))
    #expect(outcome(resigned(first.replacing([6], second.elements[6]))) == (true, false, false))
    let exchanged = first.replacing([6], first.elements[7]).replacing([7], first.elements[6])
    #expect(outcome(resigned(exchanged)) == (true, false, false))
    for element in [4, 5] {
      #expect(outcome(resigned(first.replacing([element], second.elements[element]))) == (true, false, false))
    }
  }

  @Test("The class, epoch, author and chain head that a record names cannot be replaced, even signed anew")
  func exchangedHeader() throws {
    let value = try CBORValue(decoding: try sealed(try item()).bytes)
    for (path, replacement) in [
      ([1, 1], 2), ([1, 2], 3), ([2], .bytes(bytes32(9))), ([3], .bytes(bytes32(9))),
    ] as [([Int], CBORValue)] {
      let altered = resigned(value.replacing(path, replacement))
      #expect(outcome(altered) == (true, false, false))
    }
    let asDevice = value.replacing([1], [1, 1]).replacing([2], .bytes([])).replacing([3], .bytes([]))
      .replacing([8], .bytes([]))
    #expect(throws: Never.self) { try SealedRecord(decoding: asDevice.encoded) }
    #expect(outcome(asDevice.encoded) == (false, false, false))
  }

  @Test("Another key opens nothing")
  func otherKey() throws {
    let record = try sealed(try item())
    let other = SharedKey(SymmetricKey<SealingRole>.random())
    #expect(throws: RecordError.notAuthentic) {
      try RecordOpener.openAttributes(record, vault: vault(1), slot: slot(1), key: other.key)
    }
    #expect(throws: RecordError.wrongSignature) {
      try RecordOpener.verifySignature(
        record, vault: vault(1), slot: slot(1), pushSigningKey: PushSigner(.random()).key.publicKey)
    }
  }

  @Test("Every departure from the form is malformed, another version is unsupported")
  func form() throws {
    let value = try CBORValue(decoding: try sealed(try item()).bytes)
    let malformed: [CBORValue] = [
      .array(Array(value.elements.dropLast())), .array(value.elements + [0]), .map([]), .array([]),
      value.replacing([0], "1"), value.replacing([1], 0), value.replacing([1], [0, 0, 1]),
      value.replacing([1], [0, 1, 2]), value.replacing([1], [0, 1, 4]), value.replacing([1], [0, 1, 0]),
      value.replacing([1], [0, 1]), value.replacing([1], [1, 1]), value.replacing([1], [2, 1]),
      value.replacing([1], [0, 1, 1, 1]), value.replacing([1], [1, 5]), value.replacing([1], [1, 256]),
      value.replacing([2], .bytes([])), value.replacing([2], .bytes(bytes32(1) + [0])), value.replacing([2], .null),
      value.replacing([3], .bytes([])), value.replacing([4], .bytes([UInt8](repeating: 1, count: 23))),
      value.replacing([5], .bytes([UInt8](repeating: 1, count: 31))), value.replacing([6], .bytes([])),
      value.replacing([6], .bytes([UInt8](repeating: 1, count: 271))),
      value.replacing([7], .bytes([UInt8](repeating: 1, count: 271))), value.replacing([7], "text"),
      value.replacing([8], .bytes([])), value.replacing([8], .bytes([UInt8](repeating: 1, count: 63))),
    ]
    for form in malformed {
      #expect(throws: RecordError.malformed) { try SealedRecord(decoding: form.encoded) }
    }
    for version in [0, 2, 1000] as [CBORValue] {
      #expect(throws: RecordError.unsupportedVersion) {
        try SealedRecord(decoding: value.replacing([0], version).encoded)
      }
      #expect(throws: RecordError.unsupportedVersion) { try SealedRecord(decoding: CBORValue.array([version]).encoded) }
      #expect(throws: RecordError.unsupportedVersion) {
        try RecordHeader.peek(value.replacing([0], version).encoded)
      }
    }
  }

  @Test("Plaintext that is not in the right form is malformed, although its author sealed and signed it")
  func contents() throws {
    // Sealed by hand: what a faulty device may do.
    let context = RecordContext(vault: vault(1), slot: slot(1))
    let nonce = Randomness.bytes(24)
    let header = RecordHeader(
      keyID: .device(.always), author: nil, head: [], nonce: nonce,
      commitment: context.commitment(nonce: nonce, key.key))
    func record(_ attributes: [UInt8], _ secret: [UInt8]) throws -> SealedRecord {
      let attributesPart = context.key(.attributes, nonce: nonce, key.key).encrypt(
        attributes, nonce: nonce, RecordContext.partContext, context.attributesInputs(header: header.encoded))
      let secretPart = context.key(.secret, nonce: nonce, key.key).encrypt(
        secret, nonce: nonce, RecordContext.partContext,
        context.secretInputs(header: header.encoded, attributesPart: attributesPart))
      var writer = CBORWriter()
      writer.array(9)
      header.writeElements(to: &writer)
      writer.byteString(attributesPart)
      writer.byteString(secretPart)
      writer.byteString([])
      return try SealedRecord(decoding: writer.bytes)
    }
    func open(_ record: SealedRecord) throws -> ItemState {
      try RecordOpener.open(record, vault: vault(1), slot: slot(1), key: key.key)
    }
    let item = try item()
    let attributes = Padding.pad(try ItemCoding.attributes(of: item))
    let secret = Padding.pad(try ItemCoding.secret(of: item))
    #expect(try open(record(attributes, secret)) == item)
    #expect(throws: RecordError.malformed) { try open(record(Padding.pad([0x80]), secret)) }
    #expect(throws: RecordError.malformed) { try open(record(attributes, Padding.pad([0x80]))) }
    #expect(throws: RecordError.malformed) { try open(record(secret, attributes)) }
    // Not padded, and padded too far.
    #expect(throws: RecordError.notAuthentic) {
      try open(record(attributes + [UInt8](repeating: 0, count: 16), secret))
    }
    #expect(throws: RecordError.notAuthentic) { try open(record(attributes, [UInt8](repeating: 1, count: 256))) }
  }
}
