internal import AgentWire
internal import DeviceChain
internal import Glibc
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// What `init`, `join` and `recover` share: the device's keybag, and storing a vault once everything of it was verified.
struct VaultSetup {
  let agent: Agent
  let vaultName: String
  let deviceName: String
  /// A keybag to be stored with the device's first vault; nil if there is one.
  private let newKeybag: (keybag: Keybag, keys: UnlockedKeys)?

  /// Checks everything that can be checked before the relay is asked: the name, the lock state, the passphrase.
  init(_ agent: Agent, _ new: NewVault) throws {
    self.agent = agent
    let (vaultName, keybag) = try agent.locked { state in
      let name = try state.newVaultName(new.vault)
      if state.keybag != nil, !state.isUnlocked { throw VaultError.locked }
      return (name, state.keybag)
    }
    self.vaultName = vaultName
    deviceName = try Self.checkedDeviceName(new.deviceName)
    guard keybag == nil else {
      newKeybag = nil
      return
    }
    guard let passphrase = new.passphrase else {
      throw AgentFailure(.passphraseNeeded, "this device has no keybag yet: a passphrase for it is needed")
    }
    let secret = try agent.locked { state in SecretBox(try state.home.deviceSecret(mayCreate: true)) }
    newKeybag = try Keybag.create(
      passphrase: passphrase.isEmpty ? nil : passphrase,
      parameters: passphrase.isEmpty ? .minimum : .calibrated(), deviceSecret: secret.key.key)
  }

  private static func checkedDeviceName(_ asked: String?) throws -> String {
    let name = asked ?? hostName()
    guard !name.isEmpty, name.utf8.count <= 128 else {
      throw AgentFailure(.invalidParameter, "a device's name is 1 to 128 bytes: give another --device-name")
    }
    return name
  }

  private static func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, 255) == 0 else { return "device" }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? "device" : name
  }

  /// Stores a verified vault, and the keybag if it is the first, in one transaction; then it is open.
  func store(
    _ chain: ChainState, entries: [[UInt8]], keyrings: [[UInt8]], relay: String, keys: DeviceKeys, _ a: KeyringA,
    _ c: KeyringC, incarnation: [UInt8], checkpoint: [UInt8] = []
  ) throws -> Int64 {
    let clock = agent.clock
    let id = try agent.locked { state in
      guard let classKeys = try classKeys(state), let unlocked = newKeybag?.keys ?? state.unlocked else {
        throw VaultError.locked
      }
      var contentsA = LocalSecrets.export(keys.a, a)
      var contentsC = LocalSecrets.export(keys.c, c)
      defer {
        wipe(&contentsA)
        wipe(&contentsC)
      }
      let row = VaultRow(
        vaultID: chain.vault, name: vaultName, relay: relay, deviceID: keys.device,
        secretsA: try LocalBlob.seal(contentsA, .vaultA, vault: chain.vault, classKey: unlocked.whenUnlocked.key),
        secretsC: try LocalBlob.seal(contentsC, .vaultC, vault: chain.vault, classKey: unlocked.afterFirstUnlock.key),
        incarnation: incarnation, setHash: SetHash().bytes, listingDigest: ListingDigest().bytes)
      let vault = try state.store.transaction {
        if let newKeybag { try state.store.setSetting("keybag", newKeybag.keybag.encoded) }
        let id = try state.store.insert(row)
        for (number, entry) in entries.enumerated() {
          try state.store.appendChain(entry, number: UInt64(number), vault: id)
        }
        for bytes in keyrings {
          // What is none helps nobody; this device's own came another way.
          guard let keyring = try? SealedKeyring(decoding: bytes), keyring.vaultID == chain.vaultID else { continue }
          try state.store.insert(
            StoredKeyring(
              kind: UInt8(keyring.kind.rawValue), epoch: keyring.epoch, recipient: keyring.recipient, bytes: bytes),
            vault: id)
        }
        if !checkpoint.isEmpty { try state.store.setSetting(OpenVault.invitationSetting(id), checkpoint) }
        guard let stored = try state.store.vaults().first(where: { $0.id == id }) else {
          throw VaultError.damaged("the new vault's row is missing")
        }
        return try OpenVault(store: state.store, row: stored, classKeys: classKeys)
      }
      if let newKeybag {
        state.keybag = newKeybag.keybag
        state.classKeys = classKeys
      }
      // Keybag and vault are what cannot be pulled again: they must not hang on the log alone.
      try? state.store.moveLogIntoDatabase()
      state.vaults.append(vault)
      do {
        try state.install(unlocked, clock: clock)
      } catch {
        // The vault is stored and its recovery key must be heard of; another vault's trouble shows in its own requests.
        agent.log("after a vault was added: \(describe(error))")
      }
      return vault.id
    }
    agent.startRunners()
    return id
  }

  private func classKeys(_ state: AgentState) throws -> DeviceClassKeys? {
    guard let newKeybag else { return state.classKeys }
    let secret = try state.home.deviceSecret(mayCreate: false)
    return DeviceClassKeys(always: try newKeybag.keybag.alwaysKey(deviceSecret: secret))
  }

  /// A relay's address as a person typed it.
  static func address(_ text: String) throws -> RelayAddress {
    guard let address = RelayAddress(text) else {
      throw AgentFailure(.invalidParameter, "the relay's address must look like http://host:7440 or https://host")
    }
    return address
  }

  /// The whole chain of a vault, verified from its id.
  static func chain(_ api: RelayAPI, vault: VaultID) throws -> (state: ChainState, entries: [[UInt8]]) {
    var entries: [[UInt8]] = []
    while true {
      let page = try api.chain(from: UInt64(entries.count))
      entries += page.entries
      if UInt64(entries.count) >= page.chainLength { break }
    }
    do {
      return (try ChainState(verifying: entries, vaultID: vault.bytes), entries)
    } catch {
      throw AgentFailure(
        .relayMisbehaved, "the relay serves a device chain that does not verify (\(error)): nothing was joined")
    }
  }

  /// All keyrings that the relay holds: every device keeps them, so that the relay can be given them again.
  static func keyrings(_ api: RelayAPI) throws -> [[UInt8]] {
    var keyrings: [[UInt8]] = []
    var bytes = 0
    var from: UInt64 = 0
    while true {
      let page = try api.keyrings(from: from)
      keyrings += page.keyrings
      bytes += page.keyrings.reduce(0) { $0 + $1.count }
      guard bytes <= SyncEngine.mostKeyringBytes else {
        throw AgentFailure(.relayMisbehaved, "the relay's keyrings do not end: nothing was joined")
      }
      guard let next = page.next else { return keyrings }
      from = next
    }
  }

  /// The first full cycle of a vault that was just joined; it tells how far it is. A relay that goes away now does no harm: the
  /// vault is joined, and the background goes on. The inviting device's checkpoint is checked with the first complete pull.
  func firstSync(_ id: Int64, _ send: (AgentEvent) -> Void) {
    do {
      try agent.runner(id)?.cycle { progress in
        guard progress.head > 0 else { return }
        send(
          AgentEvent(
            .progress, "receiving items", done: Int(clamping: progress.received), total: Int(clamping: progress.head)))
      }
    } catch {
      send(AgentEvent(.warning, "the first sync did not finish, it goes on in the background: \(describe(error))"))
    }
  }

  /// The answer to `join` and `recover`.
  func result(_ id: Int64, _ role: DeviceRole) throws -> JoinResult {
    try AgentVaultAccess(agent: agent, vault: id).withVault { vault in
      JoinResult(
        vaultID: vault.row.vaultID, vault: vault.row.name, fingerprint: Fingerprint.text(vault.row.deviceID),
        role: AgentRole(role), itemCount: try vault.store.counts(vault: id).live)
    }
  }
}

extension AgentRole {
  /// The chain's role.
  init(_ role: DeviceRole) {
    switch role {
    case .admin: self = .admin
    case .writer: self = .writer
    case .reader: self = .reader
    }
  }

  /// As the chain names it.
  var chainRole: DeviceRole {
    switch self {
    case .admin: .admin
    case .writer: .writer
    case .reader: .reader
    }
  }
}
