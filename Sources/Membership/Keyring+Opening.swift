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
    try openA(sealed, keys.device.bytes, keys.exchange, wrap, state)
  }

  /// Opens a keyring C as its member.
  public static func open(
    _ sealed: SealedKeyring, _ keys: DeviceKeysC, _ wrap: KeyringWrap, _ state: ChainState
  ) throws(MembershipError) -> KeyringC {
    try openC(sealed, keys.device.bytes, keys.exchange, wrap, state)
  }

  /// Opens a keyring A with a recovery key.
  public static func openA(
    _ sealed: SealedKeyring, _ identity: RecoveryIdentity, _ state: ChainState
  ) throws(MembershipError) -> KeyringA {
    try openA(sealed, identity.id, identity.sealing, .recoveryKey(identity.preSharedKey), state)
  }

  /// Opens a keyring C with a recovery key.
  public static func openC(
    _ sealed: SealedKeyring, _ identity: RecoveryIdentity, _ state: ChainState
  ) throws(MembershipError) -> KeyringC {
    try openC(sealed, identity.id, identity.sealing, .recoveryKey(identity.preSharedKey), state)
  }

  static func openA<Role: KeyRole>(
    _ sealed: SealedKeyring, _ recipient: [UInt8], _ exchange: borrowing ExchangeKey<Role>, _ wrap: KeyringWrap,
    _ state: ChainState
  ) throws(MembershipError) -> KeyringA {
    var contents = try contents(sealed, .a, recipient, exchange, wrap, state)
    defer { wipe(&contents) }
    let keyring = try KeyringA(contents: contents)
    guard keyring.epoch == sealed.epoch else { throw .malformed }
    guard keyring.matches(state) else { throw .wrongCommitment }
    return keyring
  }

  static func openC<Role: KeyRole>(
    _ sealed: SealedKeyring, _ recipient: [UInt8], _ exchange: borrowing ExchangeKey<Role>, _ wrap: KeyringWrap,
    _ state: ChainState
  ) throws(MembershipError) -> KeyringC {
    var contents = try contents(sealed, .c, recipient, exchange, wrap, state)
    defer { wipe(&contents) }
    let keyring = try KeyringC(contents: contents)
    guard keyring.epoch == sealed.epoch else { throw .malformed }
    guard keyring.matches(state) else { throw .wrongCommitment }
    return keyring
  }

  private static func contents<Role: KeyRole>(
    _ sealed: SealedKeyring, _ kind: SealedKeyring.Kind, _ recipient: [UInt8],
    _ exchange: borrowing ExchangeKey<Role>, _ wrap: KeyringWrap, _ state: ChainState
  ) throws(MembershipError) -> [UInt8] {
    guard sealed.vaultID == state.vaultID else { throw .wrongVault }
    guard sealed.kind == kind else { throw .wrongKind }
    guard sealed.recipient == recipient else { throw .wrongRecipient }
    guard sealed.wrap == wrap.kind else { throw .wrongWrap }
    let key = wrap.wrappingKey(vaultID: sealed.vaultID, epoch: sealed.epoch, recipient: sealed.recipient)
    do {
      let box = try key.decrypt(sealed.ciphertext, nonce: sealed.nonce, associatedContext, associatedInputs(sealed))
      return try exchange.openSealed(box)
    } catch {
      throw .notAuthentic
    }
  }
}
