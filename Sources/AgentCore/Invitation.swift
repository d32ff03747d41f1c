internal import AgentWire
internal import DeviceChain
internal import Glibc
internal import Membership
internal import RelayWire
internal import Synchronization
internal import Threading
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// One invitation of another device, from the code to the decision. One use and ten minutes, by this device's own clock.
final class Invitation: Sendable {
  private static let lifetime: UInt64 = 10 * 60 * 1000
  /// Seconds of one long poll of a mailbox: between two the client's connection is looked at.
  static let pollSeconds: UInt32 = 5
  private let agent: Agent
  private let vault: Int64
  private let role: DeviceRole
  private let secret: PairingSecret
  private let api: RelayAPI
  /// When it ends, ms.
  let expires: UInt64
  /// The code that the other device is given.
  let code: String
  private let request = Mutex<PairingRequest?>(nil)

  /// Opens a mailbox at the relay. Needs an unlocked admin device.
  init(_ agent: Agent, _ arguments: InviteArguments) throws {
    self.agent = agent
    role = arguments.role.chainRole
    let transport = agent.transport()
    let (id, secret, api, code) = try agent.locked { state in
      let vault = try state.vault(arguments.vault)
      try vault.checkSyncable()
      guard vault.secretsA != nil, let secretsC = vault.secretsC else { throw VaultError.locked }
      guard vault.chain.isAdmin(vault.row.deviceID.bytes) else {
        throw AgentFailure(.roleTooLow, "only an admin device can invite: use one of those in 'lockstep device list'")
      }
      let secret = PairingSecret.random(vault: vault.row.vaultID)
      guard let code = PairingCode(relay: vault.row.relay, secret: secret) else {
        throw AgentFailure(.internalError, "the relay's address does not fit into a pairing code")
      }
      let api = RelayAPI(
        transport: transport, address: try VaultSetup.address(vault.row.relay), vault: vault.row.vaultID.bytes,
        signer: DeviceRequestSigner(device: vault.row.deviceID, signer: secretsC.signer))
      return (vault.id, secret, api, code)
    }
    vault = id
    self.secret = secret
    self.api = api
    self.code = code.text()
    expires = agent.clock + Self.lifetime
    try api.openMailbox(secret.mailbox)
    // The joining device compares what it is served with this.
    try? engine.publishCheckpoint()
  }

  private var access: AgentVaultAccess { AgentVaultAccess(agent: agent, vault: vault) }
  private var engine: SyncEngine { SyncEngine(access: access, api: api) }

  /// Waits until a device asks with this code.
  func wait(_ isClientGone: () -> Bool) throws -> CandidateResult {
    while agent.clock < expires {
      if isClientGone() { throw SyncError.cancelled }
      guard let bytes = try Self.unhurried(letter) else { continue }
      guard let request = try? PairingRequest(opening: bytes, secret) else {
        throw AgentFailure(
          .pairingRefused, "somebody asked who does not have the code: this invitation is over, make a new one")
      }
      self.request.withLock { $0 = request }
      return candidate(request)
    }
    throw Self.tooLate
  }

  /// Asks for a letter. A relay that answers before its time that there is none must not keep this device busy.
  static func unhurried(_ ask: () throws -> [UInt8]?) throws -> [UInt8]? {
    let asked = MonotonicClock.milliseconds
    if let letter = try ask() { return letter }
    if MonotonicClock.milliseconds < asked + 500 { usleep(500_000) }
    return nil
  }

  private static let tooLate = AgentFailure(
    .pairingRefused, "no device asked within ten minutes: make a new invitation")

  private func letter() throws -> [UInt8]? {
    do throws(RelayError) {
      return try api.pairingRequest(mailbox: secret.mailbox, wait: Self.pollSeconds)
    } catch {
      if error.problemCode == .notFound { throw Self.tooLate }
      // The machine slept, or a clock was set, between signing and the relay's check: the next signature is of now.
      // Or a poll broke: the relay may be back before the ten minutes are over.
      if error.problemCode == .clockSkew || error.isTransient { return nil }
      throw error
    }
  }

  private func candidate(_ request: PairingRequest) -> CandidateResult {
    CandidateResult(deviceName: request.name, fingerprint: Fingerprint.text(request.deviceID))
  }

  /// Adds the device that asked to the chain and hands it the keyrings, or refuses it.
  func decide(approve: Bool) throws -> CandidateResult {
    guard let request = request.withLock({ $0 }) else {
      throw AgentFailure(.badRequest, "no device has asked yet")
    }
    guard agent.clock < expires else {
      throw AgentFailure(.pairingRefused, "the invitation is older than ten minutes: make a new one")
    }
    guard approve else {
      try api.putPairingAnswer(mailbox: secret.mailbox, PairingAnswer.refused.sealed(to: request, secret))
      return candidate(request)
    }
    let state = try append(request)
    guard let device = state.device(request.deviceID) else { throw VaultError.notFound }
    let (a, c, checkpoint) = try access.withVault { vault in
      guard let secretsA = vault.secretsA, let secretsC = vault.secretsC else { throw VaultError.locked }
      return (secretsA.keyring, secretsC.keyring, try vault.currentCheckpoint())
    }
    let keyrings = try Keyring.seal(a, c, to: device, joiningBy: secret, state)
    let approval = PairingAnswer.Approval(
      role: role, head: state.head, number: state.number, keyringA: keyrings.a, keyringC: keyrings.c,
      checkpoint: checkpoint ?? [])
    try api.putPairingAnswer(mailbox: secret.mailbox, PairingAnswer.approved(approval).sealed(to: request, secret))
    return candidate(request)
  }

  /// Appends the add-device entry; if another admin was faster, on top of what that one wrote.
  private func append(_ request: PairingRequest) throws -> ChainState {
    while true {
      let clock = agent.clock
      let (before, entry) = try access.withVault { vault in
        guard let secretsA = vault.secretsA, let secretsC = vault.secretsC else { throw VaultError.locked }
        let entry = try ChainAuthor.addDevice(
          vault.chain, request, role, secret, secretsC.keyring, by: secretsA.device, time: clock)
        return (vault.chain, entry)
      }
      do throws(RelayError) {
        _ = try api.append(expectedHead: before.head, entry: entry.encoded, keyrings: [])
      } catch {
        guard error.problemCode == .chainMoved else { throw error }
        let page = try api.chain(from: before.length)
        guard page.chainLength > before.length else { throw error }
        try engine.followChain(to: page.chainLength)
        continue
      }
      try access.withVault { vault in
        // The sync thread may have fetched the entry already.
        if vault.chain.length == before.length { try vault.extendChain([entry.encoded]) }
      }
      return entry.state
    }
  }

  /// Takes the invitation back.
  func cancel() { try? api.closeMailbox(secret.mailbox) }
}
