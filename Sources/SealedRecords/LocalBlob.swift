internal import CBOR
public import VaultCrypto
public import VaultModel

/// Secrets of a vault that only this device holds, sealed by one of its class keys (Docs/Formats.md §9).
public enum LocalBlob {
  /// The longest blob.
  public static let maximumLength = 16 << 20

  /// What a blob is for, and the class whose key seals it.
  public struct Purpose: Hashable, Sendable {
    /// The name that is authenticated.
    public let text: String
    /// The class.
    public let protectionClass: ProtectionClass

    /// Chain-signing seed, exchange-A seed and the contents of keyring A.
    public static let vaultA = Purpose("vault A", .whenUnlocked)
    /// Push-signing seed, exchange-C seed and the contents of keyring C.
    public static let vaultC = Purpose("vault C", .afterFirstUnlock)

    /// A purpose; every one is named in Docs/Formats.md §9.
    public init(_ text: String, _ protectionClass: ProtectionClass) {
      self.text = text
      self.protectionClass = protectionClass
    }
  }

  /// Seals `contents`, which the caller wipes.
  public static func seal(
    _ contents: [UInt8], _ purpose: Purpose, vault: VaultID, classKey: borrowing SymmetricKey<SealingRole>
  ) throws(RecordError) -> [UInt8] {
    let nonce = Randomness.bytes(SymmetricKey<EncryptionRole>.nonceLength)
    let inputs = inputs(purpose, vault)
    let key = classKey.derive(EncryptionRole.self, context, inputs)
    var writer = CBORWriter(capacity: contents.count + 64)
    writer.array(4)
    writer.unsigned(1)
    writer.unsigned(UInt64(purpose.protectionClass.rawValue))
    writer.byteString(nonce)
    writer.byteString(key.encrypt(contents, nonce: nonce, context, inputs))
    guard writer.bytes.count <= maximumLength else { throw .tooLarge }
    return writer.bytes
  }

  /// Opens a blob; the caller wipes the result.
  public static func open(
    _ blob: [UInt8], _ purpose: Purpose, vault: VaultID, classKey: borrowing SymmetricKey<SealingRole>
  ) throws(RecordError) -> [UInt8] {
    let (protectionClass, nonce, ciphertext) = try decodingStrictly(blob, atMost: maximumLength) { reader in
      try reader.message(4)
      return (
        try ProtectionClass(reading: &reader), try reader.byteString(SymmetricKey<EncryptionRole>.nonceLength),
        try reader.byteString()
      )
    }
    guard protectionClass == purpose.protectionClass else { throw .malformed }
    let inputs = inputs(purpose, vault)
    let key = classKey.derive(EncryptionRole.self, context, inputs)
    do {
      return try key.decrypt(ciphertext, nonce: nonce, context, inputs)
    } catch {
      throw .notAuthentic
    }
  }

  private static let context = "lockstep/local-blob/1"

  private static func inputs(_ purpose: Purpose, _ vault: VaultID) -> [CBORValue] {
    [.text(purpose.text), .bytes(vault.bytes)]
  }
}
