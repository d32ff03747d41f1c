internal import AgentWire
internal import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import Synchronization
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// Making a vault, joining one by code, and by recovery key.
extension Agent {
  /// A new vault with this device as its first admin. The relay registers it before anything is stored here; a relay that does
  /// not answer or refuses leaves nothing behind.
  func initialize(_ arguments: InitializeArguments) throws -> InitializeResult {
    try setupTurn.withLock { _ in try initializeAlone(arguments) }
  }

  private func initializeAlone(_ arguments: InitializeArguments) throws -> InitializeResult {
    let address = try VaultSetup.address(arguments.relay)
    let setup = try VaultSetup(self, arguments.new)
    let keys = DeviceKeys.random()
    let recovery = RecoveryKey.random()
    let identity = recovery.identity()
    let a = KeyringA.fresh(recovery: [identity])
    let c = KeyringC.fresh()
    let genesis = try ChainAuthor.genesis(
      keys, name: setup.deviceName, a, c, recovery: [(identity, "recovery key")], time: clock)
    var keyrings: [[UInt8]] = []
    for key in genesis.state.activeRecoveryKeys {
      keyrings += try Keyring.seal(a, c, to: key, genesis.state).map(\.encoded)
    }
    let api = RelayAPI(
      transport: transport(), address: address, vault: genesis.state.vaultID, signer: requestSigner(keys))
    let incarnation = try api.createVault(
      invite: arguments.invitation, genesis: genesis.encoded, keyrings: keyrings)
    _ = try setup.store(
      genesis.state, entries: [genesis.encoded], keyrings: keyrings, relay: address.text, keys: keys, a, c,
      incarnation: incarnation)
    return InitializeResult(
      vaultID: genesis.state.vault, vault: setup.vaultName, recoveryKey: recovery.text(),
      fingerprint: Fingerprint.text(keys.device))
  }

  /// Joins a vault with a pairing code: leaves a request in the mailbox, waits for the other device's person, and believes nothing
  /// that does not follow from the code.
  func join(
    _ arguments: JoinArguments, _ isClientGone: () -> Bool, _ send: (AgentEvent) -> Void
  ) throws -> JoinResult {
    try setupTurn.withLock { _ in try joinAlone(arguments, isClientGone, send) }
  }

  private func joinAlone(
    _ arguments: JoinArguments, _ isClientGone: () -> Bool, _ send: (AgentEvent) -> Void
  ) throws -> JoinResult {
    let code = try PairingCode(text: arguments.code)
    let address = try VaultSetup.address(code.relay)
    try refuseSecondCopy(of: code.vault)
    let setup = try VaultSetup(self, arguments.new)
    let keys = DeviceKeys.random()
    let request = try PairingRequest(keys, name: setup.deviceName, code.secret)
    let api = RelayAPI(
      transport: transport(), address: address, vault: code.vault.bytes, signer: requestSigner(keys))
    try leave(request, api, code.secret)
    send(AgentEvent(.fingerprint, Fingerprint.text(keys.device)))
    let approval = try answer(request, api, code.secret, isClientGone)
    let (chain, entries) = try VaultSetup.chain(api, vault: code.vault)
    guard approval.isConfirmed(by: chain, for: keys.publicKeys) else {
      throw AgentFailure(
        .relayMisbehaved, "the relay serves another device chain than the inviting device named: nothing was joined")
    }
    let a = try Keyring.open(approval.keyringA, keys.a, .pairing(code.secret), chain)
    let c = try Keyring.open(approval.keyringC, keys.c, .pairing(code.secret), chain)
    let keyrings = try VaultSetup.keyrings(api)
    let id = try setup.store(
      chain, entries: entries, keyrings: keyrings, relay: address.text, keys: keys, a, c, incarnation: [],
      checkpoint: approval.checkpoint)
    setup.firstSync(id, send)
    return try setup.result(id, approval.role)
  }

  private func leave(_ request: PairingRequest, _ api: RelayAPI, _ secret: PairingSecret) throws {
    do {
      try api.putPairingRequest(mailbox: secret.mailbox, request.encoded)
    } catch {
      switch error.problemCode {
      case .notFound:
        throw AgentFailure(
          .pairingCodeInvalid,
          "the pairing code is out of date or was taken back: ask for a new one with 'lockstep device invite'")
      case .exists:
        throw AgentFailure(
          .pairingCodeInvalid, "the pairing code was used already: ask for a new one with 'lockstep device invite'")
      default: throw error
      }
    }
  }

  private func answer(
    _ request: PairingRequest, _ api: RelayAPI, _ secret: PairingSecret, _ isClientGone: () -> Bool
  ) throws -> PairingAnswer.Approval {
    let deadline = clock + 11 * 60 * 1000
    while clock < deadline {
      if isClientGone() { throw SyncError.cancelled }
      guard let bytes = try Invitation.unhurried({ try letter(api, secret) }) else { continue }
      switch try PairingAnswer(opening: bytes, to: request, secret) {
      case .approved(let approval): return approval
      case .refused: throw AgentFailure(.pairingRefused, "the other device refused this one")
      }
    }
    throw Self.notApproved
  }

  private static let notApproved = AgentFailure(
    .pairingRefused, "nobody approved this device in time: ask for a new code")

  private func letter(_ api: RelayAPI, _ secret: PairingSecret) throws -> [UInt8]? {
    do throws(RelayError) {
      return try api.pairingAnswer(mailbox: secret.mailbox, wait: Invitation.pollSeconds)
    } catch {
      if error.problemCode == .notFound { throw Self.notApproved }
      throw error
    }
  }

  private func refuseSecondCopy(of vault: VaultID) throws {
    let name = try locked { state in state.vaults.first { $0.row.vaultID == vault }?.row.name }
    if let name {
      throw AgentFailure(.vaultExists, "this device is in that vault already, as '\(name)'")
    }
  }

  /// Joins a vault with nothing but its recovery key. The chain that the relay serves must carry this key, which signed the entry that
  /// installed it: a relay cannot graft a vault of its own onto it.
  func recover(_ arguments: RecoverArguments, _ send: (AgentEvent) -> Void) throws -> JoinResult {
    try setupTurn.withLock { _ in try recoverAlone(arguments, send) }
  }

  private func recoverAlone(_ arguments: RecoverArguments, _ send: (AgentEvent) -> Void) throws -> JoinResult {
    let recoveryKey = try RecoveryKey(text: RecoveryKey.find(in: arguments.recoveryKey) ?? arguments.recoveryKey)
    let identity = recoveryKey.identity()
    let address = try VaultSetup.address(arguments.relay)
    let setup = try VaultSetup(self, arguments.new)
    let transport = transport()
    let page = try recoveryPage(identity, transport, address)
    var state = page.state
    try refuseSecondCopy(of: state.vault)
    let (a, c) = try openKeyrings(page.keyrings, identity, state)
    let keys = DeviceKeys.random()
    let api = RelayAPI(
      transport: transport, address: address, vault: state.vaultID, signer: requestSigner(keys))
    var entries = page.entries
    while true {
      let entry = try ChainAuthor.recoverDevice(
        state, keys, name: setup.deviceName, c, by: identity, time: clock)
      do throws(RelayError) {
        _ = try api.append(expectedHead: state.head, entry: entry.encoded, keyrings: [])
      } catch {
        // Somebody else was faster: on top of what they wrote.
        let moved = try recoveryPage(identity, transport, address)
        guard error.problemCode == .chainMoved, moved.state.length > state.length else { throw error }
        state = moved.state
        entries = moved.entries
        continue
      }
      state = entry.state
      entries.append(entry.encoded)
      break
    }
    let keyrings = try VaultSetup.keyrings(api)
    let id = try setup.store(
      state, entries: entries, keyrings: keyrings, relay: address.text, keys: keys, a, c, incarnation: [])
    setup.firstSync(id, send)
    return try setup.result(id, .admin)
  }

  private func recoveryPage(
    _ identity: RecoveryIdentity, _ transport: any RelayTransport, _ address: RelayAddress
  ) throws -> (state: ChainState, entries: [[UInt8]], keyrings: [[UInt8]]) {
    let api = RelayAPI(transport: transport, address: address, vault: [UInt8](repeating: 0, count: 32), signer: nil)
    var page = try recoveryPart(api, identity, from: 0)
    var entries = page.entries
    while UInt64(entries.count) < page.chainLength {
      page = try recoveryPart(api, identity, from: UInt64(entries.count))
      entries += page.entries
    }
    let state: ChainState
    do {
      state = try ChainState(verifying: entries, vaultID: page.vault)
    } catch {
      throw AgentFailure(.relayMisbehaved, "the relay serves a device chain that does not verify (\(error))")
    }
    guard let held = state.activeRecoveryKey(identity.id),
      held.keys == identity.publicKeys(salt: state.salt, name: held.keys.name)
    else {
      throw AgentFailure(.relayMisbehaved, "the relay serves a vault in which this recovery key was never installed")
    }
    return (state, entries, page.keyrings)
  }

  private func recoveryPart(
    _ api: RelayAPI, _ identity: RecoveryIdentity, from: UInt64
  ) throws -> RecoveryPage {
    do throws(RelayError) {
      return try api.recovery(locator: identity.locator, from: from)
    } catch {
      guard error.problemCode == .notFound else { throw error }
      throw AgentFailure(
        .recoveryKeyInvalid, "no vault at this relay has this recovery key: check the relay's address and the key")
    }
  }

  /// The newest keyrings of both kinds that are sealed to the recovery key.
  private func openKeyrings(
    _ keyrings: [[UInt8]], _ identity: RecoveryIdentity, _ state: ChainState
  ) throws -> (KeyringA, KeyringC) {
    let sealed = keyrings.compactMap { try? SealedKeyring(decoding: $0) }
      .filter { $0.recipient == identity.id && $0.epoch == state.epoch }
    guard let sealedA = sealed.first(where: { $0.kind == .a }), let sealedC = sealed.first(where: { $0.kind == .c })
    else {
      throw AgentFailure(
        .relayMisbehaved,
        "the relay does not serve the vault's keyrings for this recovery key: try again, or from a backup of it")
    }
    return (try Keyring.openA(sealedA, identity, state), try Keyring.openC(sealedC, identity, state))
  }

  private func requestSigner(_ keys: DeviceKeys) -> DeviceRequestSigner {
    DeviceRequestSigner(keys: keys.c)
  }
}
