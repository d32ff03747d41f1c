internal import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// Keys of newer epochs: after a rotation, each member finds its keyrings at the relay, wrapped under the epoch before.
extension OpenVault {
  /// Whether the chain has an epoch whose keys are not here, and whose keyring could not be opened from the store.
  var needsKeyrings: Bool {
    if let secretsC, secretsC.keyring.epoch < chain.epoch { return true }
    if let secretsA, secretsA.keyring.epoch < chain.epoch { return true }
    return false
  }

  /// Takes in keyrings that the relay serves, everybody's: each device keeps all, so that the relay can be given them again. Then
  /// opens its own, and merges what waited for the keys.
  func takeKeyrings(_ keyrings: [[UInt8]], clock: UInt64) throws {
    try store.transaction {
      for bytes in keyrings {
        guard let keyring = try? SealedKeyring(decoding: bytes), keyring.vaultID == row.vaultID.bytes,
          keyring.epoch <= chain.epoch,
          chain.device(keyring.recipient) != nil || chain.recoveryKeys[keyring.recipient] != nil
        else { continue }
        try store.insert(
          StoredKeyring(
            kind: UInt8(keyring.kind.rawValue), epoch: keyring.epoch, recipient: keyring.recipient, bytes: bytes),
          vault: id)
      }
    }
    try openKeyrings(clock: clock)
  }

  /// Opens the own keyrings that are here, epoch after epoch, as far as the lock state allows: C always, A while unlocked. Keys
  /// that match the chain's commitments go into the local blobs in one transaction; what waited for them is merged then.
  func openKeyrings(clock: UInt64) throws {
    let newC = try newerC()
    let newA = try newerA()
    guard newC != nil || newA != nil else { return }
    try changing {
      if let newC, let classKey = classKeys[.afterFirstUnlock] {
        var contents = LocalSecrets.export(newC.device, newC.keyring)
        defer { wipe(&contents) }
        row.secretsC = try LocalBlob.seal(contents, .vaultC, vault: row.vaultID, classKey: classKey.key)
      }
      if let newA, let classKey = classKeys[.whenUnlocked] {
        var contents = LocalSecrets.export(newA.device, newA.keyring)
        defer { wipe(&contents) }
        row.secretsA = try LocalBlob.seal(contents, .vaultA, vault: row.vaultID, classKey: classKey.key)
      }
    }
    if let newC { secretsC = newC }
    if let newA { secretsA = newA }
    try releaseHeld()
    try mergeInbox(.everything, clock: clock)
  }

  private func newerC() throws -> VaultSecretsC? {
    guard let secretsC, classKeys[.afterFirstUnlock] != nil else { return nil }
    var keyring = secretsC.keyring
    while keyring.epoch < chain.epoch, let previous = keyring.keys.key(epoch: keyring.epoch),
      let sealed = try stored(.c, epoch: keyring.epoch + 1)
    {
      guard let opened = try? Keyring.open(sealed, secretsC.device, .previousEpoch(previous), chain) else {
        try refuse(sealed)
        break
      }
      keyring = opened.joined(keyring)
    }
    return keyring.epoch > secretsC.keyring.epoch ? VaultSecretsC(device: secretsC.device, keyring: keyring) : nil
  }

  private func newerA() throws -> VaultSecretsA? {
    guard let secretsA, classKeys[.whenUnlocked] != nil else { return nil }
    var keyring = secretsA.keyring
    while keyring.epoch < chain.epoch, let previous = keyring.keys.key(epoch: keyring.epoch),
      let sealed = try stored(.a, epoch: keyring.epoch + 1)
    {
      guard let opened = try? Keyring.open(sealed, secretsA.device, .previousEpoch(previous), chain) else {
        try refuse(sealed)
        break
      }
      keyring = opened.joined(keyring, chain)
    }
    return keyring.epoch > secretsA.keyring.epoch ? VaultSecretsA(device: secretsA.device, keyring: keyring) : nil
  }

  private func stored(_ kind: SealedKeyring.Kind, epoch: UInt64) throws -> SealedKeyring? {
    let bytes = try store.keyring(
      kind: UInt8(kind.rawValue), epoch: epoch, recipient: row.deviceID.bytes, vault: id)
    return bytes.flatMap { try? SealedKeyring(decoding: $0) }
  }

  /// A keyring that does not open, or whose keys are not those that the chain commits to, gives its place free.
  private func refuse(_ keyring: SealedKeyring) throws {
    report("the relay served a keyring of epoch \(keyring.epoch) whose keys are not the vault's")
    try store.removeKeyring(
      kind: UInt8(keyring.kind.rawValue), epoch: keyring.epoch, recipient: keyring.recipient, vault: id)
  }
}
