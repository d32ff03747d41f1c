import DeviceChain
import Foundation
import RelayCore
import RelayStorageSQLite
import RelayWire
import Synchronization
import Testing
import VaultCrypto

/// A folder that goes when the test is over.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("lockstep-relay-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A relay over SQLite in this process, its clock in the test's hands.
final class TestRelay: Sendable {
  let folder: Folder
  let storage: SQLiteRelayStorage
  let service: RelayService
  let transport: LoopbackTransport
  private let clock = Clock()

  final class Clock: Sendable {
    let milliseconds = Atomic<UInt64>(1_800_000_000_000)
  }

  static let address = RelayAddress("http://relay.example:7440")

  init(openRegistration: Bool = true, quota: UInt64 = 1 << 30, realTime: Bool = false) throws {
    folder = try Folder()
    storage = try SQLiteRelayStorage(database: folder.path + "/relay.sqlite")
    var configuration = RelayService.Configuration()
    configuration.openRegistration = openRegistration
    configuration.vaultQuota = quota
    if !realTime { configuration.now = { [clock] in clock.milliseconds.load(ordering: .relaxed) } }
    service = RelayService(storage: storage, configuration: configuration)
    transport = LoopbackTransport(service)
  }

  var now: UInt64 { clock.milliseconds.load(ordering: .relaxed) }

  func advance(seconds: UInt64) { clock.milliseconds.add(seconds * 1_000, ordering: .relaxed) }

  func api(_ vault: [UInt8], _ signer: (any RequestSigner)?) throws -> RelayAPI {
    RelayAPI(transport: transport, address: try #require(Self.address), vault: vault, signer: signer)
  }

  /// Registers a vault and returns its founder's view of it.
  func register(_ vault: Vault) throws -> (api: RelayAPI, incarnation: [UInt8]) {
    let api = try api(vault.id, vault.founder)
    return (api, try api.createVault(invite: nil, genesis: vault.genesis, keyrings: []))
  }

  /// Adds a device to a registered vault and returns its view.
  func join(_ device: Device, _ role: DeviceRole, to vault: inout Vault) throws -> RelayAPI {
    let entry = vault.addition(device, role)
    _ = try api(vault.id, vault.founder).append(expectedHead: vault.state.head, entry: entry, keyrings: [])
    try vault.apply(entry)
    return try api(vault.id, device)
  }
}

/// Expects that the relay answers with this problem.
func expect(
  _ code: ProblemCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("no problem, but \(code) was expected", sourceLocation: sourceLocation)
  } catch let error as RelayError {
    #expect(error.problemCode == code, "\(error)", sourceLocation: sourceLocation)
  } catch {
    Issue.record("\(error)", sourceLocation: sourceLocation)
  }
}

func anySlot() -> [UInt8] { Randomness.bytes(32) }

extension PushItem {
  init(_ slot: [UInt8], base: UInt64 = 0, _ record: [UInt8]) {
    self.init(slot: slot, base: base, content: .record(record))
  }
}

/// Lets other threads run, in a loop that waits for what nothing announces.
func pause() { usleep(500) }
