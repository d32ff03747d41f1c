internal import CBOR
public import DeviceChain
public import RelayWire
internal import VaultCrypto
internal import VaultModel

extension Keyring {
  /// Opens a keyring A as its member. `state` is the verified chain, whose commitments every key must match.
  public static func open(
    _ sealed: SealedKeyring, _ keys: DeviceKeysA, _ wrap: KeyringWrap, _ state: ChainState
  ) throws(MembershipError) -> KeyringA {
    try check(sealed, .a, keys.device.bytes, wrap, state)
    let box = try unwrap(sealed, wrap)
    var contents: [UInt8]
    do { contents = try keys.exchange.openSealed(box) } catch { throw .notAuthentic }
    return try keyringA(&contents, sealed, state)
  }

  /// Opens a keyring C as its member.
  public static func open(
    _ sealed: SealedKeyring, _ keys: DeviceKeysC, _ wrap: KeyringWrap, _ state: ChainState
  ) throws(MembershipError) -> KeyringC {
    try check(sealed, .c, keys.device.bytes, wrap, state)
    let box = try unwrap(sealed, wrap)
    var contents: [UInt8]
    do { contents = try keys.exchange.openSealed(box) } catch { throw .notAuthentic }
    return try keyringC(&contents, sealed, state)
  }

  /// Opens a keyring A with a recovery key.
  public static func openA(
    _ sealed: SealedKeyring, _ identity: RecoveryIdentity, _ state: ChainState
  ) throws(MembershipError) -> KeyringA {
    let wrap = KeyringWrap.recoveryKey(identity.preSharedKey)
    try check(sealed, .a, identity.id, wrap, state)
    let box = try unwrap(sealed, wrap)
    var contents: [UInt8]
    do { contents = try identity.sealing.openSealed(box) } catch { throw .notAuthentic }
    return try keyringA(&contents, sealed, state)
  }

  /// Opens a keyring C with a recovery key.
  public static func openC(
    _ sealed: SealedKeyring, _ identity: RecoveryIdentity, _ state: ChainState
  ) throws(MembershipError) -> KeyringC {
    let wrap = KeyringWrap.recoveryKey(identity.preSharedKey)
    try check(sealed, .c, identity.id, wrap, state)
    let box = try unwrap(sealed, wrap)
    var contents: [UInt8]
    do { contents = try identity.sealing.openSealed(box) } catch { throw .notAuthentic }
    return try keyringC(&contents, sealed, state)
  }

  private static func check(
    _ sealed: SealedKeyring, _ kind: SealedKeyring.Kind, _ recipient: [UInt8], _ wrap: KeyringWrap,
    _ state: ChainState
  ) throws(MembershipError) {
    guard sealed.vaultID == state.vaultID else { throw .wrongVault }
    guard sealed.kind == kind else { throw .wrongKind }
    guard sealed.recipient == recipient else { throw .wrongRecipient }
    guard sealed.wrap == wrap.kind else { throw .wrongWrap }
  }

  private static func unwrap(_ sealed: SealedKeyring, _ wrap: KeyringWrap) throws(MembershipError) -> [UInt8] {
    let key = wrap.wrappingKey(vaultID: sealed.vaultID, epoch: sealed.epoch, recipient: sealed.recipient)
    do {
      return try key.decrypt(
        sealed.ciphertext, nonce: sealed.nonce, associatedContext, associatedInputs(sealed))
    } catch {
      throw .notAuthentic
    }
  }

  private static func keyringA(
    _ contents: inout [UInt8], _ sealed: SealedKeyring, _ state: ChainState
  ) throws(MembershipError) -> KeyringA {
    defer { wipe(&contents) }
    let keyring = try KeyringA(contents: contents)
    guard keyring.epoch == sealed.epoch else { throw .malformed }
    guard keyring.matches(state) else { throw .wrongCommitment }
    return keyring
  }

  private static func keyringC(
    _ contents: inout [UInt8], _ sealed: SealedKeyring, _ state: ChainState
  ) throws(MembershipError) -> KeyringC {
    defer { wipe(&contents) }
    let keyring = try KeyringC(contents: contents)
    guard keyring.epoch == sealed.epoch else { throw .malformed }
    guard keyring.matches(state) else { throw .wrongCommitment }
    return keyring
  }
}
