internal import CBOR
internal import DeviceChain
internal import RelayWire
internal import VaultCrypto

extension RelayService {
  /// POST /v1/vaults.
  func createVault(_ request: ServerRequest) throws(Problem) -> Reply {
    let message = try decode(CreateVaultRequest.self, request)
    let state = try Self.genesis(message.genesis)
    let (device, signature) = try verifier.parse(request)
    guard let founder = state.activeDevice(device) else {
      throw Problem(.notADevice, "A vault is registered by the device of its genesis entry.")
    }
    try verifier.verify(signature, of: device, key: founder.keys.pushSigning, now: configuration.now())
    let keyrings = try Self.keyrings(message.keyrings, in: state)
    let vault = NewVault(
      vault: state.vaultID, incarnation: Randomness.bytes(RelayLimits.incarnationBytes), genesis: message.genesis,
      keyrings: keyrings, locators: Self.locators(of: state), invite: try inviteHash(message.invite))
    let now = configuration.now()
    let outcome = try stored { () throws(RelayStorageError) in try storage.create(vault, now: now) }
    switch outcome {
    case .created:
      configuration.log("vault-created", "")
      return Reply(status: 201, CreateVaultAnswer(incarnation: vault.incarnation))
    case .exists(let incarnation, let genesis):
      // The vault id covers the content; signatures stand outside, so the same genesis could come with others.
      guard genesis == message.genesis else { throw Problem(.exists, "This vault is registered already.") }
      return Reply(status: 200, CreateVaultAnswer(incarnation: incarnation))
    case .inviteRefused:
      throw Problem(.invite, "The invite token is unknown, used up or expired.")
    }
  }

  private static func genesis(_ bytes: [UInt8]) throws(Problem) -> ChainState {
    guard let entry = try? ChainEntry(decoding: bytes) else {
      throw Problem(.malformed, "The genesis entry does not have the form described.")
    }
    do throws(ChainError) {
      return try ChainState(genesis: bytes, vaultID: ChainHash.entry(entry))
    } catch {
      throw Problem(.malformed, "The genesis entry does not verify: \(error).")
    }
  }

  private func inviteHash(_ token: String?) throws(Problem) -> [UInt8]? {
    if configuration.openRegistration { return nil }
    guard let token else { throw Problem(.invite, "This relay registers a vault only with an invite token.") }
    guard let hash = Invite.hash(of: token) else {
      throw Problem(.invite, "The invite token is not one: it has 26 characters.")
    }
    return hash
  }

  static func locators(of state: ChainState) -> [RecoveryLocator] {
    state.activeRecoveryKeys.map { RecoveryLocator(locator: $0.keys.locator, recovery: $0.id) }
  }

  /// Reads keyrings and checks that they belong to this vault and to active recipients of epochs that there are.
  static func keyrings(_ keyrings: [[UInt8]], in state: ChainState) throws(Problem) -> [StoredKeyring] {
    var result: [StoredKeyring] = []
    for bytes in keyrings {
      guard let keyring = try? SealedKeyring(decoding: bytes), keyring.vaultID == state.vaultID else {
        throw Problem(.malformed, "A keyring does not have the form described, or is another vault's.")
      }
      let isKnown = state.activeDevice(keyring.recipient) != nil || state.activeRecoveryKey(keyring.recipient) != nil
      guard isKnown, keyring.epoch <= state.epoch else {
        throw Problem(.malformed, "A keyring is for a recipient or an epoch that the chain does not have.")
      }
      result.append(
        StoredKeyring(
          kind: keyring.kind.rawValue, epoch: keyring.epoch, recipient: keyring.recipient, bytes: bytes))
    }
    return result
  }

  /// GET V/keyrings.
  func keyrings(_ vault: [UInt8], _ call: Call, _ request: ServerRequest) throws(Problem) -> Reply {
    _ = try activeCaller(request, of: vault)
    let from = try call.number("from") ?? 0
    let page = try stored { () throws(RelayStorageError) in try storage.keyrings(of: vault, from: from) }
    guard let page else { throw Self.noVault }
    return Reply(page)
  }

  /// POST V/keyrings.
  func putKeyrings(_ vault: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    let caller = try activeCaller(request, of: vault)
    let message = try decode(PutKeyringsRequest.self, request)
    try guarded(vault, caller) { state throws(Problem) in
      let keyrings = try Self.keyrings(message.keyrings, in: state)
      let guarded = WriteGuard(incarnation: nil, chainLength: state.length, quota: configuration.vaultQuota)
      return try stored { () throws(RelayStorageError) in try storage.add(keyrings, to: vault, guarded) }
    }
    return Reply(EmptyMessage())
  }

  /// GET /v1/recovery/L.
  func recovery(_ locator: [UInt8], _ call: Call) throws(Problem) -> Reply {
    let from = try call.number("from") ?? 0
    let found = try stored { () throws(RelayStorageError) in try storage.vaults(locator: locator) }
    for (vault, recovery) in found {
      let (status, state) = try vaultState(vault)
      guard state.recoveryKey(locator: locator)?.id == recovery else { continue }
      let page = try stored { () throws(RelayStorageError) in try storage.chain(of: vault, from: from) }
      guard let page else { continue }
      let keyrings = try stored { () throws(RelayStorageError) in
        try storage.keyrings(of: vault, recipient: recovery)
      }
      return Reply(
        RecoveryPage(
          vault: vault, incarnation: status.incarnation, entries: page.entries, chainLength: page.chainLength,
          keyrings: keyrings))
    }
    throw Problem(.notFound, "No vault here has this recovery key.")
  }
}
