internal import CBOR
public import VaultCrypto
public import VaultModel

/// Makes sealed records (Docs/Formats.md §2).
public enum RecordSealer {
  /// Seals `item` with fresh keys: two records of one item share nothing.
  ///
  /// `author` is nil if and only if `keyID` is a key of this device. Fails with `malformed` if the item is not what
  /// `ItemState.check` allows, and with `tooLarge` beyond the limits.
  public static func seal(
    _ item: ItemState, vault: VaultID, slot: SlotID, keyID: SealingKeyID, key: borrowing SymmetricKey<SealingRole>,
    author: RecordAuthor?
  ) throws(RecordError) -> SealedRecord {
    guard keyID.isValid, (keyID.epoch == nil) == (author == nil), author?.head.count ?? 32 == 32 else {
      throw .malformed
    }
    let context = RecordContext(vault: vault, slot: slot)
    let nonce = Randomness.bytes(SymmetricKey<EncryptionRole>.nonceLength)
    let header = RecordHeader(
      keyID: keyID, author: author?.device, head: author?.head ?? [], nonce: nonce,
      commitment: context.commitment(nonce: nonce, key))
    let encodedHeader = header.encoded

    let attributes = Padding.pad(try ItemCoding.attributes(of: item))
    let attributesPart = context.key(.attributes, nonce: nonce, key).encrypt(
      attributes, nonce: nonce, RecordContext.partContext, context.attributesInputs(header: encodedHeader))

    var secret = try ItemCoding.secret(of: item)
    var paddedSecret = Padding.pad(secret)
    wipe(&secret)
    let secretPart = context.key(.secret, nonce: nonce, key).encrypt(
      paddedSecret, nonce: nonce, RecordContext.partContext,
      context.secretInputs(header: encodedHeader, attributesPart: attributesPart))
    wipe(&paddedSecret)

    let signature =
      author?.signer.key.sign(
        RecordContext.signatureContext,
        context.signatureInputs(header: encodedHeader, attributesPart: attributesPart, secretPart: secretPart)) ?? []
    var writer = CBORWriter(capacity: encodedHeader.count + attributesPart.count + secretPart.count + 96)
    writer.array(SealedRecord.elementCount)
    header.writeElements(to: &writer)
    writer.byteString(attributesPart)
    writer.byteString(secretPart)
    writer.byteString(signature)
    return try SealedRecord(decoding: writer.bytes)
  }
}
