import VaultModel

@testable import AgentWire

/// One of everything, with every field set at least once.
enum Samples {
  static let attributes: [AttributeName: AttributeValue] = [
    .service: .text("mail"), .account: .bytes([0xFF, 0]), .port: .number(-1), .isInvisible: .bool(false),
    .isNegative: .bool(true), .startDate: .date(milliseconds: -5), .comment: .absent,
    AttributeName("a name that is longer than eight") ?? .label: .text(""),
  ]

  static let id: [UInt8] = Array(0..<32)

  static let query = ItemQuery(
    vault: "personal", itemClass: .internetPassword, match: attributes, twins: .thisDeviceOnly)

  static let new = NewVault(vault: "v", deviceName: "laptop", passphrase: [0, 0xFF])

  static let requests: [AgentRequest] = [
    .status, .lock, .inviteWait, .inviteCancel, .vaultList,
    .initialize(InitializeArguments(relay: "http://r", invitation: "token", new: new)),
    .initialize(InitializeArguments(relay: "", new: NewVault(passphrase: []))),
    .unlock(UnlockArguments(passphrase: [])), .unlock(UnlockArguments(passphrase: Array("pässword".utf8))),
    .changePassphrase(ChangePassphraseArguments()), .changePassphrase(ChangePassphraseArguments(old: [1], new: [2])),
    .add(
      AddArguments(
        vault: "v", itemClass: .genericPassword, attributes: attributes, secret: [1, 2, 3], synchronizable: true,
        replace: true)),
    .add(
      AddArguments(
        itemClass: .key, attributes: [:], generate: true, generatedLength: 24, synchronizable: false)),
    .find(FindArguments(query: query, withSecret: true, limit: 2)), .find(FindArguments(query: ItemQuery())),
    .update(UpdateArguments(query: query, changes: attributes, secret: [])),
    .update(UpdateArguments(query: ItemQuery(itemClass: .certificate))),
    .remove(RemoveArguments(query: query)),
    .sync(VaultArguments()), .sync(VaultArguments(vault: "v")), .deviceList(VaultArguments(vault: "v")),
    .conflicts(ConflictsArguments()), .conflicts(ConflictsArguments(vault: "v", withSecret: true)),
    .inviteBegin(InviteArguments(vault: "v", role: .writer)),
    .inviteDecide(DecideArguments(approve: true)), .inviteDecide(DecideArguments(approve: false)),
    .join(JoinArguments(code: "LOCKSTEP-0", new: new)),
    .recover(RecoverArguments(relay: "http://r", recoveryKey: "AAAAA-BBBBB", new: new)),
  ]

  static let item = FoundItem(
    vault: "v", itemClass: .genericPassword, attributes: attributes, secret: [7], synchronizable: true,
    creationDate: 1, modificationDate: 2, conflicts: [.label, .secret], isLocked: true)

  static func vault(_ vaultID: VaultID) -> AgentVault {
    AgentVault(
      name: "v", vaultID: vaultID, relay: "http://r", deviceName: "laptop", fingerprint: "ABCD-EFGH", role: .admin,
      itemCount: 1, pendingCount: 2, conflictCount: 3, quarantinedCount: 4, lastSync: 5, standing: .deviceRevoked,
      problem: "revoked")
  }

  static let replies: [(AgentOperation, AgentReply)] = {
    guard let vaultID = VaultID(id), let deviceID = DeviceID(id) else { return [] }
    let joined = JoinResult(vaultID: vaultID, vault: "v", fingerprint: "F", role: .reader, itemCount: 10_000)
    let candidate = CandidateResult(deviceName: "phone", fingerprint: "F")
    let device = AgentDevice(
      deviceID: deviceID, name: "laptop", role: .writer, fingerprint: "F", added: 1, isThisDevice: true,
      standing: .left)
    let conflict = AgentConflict(
      vault: "v", itemClass: .genericPassword, attributes: attributes, attribute: .secret,
      candidates: [
        .init(value: nil, device: "a", time: 1), .init(value: .absent, device: "b", time: 2),
        .init(value: .text("x"), device: "", time: 3),
      ])
    let status = StatusResult(
      version: "0.1", processID: 1, home: "/v", protection: .passphrase, lockState: .afterFirstUnlock,
      vaults: [vault(vaultID)])
    return [
      (.lock, .success(.done)), (.unlock, .success(.done)), (.changePassphrase, .success(.done)),
      (.inviteCancel, .success(.done)), (.status, .success(.status(status))),
      (
        .initialize,
        .success(.initialized(InitializeResult(vaultID: vaultID, vault: "v", recoveryKey: "K", fingerprint: "F")))
      ),
      (.add, .success(.added(AddResult(vault: "v", replaced: true)))),
      (.find, .success(.found(FindResult(items: [item, item], lockedCount: 3)))),
      (.find, .success(.found(FindResult()))), (.update, .success(.count(CountResult(count: 0)))),
      (.remove, .success(.count(CountResult(count: 2)))),
      (.sync, .success(.vaults(VaultsResult(vaults: [vault(vaultID)])))),
      (.vaultList, .success(.vaults(VaultsResult(vaults: [])))),
      (.deviceList, .success(.devices(DeviceListResult(vault: "v", devices: [device])))),
      (.inviteBegin, .success(.invitation(InviteResult(code: "LOCKSTEP-0", expires: 9)))),
      (.inviteWait, .success(.candidate(candidate))), (.inviteDecide, .success(.candidate(candidate))),
      (.join, .success(.joined(joined))), (.recover, .success(.joined(joined))),
      (.conflicts, .success(.conflicts(ConflictsResult(conflicts: [conflict], lockedCount: 1)))),
      (.find, .failure(AgentFailure(.interactionNotAllowed, "The vault is locked."))),
      (.lock, .failure(AgentFailure(AgentStatus(rawValue: 77), "A status of a newer agent."))),
    ]
  }()
}
