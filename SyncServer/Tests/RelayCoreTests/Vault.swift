import DeviceChain
import RelayWire
import VaultCrypto

/// A vault's chain as its devices make it: entries follow each other here whether or not a relay takes them.
struct Vault {
  let founder = Device()
  let recovery = Recovery()
  let genesis: [UInt8]
  private(set) var state: ChainState

  init() throws {
    let body = GenesisBody(
      device: founder.keys, name: anyName(), salt: Randomness.bytes(32), commitments: anyCommitments(),
      slotCommitment: Randomness.bytes(32), setHashCommitment: Randomness.bytes(32), recovery: [recovery.keys])
    let content = ChainContent(
      vaultID: [], number: 0, previous: [], time: 1, author: founder.id, body: .genesis(body))
    let entry = ChainEntry(
      content: content,
      signatures: [founder.signature(content.encoded), recovery.signature(content.encoded)])
    genesis = entry.encoded
    state = try ChainState(genesis: genesis, vaultID: ChainHash.entry(entry))
  }

  var id: [UInt8] { state.vaultID }

  /// The entry after the newest one.
  func entry(
    _ body: ChainBody, author: [UInt8], signatures: ([UInt8]) -> [ChainSignature]
  ) -> [UInt8] {
    let content = ChainContent(
      vaultID: id, number: state.number + 1, previous: state.head, time: 2, author: author, body: body)
    return ChainEntry(content: content, signatures: signatures(content.encoded)).encoded
  }

  func addition(_ device: Device, _ role: DeviceRole, by admin: Device? = nil) -> [UInt8] {
    let (name, mailbox, admin) = (anyName(), Randomness.bytes(32), admin ?? founder)
    let body = AddDeviceBody(device: device.keys, name: name, role: role, mailbox: mailbox)
    return entry(.addDevice(body), author: admin.id) { content in
      [admin.signature(content), device.joinSignature(id, name, mailbox)]
    }
  }

  /// An addition by the recovery key.
  func recovered(_ device: Device) -> [UInt8] {
    let (name, mailbox) = (anyName(), ChainSigning.noMailbox)
    let body = AddDeviceBody(device: device.keys, name: name, role: .admin, mailbox: mailbox)
    return entry(.addDevice(body), author: recovery.id) { content in
      [recovery.signature(content), device.joinSignature(id, name, mailbox)]
    }
  }

  func replacement(of old: Device, by new: Device) -> [UInt8] {
    let name = anyName()
    return entry(.replaceDevice(ReplaceDeviceBody(device: new.keys, name: name)), author: old.id) { content in
      [old.signature(content), new.joinSignature(id, name, ChainSigning.noMailbox)]
    }
  }

  func revocation(_ devices: [[UInt8]], at position: FeedPosition, by admin: Device? = nil) -> [UInt8] {
    let admin = admin ?? founder
    let body = RevokeBody(
      devices: devices, recoveryKeys: [], epoch: state.epoch + 1, commitments: anyCommitments(),
      recipients: state.activeDevices.map(\.id).filter { !devices.contains($0) },
      recoveryRecipients: state.activeRecoveryKeys.map(\.id), position: position)
    return entry(.revoke(body), author: admin.id) { [admin.signature($0)] }
  }

  func roleChange(_ device: Device, _ role: DeviceRole, at position: FeedPosition) -> [UInt8] {
    entry(.setRole(SetRoleBody(device: device.id, role: role, position: position)), author: founder.id) {
      [founder.signature($0)]
    }
  }

  func keyring(
    _ recipient: [UInt8], epoch: UInt64 = 1, kind: SealedKeyring.Kind = .a, size: Int = 200, vault: [UInt8]? = nil
  ) -> [UInt8] {
    SealedKeyring(
      kind: kind, vaultID: vault ?? id, epoch: epoch, recipient: recipient, wrap: .pairing, nonce: Randomness.bytes(24),
      ciphertext: Randomness.bytes(size)
    ).encoded
  }

  mutating func apply(_ entry: [UInt8]) throws { state = try state.applying(entry) }
}
