internal import AgentWire
internal import DeviceChain
internal import Glibc
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// What the agent tells of itself and its vaults. Nothing here waits for a relay.
extension Agent {
  func status() throws -> StatusResult {
    let vaults = try vaultList()
    return try locked { state in
      let protection: StatusResult.Protection =
        switch state.keybag?.protection {
        case nil: .none
        case .some(.none): .open
        case .some(.passphrase): .passphrase
        }
      let lockState: StatusResult.LockState =
        if state.isUnlocked { .unlocked } else if state.classKeys?.wasUnlocked ?? false { .afterFirstUnlock } else {
          .locked
        }
      return StatusResult(
        version: Agent.version, processID: getpid(), home: state.home.path, protection: protection,
        lockState: state.keybag == nil ? .unlocked : lockState, vaults: vaults)
    }
  }

  /// The vaults on this device and how they stand.
  func vaultList(_ name: String? = nil) throws -> [AgentVault] {
    let ids = try locked { state in
      name == nil ? state.vaults.map(\.id) : [try state.vault(name).id]
    }
    return try ids.map { id in
      let standing = runner(id)?.current ?? SyncRunner.Standing()
      return try AgentVaultAccess(agent: self, vault: id).withVault { try $0.report(standing, clock: clock) }
    }
  }

  func deviceList(_ name: String?) throws -> DeviceListResult {
    try locked { state in
      let vault = try state.vault(name)
      let devices = vault.chain.devices.values.sorted { $0.entryNumber < $1.entryNumber }
      return DeviceListResult(
        vault: vault.row.name,
        devices: devices.compactMap { device in
          let standing: AgentDevice.Standing
          switch device.standing {
          case .active: standing = device.hasLeft ? .left : .active
          case .revoked: standing = .revoked
          case .replaced: return nil
          }
          return AgentDevice(
            deviceID: device.device, name: vault.name(of: device.device), role: AgentRole(device.role),
            fingerprint: Fingerprint.text(device.device), added: Int64(clamping: device.time),
            isThisDevice: device.device == vault.row.deviceID, standing: standing)
        })
    }
  }

  func conflicts(_ name: String?, withSecret: Bool) throws -> ConflictsResult {
    try locked { state in
      let vaults = name == nil ? state.vaults : [try state.vault(name)]
      var result = ConflictsResult(conflicts: [])
      for vault in vaults {
        for row in try vault.store.conflictedItems(vault: vault.id) {
          do {
            result.conflicts += try vault.conflicts(of: row, withSecret: withSecret)
          } catch VaultError.locked {
            result.lockedCount += 1
          }
        }
      }
      return result
    }
  }

  /// What the relay of a vault was caught at, though syncing goes on. Said once: after a repaired loss the next `sync` is fine.
  private func takeAlarm(of vault: Int64) -> SyncError? {
    let alarm = try? AgentVaultAccess(agent: self, vault: vault).withVault { $0.takeAlarm() }
    return alarm.flatMap { $0 }.map { .misbehaved($0) }
  }

  /// One full cycle of one vault, or of all.
  func sync(_ name: String?, _ send: (AgentEvent) -> Void) throws -> [AgentVault] {
    let ids = try locked { state in
      name == nil && !state.vaults.isEmpty ? state.vaults.map(\.id) : [try state.vault(name).id]
    }
    var first: (any Error)?
    for id in ids {
      do {
        try runner(id)?.cycle { progress in
          send(
            AgentEvent(
              .progress, "syncing", done: Int(clamping: progress.received) + progress.sent,
              total: Int(clamping: progress.received) + progress.sent))
        }
        // Only after a cycle that came to its end: what it did not repair must not be forgotten.
        if let alarm = takeAlarm(of: id), first == nil { first = alarm }
      } catch {
        if first == nil { first = error }
      }
    }
    if let first { throw first }
    return try vaultList(name)
  }
}

extension OpenVault {
  func report(_ sync: SyncRunner.Standing, clock: UInt64) throws -> AgentVault {
    let counts = try store.counts(vault: id)
    var standing = AgentVault.Standing.fine
    var problem: String?
    switch (row.state, sync.error) {
    case (.revoked, _):
      standing = .deviceRevoked
      problem = row.evidence
    case (.forked, _):
      standing = .relayMisbehaved
      problem = row.evidence
    case (.active, .relay(.problem(let cause))?) where cause.status < 500 && cause.status != 429:
      standing = .relayRefused
      problem = cause.description
    case (.active, .relay(let cause)?):
      standing = .relayUnreachable
      problem = "\(cause)"
    case (.active, .misbehaved(let evidence)?):
      standing = .relayMisbehaved
      problem = evidence
    case (.active, .locked?): problem = "syncing begins with the first unlock"
    case (.active, _):
      if let alarm {
        standing = .relayMisbehaved
        problem = alarm
      } else if counts.refused > 0 {
        standing = .relayRefused
        problem = "the relay refused \(counts.refused) items (too large, or over the vault's quota)"
      } else {
        problem = try clockProblem(clock) ?? quarantineProblem()
      }
    }
    return AgentVault(
      name: row.name, vaultID: row.vaultID, relay: row.relay, deviceName: name(of: row.deviceID),
      fingerprint: Fingerprint.text(row.deviceID), role: AgentRole(chain.device(row.deviceID)?.role ?? .reader),
      itemCount: counts.live, pendingCount: counts.unpushed, conflictCount: counts.conflicts,
      quarantinedCount: try store.inboxCounts(vault: id).quarantined,
      lastSync: row.lastSuccess > 0 ? Int64(clamping: row.lastSuccess) : nil, standing: standing, problem: problem)
  }

  /// Counters hold the time of the write that took them (Docs/Sync.md): a clock that once ran far ahead left one that other
  /// devices do not take before its time comes.
  private func clockProblem(_ clock: UInt64) -> String? {
    guard row.counter >> 20 > clock &+ Self.tolerance else { return nil }
    let days = (row.counter >> 20 - clock) / 86_400_000
    return
      "this device's clock once ran \(days) days ahead: what it writes is not taken by the others until then; take it out of use and join anew"
  }

  private func quarantineProblem() throws -> String? {
    try store.quarantineReason(vault: id).map { "a record that the relay serves was put aside: \($0)" }
  }

  /// A device's name; its fingerprint where it is unknown or cannot be read now.
  func name(of device: DeviceID) -> String {
    guard let known = chain.device(device), let secretsC else { return "" }
    return (try? SealedName.open(known.name, for: known.id, secretsC.keyring)) ?? ""
  }

  func conflicts(of item: ItemRow, withSecret: Bool) throws -> [AgentConflict] {
    let opened = try open(item)
    var attributes = opened.visible.filter { !$0.key.isSecret }
    attributes[.creationDate] = nil
    return opened.conflicts.sorted { $0.key < $1.key }.map { name, writes in
      AgentConflict(
        vault: row.name, itemClass: item.itemClass, attributes: attributes, attribute: name,
        candidates: writes.map { write in
          AgentConflict.Candidate(
            value: name.isSecret && !withSecret ? nil : write.value, device: self.name(of: write.dot.device),
            time: Int64(clamping: write.time))
        })
    }
  }
}

extension Agent {
  /// The version of all programs.
  public static let version = "0.1.0"
}
