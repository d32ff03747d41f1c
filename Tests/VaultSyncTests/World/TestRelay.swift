import Foundation
import RelayCore
import RelayStorageSQLite
import RelayWire
import Synchronization

/// A real relay over SQLite in this process, whose database can be put back to an older copy.
final class TestRelay: Sendable {
  static let address = RelayAddress("http://relay.example:7440")
  private struct State {
    var storage: SQLiteRelayStorage
    var service: RelayService
    var transport: LoopbackTransport
  }

  private let folder: Folder
  private let state: Mutex<State>
  private let clock: TestClock

  init(clock: TestClock) throws {
    folder = try Folder()
    self.clock = clock
    state = Mutex(try Self.open(folder.path + "/relay.sqlite", clock, quota: 1 << 30))
  }

  private static func open(_ path: String, _ clock: TestClock, quota: UInt64) throws -> State {
    let storage = try SQLiteRelayStorage(database: path)
    var configuration = RelayService.Configuration()
    configuration.openRegistration = true
    configuration.vaultQuota = quota
    configuration.now = { clock.now }
    let service = RelayService(storage: storage, configuration: configuration)
    return State(storage: storage, service: service, transport: LoopbackTransport(service))
  }

  var transport: LoopbackTransport { state.withLock { $0.transport } }

  /// Restarts over the same database, with another quota.
  func restart(quota: UInt64) throws { try reopen(quota: quota) {} }

  /// Copies the database away.
  func backUp(_ name: String = "backup") throws {
    try reopen { try copy(from: "relay", to: name) }
  }

  /// Puts a copy back, as an operator does who knows nothing of incarnations; with `newIncarnation`, as one who does.
  func restore(_ name: String = "backup", newIncarnation: Bool = false) throws {
    try reopen { try copy(from: name, to: "relay") }
    if newIncarnation { try state.withLock { try $0.storage.renewIncarnations() } }
  }

  /// A second relay that goes on from where this one is.
  func split() throws -> TestRelay {
    let other = try TestRelay(clock: clock)
    try reopen {
      try other.reopen {
        for suffix in ["", "-wal", "-shm"] {
          let (source, target) = ("\(folder.path)/relay.sqlite\(suffix)", "\(other.folder.path)/relay.sqlite\(suffix)")
          try? FileManager.default.removeItem(atPath: target)
          if FileManager.default.fileExists(atPath: source) {
            try FileManager.default.copyItem(atPath: source, toPath: target)
          }
        }
      }
    }
    return other
  }

  private func reopen(quota: UInt64 = 1 << 30, _ body: () throws -> Void) throws {
    try state.withLock { state in
      state.service.stopWaiting()
      state.storage.close()
      try body()
      state = try Self.open(folder.path + "/relay.sqlite", clock, quota: quota)
    }
  }

  private func copy(from: String, to: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      let source = "\(folder.path)/\(from).sqlite\(suffix)"
      let target = "\(folder.path)/\(to).sqlite\(suffix)"
      try? FileManager.default.removeItem(atPath: target)
      if FileManager.default.fileExists(atPath: source) {
        try FileManager.default.copyItem(atPath: source, toPath: target)
      }
    }
  }
}

/// The time of day, in the test's hands.
final class TestClock: Sendable {
  private let milliseconds = Atomic<UInt64>(1_800_000_000_000)

  var now: UInt64 { milliseconds.load(ordering: .relaxed) }
  func advance(seconds: UInt64) { milliseconds.add(seconds * 1000, ordering: .relaxed) }
  func tick() { milliseconds.add(1, ordering: .relaxed) }
}
