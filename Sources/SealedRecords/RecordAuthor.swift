public import VaultCrypto
public import VaultModel

/// The push-signing key of this device in one vault, held by all who sign with it.
public typealias PushSigner = SharedSigningKey<PushSigningRole>

/// Who writes a vault's record.
public struct RecordAuthor: Sendable {
  /// The device.
  public let device: DeviceID
  /// The hash of the newest chain entry that it knows, 32 bytes.
  public let head: [UInt8]
  /// Its push-signing key.
  public let signer: PushSigner

  /// The author `device` at chain head `head`.
  public init(device: DeviceID, head: [UInt8], signer: PushSigner) {
    self.device = device
    self.head = head
    self.signer = signer
  }
}
