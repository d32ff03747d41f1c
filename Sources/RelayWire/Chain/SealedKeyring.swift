public import CBOR

/// A keyring as the relay holds it: `keyring` of Docs/Formats.md §3. Only its recipient can open it.
public struct SealedKeyring: Sendable, Hashable {
  /// Which keys are inside.
  public enum Kind: UInt64, Sendable, Hashable {
    /// The A keys and the recovery keys' pre-shared keys.
    case a = 1
    /// The C keys, the slot key and the set-hash key.
    case c = 3
  }

  /// What key, beside the recipient's own, is needed to open it.
  public enum Wrap: UInt64, Sendable, Hashable {
    /// The previous epoch's key of the same kind.
    case previousEpoch = 0
    /// The secret of a pairing.
    case pairing = 1
    /// The pre-shared key of the recovery key that is the recipient.
    case recoveryKey = 2
  }

  /// Which keys are inside.
  public let kind: Kind
  /// The vault.
  public let vaultID: [UInt8]
  /// The newest epoch inside.
  public let epoch: UInt64
  /// A device id, or a recovery id under `Wrap.recoveryKey`.
  public let recipient: [UInt8]
  /// What else opens it.
  public let wrap: Wrap
  /// The nonce of the outer encryption.
  public let nonce: [UInt8]
  /// The sealed box inside XChaCha20-Poly1305.
  public let ciphertext: [UInt8]

  /// A keyring.
  public init(
    kind: Kind, vaultID: [UInt8], epoch: UInt64, recipient: [UInt8], wrap: Wrap, nonce: [UInt8], ciphertext: [UInt8]
  ) {
    self.kind = kind
    self.vaultID = vaultID
    self.epoch = epoch
    self.recipient = recipient
    self.wrap = wrap
    self.nonce = nonce
    self.ciphertext = ciphertext
  }

  /// Reads [1, kind, vault id, epoch, recipient, wrap, nonce, ciphertext].
  public init(decoding bytes: [UInt8]) throws(CBORError) {
    var reader = CBORReader(bytes)
    try reader.array(8)
    guard try reader.unsigned() == 1, let kind = Kind(rawValue: try reader.unsigned()) else { throw .outOfRange }
    self.kind = kind
    vaultID = try reader.byteString(ChainLimits.idBytes)
    epoch = try reader.unsigned()
    recipient = try reader.byteString(ChainLimits.idBytes)
    guard let wrap = Wrap(rawValue: try reader.unsigned()) else { throw .outOfRange }
    self.wrap = wrap
    // Epoch 1 has no previous one whose key could wrap.
    guard epoch >= (wrap == .previousEpoch ? 2 : 1) else { throw .outOfRange }
    nonce = try reader.byteString(ChainLimits.nonceBytes)
    ciphertext = try reader.byteString()
    guard ciphertext.count <= ChainLimits.keyringCiphertextBytes else { throw .outOfRange }
    try reader.end()
  }

  /// The keyring, as it is sent and stored.
  public var encoded: [UInt8] {
    let value: CBORValue = [
      1, .unsigned(kind.rawValue), .bytes(vaultID), .unsigned(epoch), .bytes(recipient), .unsigned(wrap.rawValue),
      .bytes(nonce), .bytes(ciphertext),
    ]
    return value.encoded
  }
}
