internal import CBOR
internal import DeviceChain
public import RelayWire
internal import VaultCrypto
public import VaultModel

/// What a joining device leaves in the mailbox: its public keys, its name and its own signature (Docs/Formats.md §6).
public struct PairingRequest: Sendable, Equatable {
  /// The four public keys.
  public let device: DevicePublicKeys
  /// The name that the device gives itself; written by somebody else, so escape it when it is shown.
  public let name: String
  /// The salt of the name's commitment.
  public let nameSalt: [UInt8]
  /// The device's signature over vault, keys, name and mailbox.
  public let joinSignature: [UInt8]
  /// The message, as it lies in the mailbox.
  public let encoded: [UInt8]

  /// The longest message.
  public static let limit = 4 * 1024

  /// The id that the device will have.
  public var deviceID: DeviceID { DeviceID(of: device) }

  /// Makes the request of the device with these keys.
  public init(_ keys: DeviceKeys, name: String, _ secret: PairingSecret) throws(MembershipError) {
    device = keys.publicKeys
    self.name = name
    nameSalt = SealedName.randomSalt()
    joinSignature = ChainSigning.signJoin(
      device: device, vaultID: secret.vault.bytes, nameCommitment: try SealedName.commitment(name, salt: nameSalt),
      mailbox: secret.mailbox, keys.a.chainSigning)
    let contents: CBORValue = [1, device.value, .text(name), .bytes(nameSalt), .bytes(joinSignature)]
    encoded = try Self.message(secret).seal(contents.encoded, secret.key("request"))
  }

  /// Opens a request that came through the relay. Its join signature is checked: whoever made it owns the keys.
  public init(opening bytes: [UInt8], _ secret: PairingSecret) throws(MembershipError) {
    let contents = try Self.message(secret).open(bytes, secret.key("request"))
    do {
      var reader = CBORReader(contents)
      try reader.array(5)
      guard try reader.unsigned() == 1 else { throw CBORError.outOfRange }
      device = try DevicePublicKeys(reading: &reader)
      name = try reader.text(atMost: ChainLimits.nameBytes)
      nameSalt = try reader.byteString(ChainLimits.idBytes)
      joinSignature = try reader.byteString(ChainLimits.signatureBytes)
      try reader.end()
    } catch {
      throw .malformed
    }
    encoded = bytes
    let commitment = try SealedName.commitment(name, salt: nameSalt)
    guard
      ChainSigning.isValidJoin(
        joinSignature, device: device, vaultID: secret.vault.bytes, nameCommitment: commitment, mailbox: secret.mailbox)
    else { throw .notAuthentic }
  }

  private static func message(_ secret: PairingSecret) -> PairingMessage {
    PairingMessage(context: "lockstep/pairing-request/1", inputs: [.bytes(secret.vault.bytes)], limit: limit)
  }

  /// Binds an answer to this very message.
  var hash: [UInt8] { Digest.hash("lockstep/pairing-request/1", [.bytes(encoded)]) }
}
