internal import CBOR
public import DeviceChain
public import RelayWire
internal import VaultCrypto
internal import VaultModel

/// What an inviter answers (Docs/Formats.md §6). It is bound to the request that it answers.
public enum PairingAnswer: Sendable, Equatable {
  /// The inviter said no.
  case refused
  /// The device is in the chain.
  case approved(Approval)

  /// What an approved device gets.
  public struct Approval: Sendable, Equatable {
    /// The role it was given.
    public let role: DeviceRole
    /// The hash of its add-device entry.
    public let head: [UInt8]
    /// The number of that entry.
    public let number: UInt64
    /// Its keyring A.
    public let keyringA: SealedKeyring
    /// Its keyring C.
    public let keyringC: SealedKeyring
    /// The inviter's checkpoint; may be empty.
    public let checkpoint: [UInt8]

    /// An approval.
    public init(
      role: DeviceRole, head: [UInt8], number: UInt64, keyringA: SealedKeyring, keyringC: SealedKeyring,
      checkpoint: [UInt8]
    ) {
      self.role = role
      self.head = head
      self.number = number
      self.keyringA = keyringA
      self.keyringC = keyringC
      self.checkpoint = checkpoint
    }

    /// Whether the verified chain holds the entry that the inviter named, and it is the one that added `device`. The role may
    /// have changed since.
    public func isConfirmed(by state: ChainState, for device: DevicePublicKeys) -> Bool {
      state.number(ofHead: head) == number && state.device(ChainHash.deviceID(device))?.entryNumber == number
    }
  }

  /// The longest message.
  public static let limit = 1024 * 1024

  /// Seals this answer to `request`.
  public func sealed(to request: PairingRequest, _ secret: PairingSecret) throws(MembershipError) -> [UInt8] {
    var contents: CBORValue = [1, 0, 0, .bytes([]), 0, .bytes([]), .bytes([]), .bytes([])]
    if case .approved(let approval) = self {
      contents = [
        1, 1, .unsigned(approval.role.rawValue), .bytes(approval.head), .unsigned(approval.number),
        .bytes(approval.keyringA.encoded), .bytes(approval.keyringC.encoded), .bytes(approval.checkpoint),
      ]
    }
    return try Self.message(request, secret).seal(contents.encoded, secret.key("answer"))
  }

  /// Opens the answer to one's own `request`.
  public init(opening bytes: [UInt8], to request: PairingRequest, _ secret: PairingSecret) throws(MembershipError) {
    let contents = try Self.message(request, secret).open(bytes, secret.key("answer"))
    do {
      self = try PairingAnswer(contents: contents)
    } catch {
      throw .malformed
    }
  }

  private init(contents: [UInt8]) throws(CBORError) {
    var reader = CBORReader(contents)
    try reader.array(8)
    guard try reader.unsigned() == 1 else { throw .outOfRange }
    guard try reader.unsigned(atMost: 1) == 1 else {
      for length in [nil, 0, nil, 0, 0, 0] as [Int?] {
        if let length { _ = try reader.byteString(length) } else { _ = try reader.unsigned(atMost: 0) }
      }
      try reader.end()
      self = .refused
      return
    }
    guard let role = DeviceRole(rawValue: try reader.unsigned()) else { throw .outOfRange }
    let head = try reader.byteString(ChainLimits.idBytes)
    let number = try reader.unsigned(atMost: ChainLimits.entries - 1)
    guard number > 0 else { throw .outOfRange }
    let keyringA = try SealedKeyring(decoding: try reader.byteString())
    let keyringC = try SealedKeyring(decoding: try reader.byteString())
    let checkpoint = try reader.byteString()
    try reader.end()
    self = .approved(
      Approval(
        role: role, head: head, number: number, keyringA: keyringA, keyringC: keyringC, checkpoint: checkpoint))
  }

  private static func message(_ request: PairingRequest, _ secret: PairingSecret) -> PairingMessage {
    PairingMessage(
      context: "lockstep/pairing-answer/1", inputs: [.bytes(secret.vault.bytes), .bytes(request.hash)], limit: limit)
  }
}
