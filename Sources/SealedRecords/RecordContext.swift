internal import CBOR
internal import VaultCrypto
internal import VaultModel

/// Where a record is and what is bound to that place: keys, associated data and signature (Docs/Formats.md §2).
struct RecordContext {
  private let vault: CBORValue
  private let slot: CBORValue

  init(vault: VaultID, slot: SlotID) {
    self.vault = .bytes(vault.bytes)
    self.slot = .bytes(slot.bytes)
  }

  /// The parts' names, which keep one part from passing for the other.
  enum Part: String {
    case attributes
    case secret
  }

  func key(
    _ part: Part, nonce: [UInt8], _ key: borrowing SymmetricKey<SealingRole>
  ) -> SymmetricKey<EncryptionRole> {
    key.derive(EncryptionRole.self, "lockstep/record/1", [.text(part.rawValue), vault, slot, .bytes(nonce)])
  }

  func commitment(nonce: [UInt8], _ key: borrowing SymmetricKey<SealingRole>) -> [UInt8] {
    key.authenticate("lockstep/record/1", [.text("commitment"), vault, slot, .bytes(nonce)])
  }

  static let partContext = "lockstep/record-part/1"

  func attributesInputs(header: [UInt8]) -> [CBORValue] {
    [.text(Part.attributes.rawValue), vault, slot, .bytes(header)]
  }

  /// The secret part is bound to its attributes part: neither can be exchanged for one of another record.
  func secretInputs(header: [UInt8], attributesPart: [UInt8]) -> [CBORValue] {
    let hash = Digest.hash("lockstep/attributes-part/1", [.bytes(attributesPart)])
    return [.text(Part.secret.rawValue), vault, slot, .bytes(header), .bytes(hash)]
  }

  static let signatureContext = "lockstep/record-signature/1"

  func signatureInputs(header: [UInt8], attributesPart: [UInt8], secretPart: [UInt8]) -> [CBORValue] {
    let body = Digest.hash("lockstep/record-body/1", [.bytes(header), .bytes(attributesPart), .bytes(secretPart)])
    return [vault, slot, .bytes(body)]
  }
}
