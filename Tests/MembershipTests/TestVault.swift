import CBOR
import DeviceChain
import Membership
import RelayWire
import TextCoding
import VaultCrypto
import VaultModel

/// A vault with one device, a recovery key, and what they hold.
struct TestVault {
  let keys = DeviceKeys.random()
  let recovery: RecoveryIdentity
  var a: KeyringA
  var c = KeyringC.fresh()
  var state: ChainState
  var entries: [[UInt8]]

  static let now: UInt64 = 1_700_000_000_000
  static let position = FeedPosition(incarnation: [UInt8](repeating: 7, count: 16), sequence: 3)

  init(recovery: RecoveryIdentity = RecoveryKey.random().identity()) throws {
    self.recovery = recovery
    a = .fresh(recovery: [recovery])
    let genesis = try ChainAuthor.genesis(
      keys, name: "alder", a, c, recovery: [(recovery, "safe")], time: Self.now)
    state = genesis.state
    entries = [genesis.encoded]
  }

  mutating func append(_ entry: AuthoredEntry) {
    state = entry.state
    entries.append(entry.encoded)
  }

  /// Adds a device through a whole pairing.
  mutating func join(_ role: DeviceRole = .writer, name: String = "birch") throws -> DeviceKeys {
    let joiner = DeviceKeys.random()
    let secret = PairingSecret.random(vault: state.vault)
    let request = try PairingRequest(joiner, name: name, secret)
    let opened = try PairingRequest(opening: request.encoded, secret)
    append(try ChainAuthor.addDevice(state, opened, role, secret, c, by: keys.a, time: Self.now))
    return joiner
  }

  /// Rotates, removing what is named; gives the keyrings.
  mutating func rotate(removing devices: [DeviceID] = [], recoveryKeys: [[UInt8]] = []) throws -> [SealedKeyring] {
    let nextA = a.rotated(removing: recoveryKeys)
    let nextC = c.rotated()
    append(
      try ChainAuthor.revoke(
        state, devices: devices, recoveryKeys: recoveryKeys, nextA, nextC, Self.position, by: .device(keys.a),
        time: Self.now))
    (a, c) = (nextA, nextC)
    return try Keyring.sealAll(a, c, state)
  }

  func keyA(_ epoch: UInt64) throws -> SharedKey<SealingRole> {
    guard let key = a.keys.key(epoch: epoch) else { throw MembershipError.missingKey(epoch: epoch) }
    return key
  }

  func keyC(_ epoch: UInt64) throws -> SharedKey<SealingRole> {
    guard let key = c.keys.key(epoch: epoch) else { throw MembershipError.missingKey(epoch: epoch) }
    return key
  }

  func member(_ keys: DeviceKeys) throws -> ChainDevice {
    guard let device = state.device(keys.device) else { throw MembershipError.wrongRecipient }
    return device
  }
}

extension [SealedKeyring] {
  func first(_ kind: SealedKeyring.Kind, for recipient: [UInt8]) throws -> SealedKeyring {
    guard let keyring = first(where: { $0.kind == kind && $0.recipient == recipient }) else {
      throw MembershipError.wrongRecipient
    }
    return keyring
  }
}

extension SharedKey {
  var bytes: [UInt8] { key.exportBytes() }
}

/// The same keyring with some field another.
func altered(
  _ keyring: SealedKeyring, kind: SealedKeyring.Kind? = nil, vaultID: [UInt8]? = nil, epoch: UInt64? = nil,
  recipient: [UInt8]? = nil, wrap: SealedKeyring.Wrap? = nil, nonce: [UInt8]? = nil, ciphertext: [UInt8]? = nil
) -> SealedKeyring {
  SealedKeyring(
    kind: kind ?? keyring.kind, vaultID: vaultID ?? keyring.vaultID, epoch: epoch ?? keyring.epoch,
    recipient: recipient ?? keyring.recipient, wrap: wrap ?? keyring.wrap, nonce: nonce ?? keyring.nonce,
    ciphertext: ciphertext ?? keyring.ciphertext)
}
