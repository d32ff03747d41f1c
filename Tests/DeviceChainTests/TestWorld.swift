import CBOR
import DeviceChain
import RelayWire
import Testing
import VaultCrypto

/// A device with its chain-signing key; the other keys only have to be there.
final class TestDevice: Sendable {
  let signing = SigningKey<ChainSigningRole>.random()
  let keys: DevicePublicKeys
  var id: [UInt8] { ChainHash.deviceID(keys) }

  init() {
    keys = DevicePublicKeys(
      chainSigning: signing.publicKey, exchangeA: Randomness.bytes(32), pushSigning: Randomness.bytes(32),
      exchangeC: Randomness.bytes(32))
  }
}

final class TestRecovery: Sendable {
  let signing = SigningKey<RecoverySigningRole>.random()
  let keys: RecoveryPublicKeys
  var id: [UInt8] { ChainHash.recoveryID(keys) }

  init(locator: [UInt8] = Randomness.bytes(32), nameEpoch: UInt64 = 1) {
    keys = RecoveryPublicKeys(
      signing: signing.publicKey, sealing: Randomness.bytes(32), commitment: Randomness.bytes(32), locator: locator,
      name: anyName(epoch: nameEpoch))
  }
}

func anyName(epoch: UInt64 = 1) -> ChainName {
  ChainName(
    commitment: Randomness.bytes(32), epoch: epoch, nonce: Randomness.bytes(24), sealed: Randomness.bytes(272))
}

func anyCommitments() -> EpochCommitments { EpochCommitments(a: Randomness.bytes(32), c: Randomness.bytes(32)) }

let anyPosition = FeedPosition(incarnation: [UInt8](repeating: 9, count: 16), sequence: 12)

enum TestSigner {
  case device(TestDevice)
  case recovery(TestRecovery)
  /// A device that signs a content under the id of another.
  case pretending(TestDevice, id: [UInt8], kind: ChainSignature.Kind = .device)
  case joining(TestDevice, ChainName, mailbox: [UInt8])

  var id: [UInt8] {
    switch self {
    case .device(let device), .joining(let device, _, _): device.id
    case .recovery(let recovery): recovery.id
    case .pretending(_, let id, _): id
    }
  }

  func sign(_ content: [UInt8], vaultID: [UInt8]) -> ChainSignature {
    switch self {
    case .device(let device):
      ChainSignature(
        kind: .device, signer: device.id, signature: ChainSigning.sign(content: content, device.signing))
    case .recovery(let recovery):
      ChainSignature(
        kind: .recoveryKey, signer: recovery.id, signature: ChainSigning.sign(content: content, recovery.signing))
    case .pretending(let device, let id, let kind):
      ChainSignature(kind: kind, signer: id, signature: ChainSigning.sign(content: content, device.signing))
    case .joining(let device, let name, let mailbox):
      ChainSignature(
        kind: .joiningDevice, signer: device.id,
        signature: ChainSigning.signJoin(
          device: device.keys, vaultID: vaultID, nameCommitment: name.commitment, mailbox: mailbox, device.signing))
    }
  }
}

/// The entry that follows `state`, with what a test makes wrong about it.
func entry(
  _ state: ChainState, _ body: ChainBody, _ signers: [TestSigner], vaultID: [UInt8]? = nil, number: UInt64? = nil,
  previous: [UInt8]? = nil, author: [UInt8]? = nil, time: UInt64 = 1_700_000_000_000
) -> ChainEntry {
  let content = ChainContent(
    vaultID: vaultID ?? state.vaultID, number: number ?? state.number + 1, previous: previous ?? state.head, time: time,
    author: author ?? signers.first?.id ?? [UInt8](repeating: 0, count: 32), body: body)
  let bytes = content.encoded
  return ChainEntry(
    content: content, signatures: signers.map { $0.sign(bytes, vaultID: content.vaultID) })
}

func genesisBody(_ device: TestDevice, _ recovery: [TestRecovery] = [], nameEpoch: UInt64 = 1) -> GenesisBody {
  GenesisBody(
    device: device.keys, name: anyName(epoch: nameEpoch), salt: Randomness.bytes(32), commitments: anyCommitments(),
    slotCommitment: Randomness.bytes(32), setHashCommitment: Randomness.bytes(32), recovery: recovery.map(\.keys))
}

func genesis(_ body: GenesisBody, _ signers: [TestSigner], author: [UInt8]? = nil) -> ChainEntry {
  let content = ChainContent(
    vaultID: [], number: 0, previous: [], time: 1, author: author ?? ChainHash.deviceID(body.device),
    body: .genesis(body))
  let bytes = content.encoded
  return ChainEntry(content: content, signatures: signers.map { $0.sign(bytes, vaultID: []) })
}

/// Two admins, a writer, a reader and a recovery key.
struct TestWorld {
  let first = TestDevice()
  let second = TestDevice()
  let writer = TestDevice()
  let reader = TestDevice()
  let recovery = TestRecovery()
  var entries: [ChainEntry]
  var state: ChainState

  init() throws {
    let genesis = genesis(genesisBody(first, [recovery]), [.device(first), .recovery(recovery)])
    entries = [genesis]
    state = try ChainState(genesis: genesis.encoded, vaultID: ChainHash.entry(genesis))
    try append(addition(second, .admin))
    try append(addition(writer, .writer))
    try append(addition(reader, .reader))
  }

  mutating func append(_ entry: ChainEntry) throws {
    state = try state.applying(entry)
    entries.append(entry)
  }

  /// An add-device entry by the first admin, unless a test says otherwise.
  func addition(
    _ device: TestDevice, _ role: DeviceRole, nameEpoch: UInt64 = 1, mailbox: [UInt8] = Randomness.bytes(32),
    by signer: TestSigner? = nil
  ) -> ChainEntry {
    let name = anyName(epoch: nameEpoch)
    let body = AddDeviceBody(device: device.keys, name: name, role: role, mailbox: mailbox)
    return entry(
      state, .addDevice(body), [signer ?? .device(first), .joining(device, name, mailbox: mailbox)])
  }

  func replacement(of old: TestDevice, by new: TestDevice, nameEpoch: UInt64 = 1) -> ChainEntry {
    let name = anyName(epoch: nameEpoch)
    return entry(
      state, .replaceDevice(ReplaceDeviceBody(device: new.keys, name: name)),
      [.device(old), .joining(new, name, mailbox: ChainSigning.noMailbox)])
  }

  /// The right body of a revoke, for a test to change.
  func revocation(
    _ devices: [[UInt8]] = [], recoveryKeys: [[UInt8]] = [], epoch: UInt64? = nil, recipients: [[UInt8]]? = nil,
    recoveryRecipients: [[UInt8]]? = nil
  ) -> ChainBody {
    let removed = Set(devices.flatMap { [$0] + state.successors(of: $0) })
    return .revoke(
      RevokeBody(
        devices: devices, recoveryKeys: recoveryKeys, epoch: epoch ?? state.epoch + 1, commitments: anyCommitments(),
        recipients: recipients ?? state.activeDevices.map(\.id).filter { !removed.contains($0) },
        recoveryRecipients: recoveryRecipients
          ?? state.activeRecoveryKeys.map(\.id).filter { !recoveryKeys.contains($0) },
        position: anyPosition))
  }

  /// Expects that this entry breaks exactly this rule, whether it comes as a value or as bytes.
  func expect(_ error: ChainError, _ entry: ChainEntry, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(throws: error, sourceLocation: sourceLocation) { try state.applying(entry) }
    #expect(throws: error, sourceLocation: sourceLocation) { try state.applying(entry.encoded) }
  }
}

func sorted(_ ids: [[UInt8]]) -> [[UInt8]] { ids.sorted { $0.lexicographicallyPrecedes($1) } }
