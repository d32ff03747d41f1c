public import Membership
public import RelayWire
public import SealedRecords
internal import TextCoding
public import VaultCrypto
public import VaultModel

/// Reaches one open vault under the agent's lock. The engine holds the lock for short local transactions and never across a
/// request to the relay.
public protocol VaultAccess: Sendable {
  /// Runs `body` with the vault; nobody else touches it meanwhile.
  func withVault<Result: Sendable>(_ body: (OpenVault) throws -> Result) throws -> Result
  /// Milliseconds since 1970.
  var clock: UInt64 { get }
}

/// Signs requests with a device's push-signing key.
public struct DeviceRequestSigner: RequestSigner {
  /// The device id in hexadecimal digits.
  public let keyIdentifier: String
  private let signer: PushSigner

  /// For the device with this id and key.
  public init(device: DeviceID, signer: PushSigner) {
    keyIdentifier = Hex.encode(device.bytes)
    self.signer = signer
  }

  /// For a device whose vault is not stored yet.
  public init(keys: DeviceKeysC) {
    keyIdentifier = Hex.encode(keys.device.bytes)
    signer = keys.signer
  }

  /// The signature over `message`.
  public func sign(_ message: [UInt8]) -> [UInt8] { signer.key.sign(message: message) }
}
