internal import AgentWire
internal import Glibc
internal import SealedRecords
internal import Synchronization
internal import VaultCrypto
internal import VaultStore
internal import VaultSync

/// Unlocking, locking and the passphrase.
extension Agent {
  /// Opens a keybag that has no passphrase: such a device starts unlocked.
  func unlockWithoutPassphrase() throws {
    let keybag = try locked { state in state.keybag }
    guard let keybag, !keybag.hasPassphrase else { return }
    try open(keybag, passphrase: nil)
  }

  /// Unlocks with a passphrase. Argon2id runs outside the lock, so that others are served meanwhile; a wrong passphrase costs
  /// the same time, and from the third in a row on a growing pause.
  public func unlock(passphrase: [UInt8]) throws {
    try unlockTurn.withLock { _ in
      guard let keybag = try locked({ state in state.keybag }) else {
        throw AgentFailure(.vaultNotFound, "there is nothing to unlock: no vault is on this device")
      }
      // A keybag without a passphrase opens with any: there is nothing to prove.
      try open(keybag, passphrase: keybag.hasPassphrase ? passphrase : nil)
    }
    startRunners()
  }

  private func open(_ keybag: Keybag, passphrase: [UInt8]?) throws {
    let (failures, secret) = try locked { state in
      (state.failedUnlocks, SecretBox(try state.home.deviceSecret(mayCreate: false)))
    }
    if passphrase != nil, failures >= 3 { sleep(UInt32(1 << min(failures - 3, 5))) }
    do {
      let keys = try keybag.unlock(passphrase: passphrase, deviceSecret: secret.key.key)
      let clock = clock
      try locked { try $0.install(keys, clock: clock) }
    } catch KeybagError.wrongPassphrase {
      try locked { $0.failedUnlocks += 1 }
      throw KeybagError.wrongPassphrase
    }
  }

  /// Locks.
  func lockNow() throws {
    try locked { $0.lock() }
  }

  /// Sets, changes or removes the passphrase. Removing it destroys class P and its items in the same transaction.
  func changePassphrase(old: [UInt8]?, new: [UInt8]?) throws {
    let new = new.flatMap { $0.isEmpty ? nil : $0 }
    try unlockTurn.withLock { _ in
      guard let keybag = try locked({ state in state.keybag }) else {
        throw AgentFailure(
          .vaultNotFound, "no vault is on this device: 'lockstep init' and 'lockstep join' ask for a passphrase")
      }
      // The old passphrase is asked for even while unlocked: an unattended screen must not be enough.
      try open(keybag, passphrase: keybag.hasPassphrase ? old ?? [] : nil)
      let secret = try locked { state in SecretBox(try state.home.deviceSecret(mayCreate: false)) }
      let parameters = new == nil ? PasswordHashParameters.minimum : .calibrated()
      guard let keys = try locked({ $0.unlocked }) else { throw VaultError.locked }
      let changed = try keybag.changingPassphrase(
        to: new, parameters: parameters, keys: keys, deviceSecret: secret.key.key)
      try locked { state in
        try state.store.transaction {
          try state.store.setSetting("keybag", changed.keybag.encoded)
          if new == nil { try state.store.removeDeviceItems(.passcodeSet) }
        }
        state.keybag = changed.keybag
        // Somebody may have locked meanwhile: then the new keys are for the next unlock.
        guard state.isUnlocked else { return }
        state.unlocked = changed.keys
        if let passcodeSet = changed.keys.passcodeSet {
          state.classKeys?.set(passcodeSet, .passcodeSet)
        } else {
          state.classKeys?.remove(.passcodeSet)
        }
      }
    }
    startRunners()
  }
}

/// The device secret on its way between the lock and Argon2id.
struct SecretBox: Sendable {
  let key: SharedKey<DeviceSecretRole>
  init(_ secret: consuming SymmetricKey<DeviceSecretRole>) { key = SharedKey(secret) }
}

extension Agent {
  /// Unlocks with the passphrase of a file when the agent starts. Without a keybag there is nothing to unlock yet.
  public func unlockAtStart(passphrase: [UInt8]) throws {
    guard try locked({ state in state.keybag?.hasPassphrase }) == true else { return }
    try unlock(passphrase: passphrase)
  }

  /// The one sentence that tells a person of `error`.
  public func sentence(_ error: any Error) -> String { describe(error) }
}
