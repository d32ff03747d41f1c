internal import CBOR
public import VaultCrypto
public import VaultModel

/// A sealed and signed checkpoint (Docs/Formats.md §7). Well formed; `open` verifies.
public struct Checkpoint: Hashable, Sendable {
  /// The longest checkpoint.
  public static let maximumLength = 1 << 20

  /// Who made it.
  public let author: DeviceID
  /// The epoch of the C key that seals it, from 1 on.
  public let epoch: UInt64
  /// Its bytes.
  public let bytes: [UInt8]
  private let nonce: [UInt8]
  private let ciphertext: [UInt8]
  private let signature: [UInt8]

  /// Reads a checkpoint strictly; nothing is verified.
  public init(decoding bytes: [UInt8]) throws(RecordError) {
    self = try decodingStrictly(bytes, atMost: Self.maximumLength) { reader in
      try Checkpoint(reading: &reader, bytes)
    }
  }

  private init(reading reader: inout CBORReader, _ bytes: [UInt8]) throws {
    try reader.message(6)
    guard let author = DeviceID(try reader.byteString(32)) else { throw RecordError.malformed }
    self.author = author
    epoch = try reader.unsigned()
    nonce = try reader.byteString(SymmetricKey<EncryptionRole>.nonceLength)
    ciphertext = try reader.byteString()
    signature = try reader.byteString(Signature.length)
    guard epoch > 0, ciphertext.count >= Padding.minimum + SymmetricKey<EncryptionRole>.tagLength else {
      throw RecordError.malformed
    }
    self.bytes = bytes
  }

  /// Seals `contents` under the C key of `epoch` and signs them.
  public static func seal(
    _ contents: CheckpointContents, vault: VaultID, epoch: UInt64, key: borrowing SymmetricKey<SealingRole>,
    author: DeviceID, signer: PushSigner
  ) throws(RecordError) -> Checkpoint {
    // Whatever a reader would refuse must not be published.
    let encoded = contents.encoded
    guard try CheckpointContents(decoding: encoded) == contents else { throw .malformed }
    let nonce = Randomness.bytes(SymmetricKey<EncryptionRole>.nonceLength)
    let ciphertext = encryptionKey(author, key).encrypt(
      Padding.pad(encoded), nonce: nonce, context, associated(vault, author, epoch))
    let signature = signer.key.sign(
      signatureContext, signatureInputs(vault, author, epoch, nonce: nonce, ciphertext: ciphertext))
    let value: CBORValue = [
      1, .bytes(author.bytes), .unsigned(epoch), .bytes(nonce), .bytes(ciphertext), .bytes(signature),
    ]
    return try Checkpoint(decoding: value.encoded)
  }

  /// Checks that the author's push-signing key signed it for this vault.
  public func verifySignature(vault: VaultID, pushSigningKey: [UInt8]) throws(RecordError) {
    let inputs = Self.signatureInputs(vault, author, epoch, nonce: nonce, ciphertext: ciphertext)
    guard Signature.isValid(signature, by: pushSigningKey, Self.signatureContext, inputs) else {
      throw .wrongSignature
    }
  }

  /// Verifies the signature, then opens it with the C key of `epoch`.
  public func open(
    vault: VaultID, pushSigningKey: [UInt8], key: borrowing SymmetricKey<SealingRole>
  ) throws(RecordError) -> CheckpointContents {
    try verifySignature(vault: vault, pushSigningKey: pushSigningKey)
    let encoded: [UInt8]
    do {
      encoded = try Padding.unpad(
        Self.encryptionKey(author, key).decrypt(
          ciphertext, nonce: nonce, Self.context, Self.associated(vault, author, epoch)))
    } catch {
      throw .notAuthentic
    }
    return try CheckpointContents(decoding: encoded)
  }

  private static let context = "lockstep/checkpoint/1"
  private static let signatureContext = "lockstep/checkpoint-signature/1"

  private static func encryptionKey(
    _ author: DeviceID, _ key: borrowing SymmetricKey<SealingRole>
  ) -> SymmetricKey<EncryptionRole> {
    key.derive(EncryptionRole.self, context, [.bytes(author.bytes)])
  }

  private static func associated(_ vault: VaultID, _ author: DeviceID, _ epoch: UInt64) -> [CBORValue] {
    [.bytes(vault.bytes), .bytes(author.bytes), .unsigned(epoch)]
  }

  private static func signatureInputs(
    _ vault: VaultID, _ author: DeviceID, _ epoch: UInt64, nonce: [UInt8], ciphertext: [UInt8]
  ) -> [CBORValue] {
    let body = Digest.hash("lockstep/checkpoint-body/1", [.bytes(ciphertext)])
    return associated(vault, author, epoch) + [.bytes(nonce), .bytes(body)]
  }
}
