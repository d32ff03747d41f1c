internal import CBOR
public import VaultCrypto
public import VaultModel

/// Verifies and opens sealed records (Docs/Formats.md §2). The order is: form (`SealedRecord`), signature, commitment,
/// decryption; a vault's record is not opened before `verifySignature` accepted it.
public enum RecordOpener {
  /// Checks that the author's push-signing key signed this record for this place. A device-only record has no signature
  /// and fails.
  public static func verifySignature(
    _ record: SealedRecord, vault: VaultID, slot: SlotID, pushSigningKey: [UInt8]
  ) throws(RecordError) {
    let inputs = RecordContext(vault: vault, slot: slot).signatureInputs(
      header: record.header.encoded, attributesPart: record.attributesPart, secretPart: record.secretPart)
    guard Signature.isValid(record.signature, by: pushSigningKey, RecordContext.signatureContext, inputs) else {
      throw .wrongSignature
    }
  }

  /// Opens the attributes part alone: what listing and matching need. The secret part is not looked at.
  public static func openAttributes(
    _ record: SealedRecord, vault: VaultID, slot: SlotID, key: borrowing SymmetricKey<SealingRole>
  ) throws(RecordError) -> ItemAttributes {
    let header = record.header
    let context = RecordContext(vault: vault, slot: slot)
    // Before decrypting: under a key that was not committed to, a ciphertext could be made to open for two keys.
    guard constantTimeEqual(header.commitment, context.commitment(nonce: header.nonce, key)) else {
      throw .notAuthentic
    }
    let attributes: [UInt8]
    do {
      attributes = try Padding.unpad(
        context.key(.attributes, nonce: header.nonce, key).decrypt(
          record.attributesPart, nonce: header.nonce, RecordContext.partContext,
          context.attributesInputs(header: header.encoded)))
    } catch {
      throw .notAuthentic
    }
    return try ItemCoding.decodeAttributes(attributes)
  }

  /// Opens both parts.
  public static func open(
    _ record: SealedRecord, vault: VaultID, slot: SlotID, key: borrowing SymmetricKey<SealingRole>
  ) throws(RecordError) -> ItemState {
    let attributes = try openAttributes(record, vault: vault, slot: slot, key: key)
    let header = record.header
    let context = RecordContext(vault: vault, slot: slot)
    var padded: [UInt8]
    var secret: [UInt8]
    do {
      padded = try context.key(.secret, nonce: header.nonce, key).decrypt(
        record.secretPart, nonce: header.nonce, RecordContext.partContext,
        context.secretInputs(header: header.encoded, attributesPart: record.attributesPart))
      secret = try Padding.unpad(padded)
    } catch {
      throw .notAuthentic
    }
    defer {
      wipe(&padded)
      wipe(&secret)
    }
    return try ItemCoding.decodeItem(attributes, secret: secret)
  }
}
