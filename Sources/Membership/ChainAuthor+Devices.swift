internal import CBOR
public import DeviceChain
public import RelayWire
internal import VaultCrypto
internal import VaultModel

extension ChainAuthor {
  /// The first entry of a new vault, and with it the vault id. `a` must hold the pre-shared keys of the recovery keys.
  public static func genesis(
    _ keys: DeviceKeys, name: String, _ a: KeyringA, _ c: KeyringC,
    recovery: [(identity: RecoveryIdentity, name: String)] = [], time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    guard let keyA = a.keys.key(epoch: 1), let keyC = c.keys.key(epoch: 1) else { throw .missingKey(epoch: 1) }
    let salt = Randomness.bytes(ChainLimits.idBytes)
    var recoveryKeys: [RecoveryPublicKeys] = []
    for (identity, name) in recovery {
      recoveryKeys.append(identity.publicKeys(salt: salt, name: try SealedName.seal(name, for: identity.id, c)))
    }
    let body = GenesisBody(
      device: keys.publicKeys, name: try SealedName.seal(name, for: keys.device.bytes, c), salt: salt,
      commitments: EpochCommitments(
        a: KeyCommitment.a(keyA, salt: salt, epoch: 1), c: KeyCommitment.c(keyC, salt: salt, epoch: 1)),
      slotCommitment: KeyCommitment.slot(c.slotKey, salt: salt),
      setHashCommitment: KeyCommitment.setHash(c.setHashKey, salt: salt), recovery: recoveryKeys)
    let content = ChainContent(
      vaultID: [], number: 0, previous: [], time: time, author: keys.device.bytes, body: .genesis(body))
    let bytes = content.encoded
    let signers: [ChainSigner] = [.device(keys.a)] + recovery.map { .recoveryKey($0.identity) }
    let entry = ChainEntry(content: content, signatures: signers.map { $0.sign(bytes) })
    let encoded = entry.encoded
    do {
      return AuthoredEntry(
        encoded: encoded, state: try ChainState(genesis: encoded, vaultID: ChainHash.entry(entry)))
    } catch {
      throw .chain(error)
    }
  }

  /// Adds the device that made `request`. `c` seals its name.
  public static func addDevice(
    _ state: ChainState, _ request: PairingRequest, _ role: DeviceRole, _ secret: PairingSecret, _ c: KeyringC,
    by admin: DeviceKeysA, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    let id = request.deviceID.bytes
    let name = try SealedName.seal(request.name, salt: request.nameSalt, for: id, c)
    let body = AddDeviceBody(device: request.device, name: name, role: role, mailbox: secret.mailbox)
    let joining = ChainSignature(kind: .joiningDevice, signer: id, signature: request.joinSignature)
    return try extend(state, .addDevice(body), .device(admin), joining: joining, time: time)
  }

  /// Adds the device with `keys` by a recovery key.
  public static func recoverDevice(
    _ state: ChainState, _ keys: DeviceKeys, name: String, as role: DeviceRole = .admin, _ c: KeyringC,
    by identity: RecoveryIdentity, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    let name = try SealedName.seal(name, for: keys.device.bytes, c)
    let body = AddDeviceBody(device: keys.publicKeys, name: name, role: role, mailbox: ChainSigning.noMailbox)
    return try extend(
      state, .addDevice(body), .recoveryKey(identity), joining: joinSignature(keys, name, state), time: time)
  }

  /// Goes on under `new` keys: what a device does that finds itself to be a copy.
  public static func replaceDevice(
    _ state: ChainState, _ old: DeviceKeysA, by new: DeviceKeys, name: String, _ c: KeyringC, time: UInt64
  ) throws(MembershipError) -> AuthoredEntry {
    let name = try SealedName.seal(name, for: new.device.bytes, c)
    let body = ReplaceDeviceBody(device: new.publicKeys, name: name)
    return try extend(
      state, .replaceDevice(body), .device(old), joining: joinSignature(new, name, state), time: time)
  }

  private static func joinSignature(_ keys: DeviceKeys, _ name: ChainName, _ state: ChainState) -> ChainSignature {
    let signature = ChainSigning.signJoin(
      device: keys.publicKeys, vaultID: state.vaultID, nameCommitment: name.commitment,
      mailbox: ChainSigning.noMailbox, keys.a.chainSigning)
    return ChainSignature(kind: .joiningDevice, signer: keys.device.bytes, signature: signature)
  }
}
