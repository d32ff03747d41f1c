internal import CBOR
public import DeviceChain
public import RelayWire
internal import VaultCrypto

/// Seals keyrings to their recipients. Who seals one does not matter: it counts if its keys match the chain's commitments.
public enum Keyring {
  /// A keyring A for a member.
  public static func seal(
    _ keyring: KeyringA, to device: ChainDevice, _ wrap: KeyringWrap, _ state: ChainState
  ) throws(MembershipError) -> SealedKeyring {
    try seal(.a, keyring.exportContents(), keyring.epoch, device.id, device.keys.exchangeA, wrap, state)
  }

  /// A keyring C for a member.
  public static func seal(
    _ keyring: KeyringC, to device: ChainDevice, _ wrap: KeyringWrap, _ state: ChainState
  ) throws(MembershipError) -> SealedKeyring {
    try seal(.c, keyring.exportContents(), keyring.epoch, device.id, device.keys.exchangeC, wrap, state)
  }

  /// Both keyrings for a recovery key, whose pre-shared key must be in `a`.
  public static func seal(
    _ a: KeyringA, _ c: KeyringC, to recovery: ChainRecoveryKey, _ state: ChainState
  ) throws(MembershipError) -> [SealedKeyring] {
    guard let preShared = a.preSharedKey(of: recovery.id) else { throw .wrongRecipient }
    let wrap = KeyringWrap.recoveryKey(preShared)
    return [
      try seal(.a, a.exportContents(), a.epoch, recovery.id, recovery.keys.sealing, wrap, state),
      try seal(.c, c.exportContents(), c.epoch, recovery.id, recovery.keys.sealing, wrap, state),
    ]
  }

  /// The keyrings of a joining device.
  public static func seal(
    _ a: KeyringA, _ c: KeyringC, to device: ChainDevice, joiningBy secret: PairingSecret, _ state: ChainState
  ) throws(MembershipError) -> (a: SealedKeyring, c: SealedKeyring) {
    (try seal(a, to: device, .pairing(secret), state), try seal(c, to: device, .pairing(secret), state))
  }

  /// What a rotation hands out: keyrings of both kinds for every member, wrapped under the previous epoch's keys, and for
  /// every recovery key whose pre-shared key is held. `state` is the chain after the `revoke`; whoever installed a recovery
  /// key that is not held here seals to it later.
  public static func sealAll(
    _ a: KeyringA, _ c: KeyringC, _ state: ChainState
  ) throws(MembershipError) -> [SealedKeyring] {
    guard a.epoch == state.epoch, c.epoch == state.epoch, a.matches(state), c.matches(state) else {
      throw .wrongCommitment
    }
    guard let previousA = a.keys.key(epoch: a.epoch - 1), let previousC = c.keys.key(epoch: c.epoch - 1) else {
      throw .missingKey(epoch: state.epoch - 1)
    }
    var keyrings: [SealedKeyring] = []
    for device in state.activeDevices {
      keyrings.append(try seal(a, to: device, .previousEpoch(previousA), state))
      keyrings.append(try seal(c, to: device, .previousEpoch(previousC), state))
    }
    for recovery in state.activeRecoveryKeys where a.preSharedKey(of: recovery.id) != nil {
      keyrings += try seal(a, c, to: recovery, state)
    }
    return keyrings
  }

  private static func seal(
    _ kind: SealedKeyring.Kind, _ contents: consuming [UInt8], _ epoch: UInt64, _ recipient: [UInt8],
    _ publicKey: [UInt8], _ wrap: KeyringWrap, _ state: ChainState
  ) throws(MembershipError) -> SealedKeyring {
    guard wrap.kind != .previousEpoch || epoch > 1 else {
      wipe(&contents)
      throw .missingKey(epoch: 0)
    }
    let box: [UInt8]
    do throws(CryptoError) {
      box = try SealedBox.seal(contents, to: publicKey)
    } catch {
      wipe(&contents)
      throw .malformed
    }
    wipe(&contents)
    let nonce = Randomness.bytes(ChainLimits.nonceBytes)
    let key = wrap.wrappingKey(vaultID: state.vaultID, epoch: epoch, recipient: recipient)
    let header = SealedKeyring(
      kind: kind, vaultID: state.vaultID, epoch: epoch, recipient: recipient, wrap: wrap.kind, nonce: nonce,
      ciphertext: [])
    let ciphertext = key.encrypt(box, nonce: nonce, associatedContext, associatedInputs(header))
    return SealedKeyring(
      kind: kind, vaultID: state.vaultID, epoch: epoch, recipient: recipient, wrap: wrap.kind, nonce: nonce,
      ciphertext: ciphertext)
  }

  static let associatedContext = "lockstep/keyring/1"

  static func associatedInputs(_ keyring: SealedKeyring) -> [CBORValue] {
    [
      .unsigned(keyring.kind.rawValue), .bytes(keyring.vaultID), .unsigned(keyring.epoch), .bytes(keyring.recipient),
      .unsigned(keyring.wrap.rawValue),
    ]
  }
}
