internal import CBOR
public import RelayWire
public import VaultCrypto

/// The salt of a name commitment.
public enum NameSaltRole: KeyRole {}

/// Names of devices and recovery keys: sealed for members, committed to in the chain (Docs/Formats.md §4).
public enum SealedName {
  /// A fresh salt.
  public static func randomSalt() -> [UInt8] { Randomness.bytes(ChainLimits.idBytes) }

  /// The commitment to a name; `malformed` if the salt has not 32 bytes.
  public static func commitment(_ text: String, salt: [UInt8]) throws(MembershipError) -> [UInt8] {
    guard text.utf8.count <= ChainLimits.nameBytes else { throw .nameTooLong }
    guard salt.count == ChainLimits.idBytes else { throw .malformed }
    var salt = salt
    do {
      return try SymmetricKey<NameSaltRole>(consuming: &salt).authenticate("lockstep/name-commitment/1", [.text(text)])
    } catch {
      throw .malformed
    }
  }

  /// Seals a name for the device or recovery key `id` under the newest C key.
  public static func seal(
    _ text: String, salt: [UInt8] = randomSalt(), for id: [UInt8], _ keyring: KeyringC
  ) throws(MembershipError) -> ChainName {
    let commitment = try commitment(text, salt: salt)
    let epoch = keyring.epoch
    guard let key = keyring.keys.key(epoch: epoch) else { throw .missingKey(epoch: epoch) }
    let plaintext: CBORValue = [.bytes(salt), .text(text)]
    let nonce = Randomness.bytes(ChainLimits.nonceBytes)
    let sealed = encryptionKey(key, id).encrypt(
      Padding.pad(plaintext.encoded), nonce: nonce, context, associated(id, epoch, commitment))
    return ChainName(commitment: commitment, epoch: epoch, nonce: nonce, sealed: sealed)
  }

  /// The name of the device or recovery key `id`.
  public static func open(_ name: ChainName, for id: [UInt8], _ keyring: KeyringC) throws(MembershipError) -> String {
    guard let key = keyring.keys.key(epoch: name.epoch) else { throw .missingKey(epoch: name.epoch) }
    let padded: [UInt8]
    do {
      padded = try encryptionKey(key, id).decrypt(
        name.sealed, nonce: name.nonce, context, associated(id, name.epoch, name.commitment))
    } catch {
      throw .notAuthentic
    }
    let text: String
    let salt: [UInt8]
    do {
      var reader = CBORReader(try Padding.unpad(padded))
      try reader.array(2)
      salt = try reader.byteString(ChainLimits.idBytes)
      text = try reader.text(atMost: ChainLimits.nameBytes)
      try reader.end()
    } catch {
      throw .malformed
    }
    guard constantTimeEqual(try commitment(text, salt: salt), name.commitment) else { throw .wrongCommitment }
    return text
  }

  private static let context = "lockstep/name/1"

  private static func encryptionKey(
    _ key: SharedKey<SealingRole>, _ id: [UInt8]
  ) -> SymmetricKey<EncryptionRole> {
    key.key.derive(EncryptionRole.self, context, [.bytes(id)])
  }

  private static func associated(_ id: [UInt8], _ epoch: UInt64, _ commitment: [UInt8]) -> [CBORValue] {
    [.bytes(id), .unsigned(epoch), .bytes(commitment)]
  }
}
