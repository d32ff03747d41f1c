internal import Membership
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// What the agent holds. Not Sendable: every access is inside `Agent.locked`.
final class AgentState {
  let home: AgentHome
  let store: VaultStore
  /// What a person should know of the start, for instance that a damaged database was set aside.
  let notice: String?
  var keybag: Keybag?
  /// nil until there is a keybag.
  var classKeys: DeviceClassKeys?
  /// The unlocked keys with the root, for a change of passphrase; nil while locked.
  var unlocked: UnlockedKeys?
  var vaults: [OpenVault] = []
  /// Wrong passphrases in a row.
  var failedUnlocks = 0

  init(home: AgentHome, store: VaultStore, notice: String?) throws {
    self.home = home
    self.store = store
    self.notice = notice
    guard let bytes = try store.setting("keybag") else { return }
    let keybag: Keybag
    do {
      keybag = try Keybag(decoding: bytes)
    } catch {
      throw StartError(
        description:
          "the keybag in \(home.database) is damaged: restore \(home.path) from a backup, or recover with the recovery key in another home"
      )
    }
    let secret = try home.deviceSecret(mayCreate: false)
    do {
      classKeys = DeviceClassKeys(always: try keybag.alwaysKey(deviceSecret: secret))
    } catch {
      throw StartError(
        description: "\(home.path)/device-secret does not belong to the database beside it: put the right one back")
    }
    self.keybag = keybag
    try openVaults()
  }

  private func openVaults() throws {
    guard let classKeys else { return }
    do {
      vaults = try store.vaults().map { try OpenVault(store: store, row: $0, classKeys: classKeys) }
    } catch VaultError.damaged(let what) {
      throw StartError(
        description: "\(what): restore \(home.path) from a backup, or move it away and recover with the recovery key")
    }
  }

  /// Takes in the keys of an unlock, merges what waited for it, and only then lets anything be answered.
  func install(_ keys: UnlockedKeys, clock: UInt64) throws {
    guard let classKeys else { return }
    unlocked = keys
    failedUnlocks = 0
    classKeys.set(keys.afterFirstUnlock, .afterFirstUnlock)
    classKeys.set(keys.whenUnlocked, .whenUnlocked)
    if let passcodeSet = keys.passcodeSet { classKeys.set(passcodeSet, .passcodeSet) }
    var failure: (any Error)?
    for vault in vaults {
      do {
        try vault.unlock()
        try vault.mergeWaiting(clock: clock)
      } catch {
        // The other vaults are not to suffer. A slot whose record could not be merged goes on answering "locked".
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Lets go of everything that locking takes away.
  func lock() {
    unlocked = nil
    classKeys?.lock()
    for vault in vaults { vault.lock() }
  }

  var isUnlocked: Bool { classKeys?.isUnlocked ?? false }

  /// The vault of this name; without one the first, which is the device's own.
  func vault(_ name: String?) throws(VaultLookupError) -> OpenVault {
    if let name {
      guard let vault = vaults.first(where: { $0.row.name == name }) else { throw .noSuchVault(name) }
      return vault
    }
    guard let vault = vaults.first else { throw .noVault(notice) }
    return vault
  }

  /// A name for a new vault: the given one, or the first that is free.
  func newVaultName(_ asked: String?) throws(VaultLookupError) -> String {
    let taken = Set(vaults.map(\.row.name))
    if let asked {
      guard !asked.isEmpty, asked.utf8.count <= 64,
        !asked.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 })
      else { throw .badName }
      guard !taken.contains(asked) else { throw .nameTaken(asked) }
      return asked
    }
    var name = "personal"
    var number = 2
    while taken.contains(name) {
      name = "vault-\(number)"
      number += 1
    }
    return name
  }
}

/// Why a request names no vault that can be used.
enum VaultLookupError: Error, Equatable {
  case noSuchVault(String)
  case noVault(String?)
  case nameTaken(String)
  case badName
}
