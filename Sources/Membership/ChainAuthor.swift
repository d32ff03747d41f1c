internal import CBOR
public import DeviceChain
public import RelayWire
internal import VaultCrypto
public import VaultModel

/// Who signs an entry first.
public enum ChainSigner: Sendable {
  /// An unlocked device.
  case device(DeviceKeysA)
  /// A recovery key.
  case recoveryKey(RecoveryIdentity)

  var id: [UInt8] {
    switch self {
    case .device(let keys): keys.device.bytes
    case .recoveryKey(let identity): identity.id
    }
  }

  func sign(_ content: [UInt8]) -> ChainSignature {
    switch self {
    case .device(let keys):
      ChainSignature(
        kind: .device, signer: keys.device.bytes,
        signature: ChainSigning.sign(content: content, keys.chainSigning))
    case .recoveryKey(let identity):
      ChainSignature(
        kind: .recoveryKey, signer: identity.id, signature: ChainSigning.sign(content: content, identity.signing))
    }
  }
}

/// An entry that was made here and holds every rule: it was verified like anybody's.
public struct AuthoredEntry: Sendable, Equatable {
  /// The entry, as it is sent.
  public let encoded: [UInt8]
  /// The chain after it.
  public let state: ChainState
}

/// Makes signed entries. Each is verified against the state that it extends before it is given out, so a rule that an entry would
/// break is heard here and not from the relay.
public enum ChainAuthor {
  /// A `revoke` and rotation: `a` and `c` are the rotated keyrings. The devices are named by id; their successors go with them.
  public static func revoke(
    _ state: ChainState, devices: [DeviceID] = [], recoveryKeys: [[UInt8]] = [], _ a: KeyringA, _ c: KeyringC,
    _ position: FeedPosition, by signer: ChainSigner, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    let epoch = state.epoch + 1
    guard let keyA = a.keys.key(epoch: epoch), let keyC = c.keys.key(epoch: epoch) else {
      throw .missingKey(epoch: epoch)
    }
    let removed = Set(devices.flatMap { [$0.bytes] + state.successors(of: $0.bytes) })
    let body = RevokeBody(
      devices: Set(devices).sorted().map(\.bytes),
      recoveryKeys: Set(recoveryKeys).sorted { $0.lexicographicallyPrecedes($1) },
      epoch: epoch,
      commitments: EpochCommitments(
        a: KeyCommitment.a(keyA, salt: state.salt, epoch: epoch),
        c: KeyCommitment.c(keyC, salt: state.salt, epoch: epoch)),
      recipients: state.activeDevices.map(\.id).filter { !removed.contains($0) },
      recoveryRecipients: state.activeRecoveryKeys.map(\.id).filter { !recoveryKeys.contains($0) },
      position: position)
    return try extend(state, .revoke(body), signer, time: time)
  }

  /// A device's new role.
  public static func setRole(
    _ state: ChainState, of device: DeviceID, to role: DeviceRole, _ position: FeedPosition, by admin: DeviceKeysA,
    time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    let body = SetRoleBody(device: device.bytes, role: role, position: position)
    return try extend(state, .setRole(body), .device(admin), time: time)
  }

  /// A device's wish to be removed.
  public static func leave(
    _ state: ChainState, _ keys: DeviceKeysA, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    try extend(state, .leave, .device(keys), time: time)
  }

  /// The installation of a recovery key. `c` seals its name.
  public static func setRecovery(
    _ state: ChainState, _ identity: RecoveryIdentity, name: String, _ c: KeyringC, by admin: DeviceKeysA, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    let recovery = identity.publicKeys(
      salt: state.salt, name: try SealedName.seal(name, for: identity.id, c))
    return try extend(state, .setRecovery(recovery), .device(admin), and: [.recoveryKey(identity)], time: time)
  }

  /// The end of resealing under `epoch`.
  public static func resealDone(
    _ state: ChainState, epoch: UInt64, by admin: DeviceKeysA, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    try extend(state, .resealDone(epoch: epoch), .device(admin), time: time)
  }

  static func extend(
    _ state: ChainState, _ body: ChainBody, _ author: ChainSigner, and others: [ChainSigner] = [],
    joining: ChainSignature? = nil, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    let content = ChainContent(
      vaultID: state.vaultID, number: state.length, previous: state.head, time: time, author: author.id, body: body)
    let bytes = content.encoded
    let signatures = ([author] + others).map { $0.sign(bytes) } + (joining.map { [$0] } ?? [])
    let entry = ChainEntry(content: content, signatures: signatures)
    let encoded = entry.encoded
    do {
      // Through the bytes, so that the limits of form are checked too.
      return AuthoredEntry(encoded: encoded, state: try state.applying(encoded))
    } catch {
      throw .chain(error)
    }
  }
}
