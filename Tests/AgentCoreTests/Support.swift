import AgentWire
import Foundation
import RelayCore
import RelayStorageSQLite
import RelayWire
import SQLiteKit
import Synchronization
import Testing
import VaultModel
import VaultSync

@testable import AgentCore
@testable import VaultStore

/// A folder that goes when the test is over.
final class Folder: Sendable {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = parent + "/lockstep-agent-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A real relay in this process, which can be away.
final class TestRelay: Sendable {
  let service: RelayService
  private let storage: SQLiteRelayStorage
  private let folder: Folder
  private let away = Atomic<Bool>(false)
  private let requests = Atomic<Int>(0)

  init() throws {
    folder = try Folder()
    storage = try SQLiteRelayStorage(database: folder.path + "/relay.sqlite")
    var configuration = RelayService.Configuration()
    configuration.openRegistration = true
    service = RelayService(storage: storage, configuration: configuration)
  }

  deinit { service.stopWaiting() }

  var isAway: Bool {
    get { away.load(ordering: .acquiring) }
    set {
      away.store(newValue, ordering: .releasing)
    }
  }

  /// How many requests came, waiting ones too.
  var requestCount: Int { requests.load(ordering: .relaxed) }

  func transport() -> any RelayTransport { Line(self) }

  /// One agent's connection.
  private final class Line: RelayTransport {
    private let relay: TestRelay
    private let loopback: LoopbackTransport

    init(_ relay: TestRelay) {
      self.relay = relay
      loopback = LoopbackTransport(relay.service)
    }

    func send(_ request: RelayRequest, signer: (any RequestSigner)?) throws(RelayError) -> RelayResponse {
      relay.requests.add(1, ordering: .relaxed)
      if relay.isAway { throw .unreachable("the test took it away") }
      let answer = try loopback.send(request, signer: signer)
      // Whoever waited when it went away hears nothing either.
      if relay.isAway { throw .unreachable("the test took it away") }
      return answer
    }

    var waitTicket: UInt64 { loopback.waitTicket }
    func cancelWaiting() { loopback.cancelWaiting() }
  }
}

/// An agent over a folder of its own.
final class TestAgent: Sendable {
  let agent: Agent
  let folder: Folder

  init(_ relay: TestRelay) throws {
    folder = try Folder()
    agent = try Agent(home: folder.path, makeTransport: { relay.transport() }, log: { _ in })
  }

  deinit { agent.stop() }

  static let address = "http://relay.example:7440"

  @discardableResult
  func initialize(passphrase: String = "") throws -> InitializeResult {
    try agent.initialize(
      InitializeArguments(
        relay: Self.address, new: NewVault(deviceName: "first", passphrase: Array(passphrase.utf8))))
  }

  /// Lets another agent join the vault of this one.
  func invite(_ other: TestAgent, passphrase: String = "") throws {
    let invitation = try Invitation(agent, InviteArguments(role: .admin))
    let joined = Mutex<Result<JoinResult, any Error>?>(nil)
    let code = invitation.code
    let thread = Thread {
      let result = Result {
        try other.agent.join(
          JoinArguments(code: code, new: NewVault(deviceName: "second", passphrase: Array(passphrase.utf8))),
          { false }, { _ in })
      }
      joined.withLock { $0 = result }
    }
    thread.start()
    _ = try invitation.wait { false }
    _ = try invitation.decide(approve: true)
    try eventually("the other one joins") { joined.withLock { $0 != nil } }
    _ = try joined.withLock { try $0?.get() }
  }

  func add(_ account: String, _ secret: String, _ accessible: Accessibility = .whenUnlocked, local: Bool = false) throws
  {
    _ = try agent.add(
      AddArguments(
        itemClass: .genericPassword,
        attributes: [
          .account: .text(account), .service: .text("mail"), .accessible: .text(accessible.rawValue),
        ], secret: Array(secret.utf8), synchronizable: !local, replace: true))
  }

  func find(_ account: String) throws -> FindResult {
    try agent.find(
      FindArguments(
        query: ItemQuery(itemClass: .genericPassword, match: [.account: .text(account), .service: .text("mail")]),
        withSecret: true))
  }

  func secret(_ account: String) throws -> String? {
    try find(account).items.first?.secret.map { String(decoding: $0, as: UTF8.self) }
  }

  var standing: AgentVault.Standing? { get throws { try agent.vaultList().first?.standing } }
}

extension Agent {
  /// The vault's id, as a relay knows it.
  var vaultIdentifier: [UInt8] { (try? locked { $0.vaults.first?.row.vaultID.bytes }) ?? [] }
}

extension VaultStore {
  /// The disk takes nothing any more, or takes it again.
  func refuseWrites(_ refuses: Bool) throws { try connection.execute("PRAGMA query_only = \(refuses ? "ON" : "OFF")") }
}

/// Waits for something that another thread brings about. The limit is only there to end a failing test.
func eventually(
  _ what: String, seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) throws {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while try !condition() {
    try #require(Date() < deadline, "\(what) did not happen", sourceLocation: sourceLocation)
    usleep(2_000)
  }
}
