public import RelayWire
public import VaultCrypto
internal import CBOR

/// The two signatures of a chain entry (Docs/Formats.md §4): over its content, and a joining device's.
public enum ChainSigning {
  private static let contentContext = "lockstep/chain-signature/1"
  private static let joinContext = "lockstep/join/1"

  /// The mailbox of a device that joins without a pairing: recovered, or replacing another.
  public static let noMailbox = RequiredSigner.noMailbox

  /// A device's signature over a content.
  public static func sign(content: [UInt8], _ key: borrowing SigningKey<ChainSigningRole>) -> [UInt8] {
    key.sign(contentContext, [.bytes(content)])
  }

  /// A recovery key's signature over a content.
  public static func sign(content: [UInt8], _ key: borrowing SigningKey<RecoverySigningRole>) -> [UInt8] {
    key.sign(contentContext, [.bytes(content)])
  }

  /// A joining device's signature. It cannot name the head, which the device does not know yet.
  public static func signJoin(
    device: DevicePublicKeys, vaultID: [UInt8], nameCommitment: [UInt8], mailbox: [UInt8],
    _ key: borrowing SigningKey<ChainSigningRole>
  ) -> [UInt8] {
    key.sign(joinContext, joinInputs(device, vaultID, nameCommitment, mailbox))
  }

  /// Checks a signature over a content.
  public static func isValid(_ signature: [UInt8], by publicKey: [UInt8], content: [UInt8]) -> Bool {
    Signature.isValid(signature, by: publicKey, contentContext, [.bytes(content)])
  }

  /// Checks a joining device's signature against its own chain-signing key.
  public static func isValidJoin(
    _ signature: [UInt8], device: DevicePublicKeys, vaultID: [UInt8], nameCommitment: [UInt8], mailbox: [UInt8]
  ) -> Bool {
    Signature.isValid(
      signature, by: device.chainSigning, joinContext, joinInputs(device, vaultID, nameCommitment, mailbox))
  }

  private static func joinInputs(
    _ device: DevicePublicKeys, _ vaultID: [UInt8], _ nameCommitment: [UInt8], _ mailbox: [UInt8]
  ) -> [CBORValue] {
    [.bytes(vaultID), device.value, .bytes(nameCommitment), .bytes(mailbox)]
  }
}
