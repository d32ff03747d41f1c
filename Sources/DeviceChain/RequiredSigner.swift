internal import CBOR
internal import RelayWire
internal import VaultCrypto

/// A signature that an entry must carry.
enum RequiredSigner {
  case device(_ id: [UInt8], _ key: [UInt8])
  case recoveryKey(_ id: [UInt8], _ key: [UInt8])
  case joiningDevice(DevicePublicKeys, _ nameCommitment: [UInt8], mailbox: [UInt8])

  /// The mailbox of a device that joins without a pairing.
  static let noMailbox = [UInt8](repeating: 0, count: ChainLimits.idBytes)

  var kind: ChainSignature.Kind {
    switch self {
    case .device: .device
    case .recoveryKey: .recoveryKey
    case .joiningDevice: .joiningDevice
    }
  }

  var id: [UInt8] {
    switch self {
    case .device(let id, _), .recoveryKey(let id, _): id
    case .joiningDevice(let keys, _, _): ChainHash.deviceID(keys)
    }
  }

  func accepts(_ signature: [UInt8], content: [UInt8], vaultID: [UInt8]) -> Bool {
    switch self {
    case .device(_, let key), .recoveryKey(_, let key):
      ChainSigning.isValid(signature, by: key, content: content)
    case .joiningDevice(let keys, let commitment, let mailbox):
      ChainSigning.isValidJoin(signature, device: keys, vaultID: vaultID, nameCommitment: commitment, mailbox: mailbox)
    }
  }
}

extension ChainState {
  /// Checks that exactly these signed, in this order, and that the first is the author that the content names.
  static func verify(_ entry: ChainEntry, by required: [RequiredSigner], vaultID: [UInt8]) throws(ChainError) {
    guard entry.signatures.count == required.count, required.first?.id == entry.content.author else {
      throw .wrongSigners
    }
    for (signature, signer) in zip(entry.signatures, required) {
      guard signature.kind == signer.kind, signature.signer == signer.id else { throw .wrongSigners }
      guard signer.accepts(signature.signature, content: entry.contentBytes, vaultID: vaultID) else {
        throw .wrongSignature
      }
    }
  }

  func verify(_ entry: ChainEntry, by required: [RequiredSigner]) throws(ChainError) {
    try ChainState.verify(entry, by: required, vaultID: vaultID)
  }

  /// The active device that signs first.
  func activeSigner(_ entry: ChainEntry) throws(ChainError) -> ChainDevice {
    guard let first = entry.signatures.first, first.kind == .device else { throw .wrongSigners }
    guard let device = devices[first.signer] else { throw .unknownSigner }
    guard device.isActive else { throw .signerNotActive }
    return device
  }

  /// The active admin that signs first.
  func admin(_ entry: ChainEntry) throws(ChainError) -> RequiredSigner {
    let device = try activeSigner(entry)
    guard device.role == .admin else { throw .signerNotAdmin }
    return .device(device.id, device.keys.chainSigning)
  }

  /// The active admin or recovery key that signs first.
  func adminOrRecoveryKey(_ entry: ChainEntry) throws(ChainError) -> RequiredSigner {
    guard let first = entry.signatures.first, first.kind == .recoveryKey else { return try admin(entry) }
    guard let recovery = recoveryKeys[first.signer] else { throw .unknownSigner }
    guard recovery.isActive else { throw .signerNotActive }
    return .recoveryKey(recovery.id, recovery.keys.signing)
  }
}
