internal import RelayWire

extension ChainState {
  static func verifyingGenesis(_ entry: ChainEntry, vaultID: [UInt8]) throws(ChainError) -> ChainState {
    guard case .genesis(let body) = entry.content.body else { throw .misplacedGenesis }
    guard ChainHash.entry(entry) == vaultID else { throw .wrongVault }
    var state = ChainState(vaultID: vaultID, body)
    let id = ChainHash.deviceID(body.device)
    try state.checkName(body.name)
    var signers: [RequiredSigner] = [.device(id, body.device.chainSigning)]
    for recovery in body.recovery {
      try state.checkName(recovery.name)
      try state.checkNew(recovery)
      state.insert(recovery, entry.content)
      signers.append(.recoveryKey(ChainHash.recoveryID(recovery), recovery.signing))
    }
    try verify(entry, by: signers, vaultID: vaultID)
    state.insert(body.device, body.name, .admin, .genesis, entry.content)
    return state
  }

  /// Verifies `entry` and then changes the state; nothing is changed if it throws.
  mutating func apply(_ entry: ChainEntry) throws(ChainError) {
    let content = entry.content
    guard content.vaultID == vaultID || content.number == 0 else { throw .wrongVault }
    guard length < ChainLimits.entries else { throw .chainTooLong }
    guard content.number == number + 1 || content.number == 0 else { throw .wrongNumber }
    guard content.previous == head || content.number == 0 else { throw .wrongPrevious }
    switch content.body {
    case .genesis: throw .misplacedGenesis
    case .addDevice(let body): try addDevice(body, entry)
    case .revoke(let body): try revoke(body, entry)
    case .setRole(let body): try setRole(body, entry)
    case .leave: try leave(entry)
    case .replaceDevice(let body): try replaceDevice(body, entry)
    case .setRecovery(let recovery): try setRecovery(recovery, entry)
    case .resealDone(let epoch):
      try verify(entry, by: [try admin(entry)])
      guard epoch >= 1, epoch <= self.epoch else { throw .wrongEpoch }
      resealedEpoch = max(resealedEpoch, epoch)
    }
    head = ChainHash.entry(entry)
    number = content.number
    numbers[head] = number
  }

  private mutating func addDevice(_ body: AddDeviceBody, _ entry: ChainEntry) throws(ChainError) {
    let id = ChainHash.deviceID(body.device)
    let author = try adminOrRecoveryKey(entry)
    let origin: ChainDevice.Origin
    switch author {
    case .recoveryKey(let recovery, _):
      guard body.mailbox == RequiredSigner.noMailbox else { throw .wrongMailbox }
      origin = .recoveryKey(recovery)
    default: origin = .device(author.id)
    }
    try verify(entry, by: [author, .joiningDevice(body.device, body.name.commitment, mailbox: body.mailbox)])
    guard devices[id] == nil else { throw .deviceAddedBefore }
    guard activeDeviceCount < ChainLimits.activeDevices else { throw .tooManyDevices }
    try checkName(body.name)
    insert(body.device, body.name, body.role, origin, entry.content)
  }

  private mutating func revoke(_ body: RevokeBody, _ entry: ChainEntry) throws(ChainError) {
    try verify(entry, by: [try adminOrRecoveryKey(entry)])
    guard isAscending(body.devices), isAscending(body.recoveryKeys) else { throw .unsortedList }
    // A named id and all its successors are removed; the last of them must be a member, else nobody would be.
    var removed: Set<[UInt8]> = []
    for id in body.devices {
      let line = [id] + successors(of: id)
      guard let last = line.last, activeDevice(last) != nil else { throw .deviceNotActive }
      removed.formUnion(line)
    }
    for id in body.recoveryKeys where activeRecoveryKey(id) == nil { throw .recoveryKeyNotActive }
    guard body.epoch == epoch + 1 else { throw .wrongEpoch }
    let remaining = activeDevices.filter { !removed.contains($0.id) }
    let removedRecovery = Set(body.recoveryKeys)
    let remainingRecovery = activeRecoveryKeys.map(\.id).filter { !removedRecovery.contains($0) }
    guard body.recipients == remaining.map(\.id), body.recoveryRecipients == remainingRecovery else {
      throw .wrongRecipients
    }
    guard remaining.contains(where: { $0.role == .admin }) else { throw .noAdminLeft }
    for id in removed { devices[id]?.standing = .revoked(entry: entry.content.number) }
    for id in body.recoveryKeys { recoveryKeys[id]?.removedBy = entry.content.number }
    activeDeviceCount = remaining.count
    activeRecoveryKeyCount = remainingRecovery.count
    epochs.append(body.commitments)
  }

  private mutating func setRole(_ body: SetRoleBody, _ entry: ChainEntry) throws(ChainError) {
    try verify(entry, by: [try admin(entry)])
    guard activeDevice(body.device) != nil else { throw .deviceNotActive }
    let otherAdmin = devices.values.contains { $0.isActive && $0.role == .admin && $0.id != body.device }
    guard body.role == .admin || otherAdmin else { throw .noAdminLeft }
    devices[body.device]?.role = body.role
  }

  private mutating func leave(_ entry: ChainEntry) throws(ChainError) {
    let device = try activeSigner(entry)
    try verify(entry, by: [.device(device.id, device.keys.chainSigning)])
    guard !device.hasLeft else { throw .leftBefore }
    devices[device.id]?.hasLeft = true
  }

  private mutating func replaceDevice(_ body: ReplaceDeviceBody, _ entry: ChainEntry) throws(ChainError) {
    let old = try activeSigner(entry)
    let id = ChainHash.deviceID(body.device)
    try verify(
      entry,
      by: [
        .device(old.id, old.keys.chainSigning),
        .joiningDevice(body.device, body.name.commitment, mailbox: RequiredSigner.noMailbox),
      ])
    guard devices[id] == nil else { throw .deviceAddedBefore }
    try checkName(body.name)
    devices[old.id]?.standing = .replaced(by: id)
    replacements[old.id] = id
    activeDeviceCount -= 1
    insert(body.device, body.name, old.role, .replaced(old.id), entry.content)
  }

  private mutating func setRecovery(_ recovery: RecoveryPublicKeys, _ entry: ChainEntry) throws(ChainError) {
    let id = ChainHash.recoveryID(recovery)
    try verify(entry, by: [try admin(entry), .recoveryKey(id, recovery.signing)])
    try checkNew(recovery)
    try checkName(recovery.name)
    insert(recovery, entry.content)
  }

  private mutating func insert(
    _ keys: DevicePublicKeys, _ name: ChainName, _ role: DeviceRole, _ origin: ChainDevice.Origin,
    _ content: ChainContent
  ) {
    let id = ChainHash.deviceID(keys)
    devices[id] = ChainDevice(
      id: id, keys: keys, name: name, addedBy: origin, entryNumber: content.number, time: content.time, role: role)
    activeDeviceCount += 1
  }

  private mutating func insert(_ recovery: RecoveryPublicKeys, _ content: ChainContent) {
    let id = ChainHash.recoveryID(recovery)
    recoveryKeys[id] = ChainRecoveryKey(id: id, keys: recovery, entryNumber: content.number, time: content.time)
    activeRecoveryKeyCount += 1
  }

  private func checkNew(_ recovery: RecoveryPublicKeys) throws(ChainError) {
    guard recoveryKeys[ChainHash.recoveryID(recovery)] == nil, recoveryKey(locator: recovery.locator) == nil else {
      throw .recoveryKeyAddedBefore
    }
    guard activeRecoveryKeyCount < ChainLimits.recoveryKeys else { throw .tooManyRecoveryKeys }
  }

  /// A name is sealed under an epoch that members can have.
  private func checkName(_ name: ChainName) throws(ChainError) {
    guard commitments(epoch: name.epoch) != nil else { throw .wrongEpoch }
  }

  private func isAscending(_ ids: [[UInt8]]) -> Bool {
    zip(ids, ids.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
  }
}
