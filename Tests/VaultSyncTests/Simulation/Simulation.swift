import RelayWire
import SealedRecords
import Synchronization
import VaultModel
import VaultStore

@testable import VaultSync

/// One random run: devices write, sync, crash, lock and lose requests and answers; then everything heals and is compared.
final class Simulation: @unchecked Sendable {
  // Unchecked: one thread runs it; rules of transports are called on that thread too.

  /// What happens beside the ordinary.
  struct Features: OptionSet {
    let rawValue: Int
    /// The keys are rotated now and then.
    static let rotation = Features(rawValue: 1)
    /// The relay is put back to an older copy of its database, under the same incarnation or a new one.
    static let restore = Features(rawValue: 2)
    /// A device's clock is days ahead for a while.
    static let farClock = Features(rawValue: 4)
  }

  let features: Features
  private var random: SplitMix64
  private let world: World
  private var oracle = Oracle()
  private var hasBackup = false
  private var isRestored = false
  private var depth = 0
  /// The outer sync only pulls: then another thread may push.
  private var isPulling = false
  /// What happened, for a failure.
  private(set) var trace: [String] = []
  private static let accounts = ["ann", "bob", "cat"]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    features = Features(rawValue: Int(seed % 8))
    world = try World(devices: 2 + random.below(2))
    for device in world.devices { device.clockOffset = Int64(random.below(7_200_000)) - 3_600_000 }
  }

  /// Runs and returns what is wrong; empty if nothing is.
  func run(steps: Int = 45) throws -> [String] {
    for _ in 0..<steps { try step() }
    try heal()
    return try faults()
  }

  private func say(_ what: String) { trace.append(String(repeating: "  ", count: depth) + what) }

  private func anyDevice() -> TestDevice { world.devices[random.below(world.devices.count)] }

  // MARK: - Steps

  private func step() throws {
    let device = anyDevice()
    switch random.below(100) {
    case 0..<45: try write(device)
    case 45..<70: try sync(device)
    case 70..<76: try crash(device)
    case 76..<84: try turnKey(device)
    case 84..<86 where world.devices.count < 4: try join()
    case 86..<89 where features.contains(.rotation): try rotate()
    case 89..<92 where features.contains(.restore): try backUpOrRestore()
    case 92..<94 where features.contains(.farClock):
      device.clockOffset = random.chance(50) ? 0 : 3 * 24 * 3_600_000
      say("\(device.name) has its clock \(device.clockOffset) ms ahead")
    default: world.clock.advance(seconds: UInt64(random.below(120)))
    }
  }

  private func crash(_ device: TestDevice) throws {
    let locked = random.chance(30)
    say("\(device.name) crashes\(locked ? " and starts locked" : "")")
    device.transport.obey(nil)
    try device.crash(locked: locked)
    if locked, random.chance(60) { try device.unlock() }
  }

  private func turnKey(_ device: TestDevice) throws {
    if device.isUnlocked {
      say("\(device.name) locks")
      try device.lockNow()
    } else {
      say("\(device.name) unlocks")
      try device.unlock()
    }
  }

  private func rotate() throws {
    say("the keys are rotated")
    try calm { try world.revoke() }
  }

  private func join() throws {
    say("a device joins")
    try calm {
      try world.admin.sync()
      try world.join()
    }
  }

  private func backUpOrRestore() throws {
    if !hasBackup {
      say("the relay is backed up")
      try world.relay.backUp()
      hasBackup = true
    } else {
      let renewed = random.chance(40)
      say("the relay is restored\(renewed ? " with a new incarnation" : "")")
      try world.relay.restore(newIncarnation: renewed)
      isRestored = true
      // A second restore would bring an old incarnation back, or the same one twice.
      hasBackup = false
    }
  }

  /// Runs `body` with an unlocked admin and no faults on its line.
  private func calm(_ body: () throws -> Void) throws {
    world.admin.transport.obey(nil)
    if !world.admin.isUnlocked { try world.admin.unlock() }
    do {
      try body()
    } catch SyncError.relay(let error) where isExpected(error) {
      say("not now: \(error)")
    } catch let error as RelayError where isExpected(error) {
      say("not now: \(error)")
    }
  }

  // MARK: - Local writes

  private func write(_ device: TestDevice) throws {
    let account = Self.accounts[random.below(Self.accounts.count)]
    let value = String(random.next(), radix: 36)
    do {
      let before = try state(device, account)
      switch random.below(10) {
      case 0..<3:
        let accessible: Accessibility = random.chance(50) ? .whenUnlocked : .afterFirstUnlock
        try device.add(account, value, label: random.chance(50) ? value : nil, accessible)
      case 3..<6: try device.edit(account, secret: value)
      case 6: try device.edit(account, [.label: .text(value)])
      case 7:
        let accessible: Accessibility = random.chance(50) ? .whenUnlocked : .afterFirstUnlock
        try device.edit(account, [.accessible: .text(accessible.rawValue)])
      default: try device.remove(account)
      }
      guard let after = try state(device, account) else { throw VaultError.damaged("a write left nothing") }
      oracle.note(account, by: device.device, before: before, after: after)
      say("\(device.name) wrote \(account) (\(after.isDeleted ? "deleted" : "live"))")
    } catch VaultError.locked {
    } catch VaultError.notFound {
    } catch VaultError.duplicate {
    }
  }

  private func state(_ device: TestDevice, _ account: String) throws -> ItemState? {
    try device.row(account).map { row in try device.withVault { try $0.open(row) } }
  }

  // MARK: - Sync

  private func sync(_ device: TestDevice) throws {
    guard device.vault.secretsC != nil else { return }
    say("\(device.name) syncs")
    depth += 1
    defer {
      depth -= 1
      say("\(device.name) \(standing(device))")
    }
    device.transport.obey(depth == 1 ? rule(for: device) : nil)
    defer { if depth == 1 { device.transport.obey(nil) } }
    do {
      isPulling = random.below(10) < 2
      defer { isPulling = false }
      switch isPulling ? 0 : 1 + random.below(8) {
      case 0: try device.pull()
      case 1: try device.engine.pushAll()
      default: try device.sync()
      }
    } catch SyncError.relay(let error) where isExpected(error) {
      say("failed: \(error)")
      if random.chance(30) { try crash(device) }
    } catch SyncError.locked {
    }
  }

  private func standing(_ device: TestDevice) -> String {
    let row = device.vault.row
    let complete = row.complete.map(String.init) ?? "none"
    let published = row.checkpointSequence.map(String.init) ?? "none"
    return "is at \(row.cursor), complete at \(complete), checkpoint at \(published)"
  }

  private func isExpected(_ error: RelayError) -> Bool {
    if case .unreachable = error { return true }
    // A relay that was put back does not know everybody, or has another incarnation than a checkpoint.
    return isRestored && [.notADevice, .incarnation, .chainMoved].contains(error.problemCode)
  }

  /// Drops, repeats, and lets other things happen while a request is on its way.
  private func rule(for device: TestDevice) -> TestTransport.Rule {
    { [self] _, pass throws(RelayError) in
      switch random.below(100) {
      case 0..<6:
        say("a request is dropped")
        throw .lost
      case 6..<12:
        _ = try pass()
        say("an answer is dropped")
        throw .lost
      case 12..<16:
        say("a request is repeated")
        _ = try pass()
        return try pass()
      case 16..<20:
        meanwhile(device)
        return try pass()
      case 20..<24:
        let answer = try pass()
        meanwhile(device)
        return answer
      default: return try pass()
      }
    }
  }

  /// What another thread or another device does while a request of `device` is on its way.
  private func meanwhile(_ device: TestDevice) {
    guard depth == 1 else { return }
    depth += 1
    defer { depth -= 1 }
    let other = anyDevice()
    do {
      switch random.below(5) {
      case 0 where isPulling:
        say("\(device.name) pushes meanwhile")
        device.transport.obey(nil)
        try device.engine.pushAll()
        device.transport.obey(rule(for: device))
      case 0, 4:
        say("\(device.name) pulls meanwhile")
        device.transport.obey(nil)
        try device.pull()
        device.transport.obey(rule(for: device))
      case 1: try write(device)
      case 2 where other !== device: try sync(other)
      default: try write(other)
      }
    } catch {
      say("meanwhile: \(error)")
      device.transport.obey(rule(for: device))
    }
  }

  // MARK: - The end

  private func heal() throws {
    say("everything heals")
    for device in world.devices {
      device.transport.obey(nil)
      device.clockOffset = 0
      if !device.isUnlocked { try device.unlock() }
    }
    // Whatever lay ahead of its time is due.
    world.clock.advance(seconds: 5 * 24 * 3_600)
    for round in 0..<6 {
      for device in world.devices {
        do { try device.sync() } catch SyncError.relay(let error) where round == 0 && isExpected(error) {
          say("\(device.name): \(error)")
        }
        say("\(device.name) \(standing(device))")
      }
    }
  }

  private func faults() throws -> [String] {
    var faults: [String] = []
    let expected = try world.admin.records()
    for device in world.devices {
      if try device.records() != expected { faults.append("\(device.name) holds other records than device 0") }
      if try device.hasDirty { faults.append("\(device.name) has unpushed writes") }
      let counts = try device.counts
      if counts.waiting > 0 || counts.quarantined > 0 { faults.append("\(device.name) has \(counts) in its inbox") }
      for account in oracle.accounts {
        if let fault = oracle.fault(account, try state(device, account)) { faults.append("\(device.name): \(fault)") }
      }
      let vault = device.vault
      if vault.row.state != .active { faults.append("\(device.name) is \(vault.row.state): \(vault.row.evidence)") }
      if try vault.store.hasUnstored(vault: vault.id) { faults.append("\(device.name) has unacknowledged writes") }
      if isRestored { continue }
      if let alarm = vault.alarm { faults.append("\(device.name) was alarmed: \(alarm)") }
      if vault.generation > 0 { faults.append("\(device.name) pulled everything again") }
    }
    return faults
  }
}
