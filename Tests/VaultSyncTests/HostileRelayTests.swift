import CBOR
import DeviceChain
import RelayWire
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("A relay that lies")
struct HostileRelayTests {
  /// The checkpoints that another relay holds, as it hands them out.
  private func checkpoints(of device: TestDevice) throws -> [[UInt8]] {
    try #require(try device.api.changes(since: device.vault.row.cursor).last).checkpoints
  }

  /// Lets one device see the checkpoints that another one published at its own relay.
  private func pass(checkpointsFrom other: TestDevice, to device: TestDevice) throws {
    let published = try checkpoints(of: other)
    device.transport.rewritePages { page in
      guard page.last != nil else { return }
      page.last?.checkpoints += published
    }
  }

  @Test(
    "Two devices that are served different records at one sequence find it out: the vault forks, local data stay usable"
  )
  func forkedRecords() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    world[1].transport.connect(try world.relay.split())
    try world[0].add("bob", "for the first")
    try world[1].add("cat", "for the second")
    for _ in 0..<4 {
      for (device, other) in [(world[0], world[1]), (world[1], world[0])] where device.vault.row.state == .active {
        try pass(checkpointsFrom: other, to: device)
        do { try device.sync() } catch SyncError.misbehaved {}
      }
    }
    for device in world.devices {
      #expect(device.vault.row.state == .forked || device.vault.alarm?.contains("other records") == true)
    }
    let forked = try #require(world.devices.first { $0.vault.row.state == .forked })
    #expect(forked.vault.row.evidence.contains("sequence"))
    #expect(throws: SyncError.misbehaved(forked.vault.row.evidence)) { try forked.sync() }
    // Local data stay usable, and it is still forked after a restart.
    #expect(try forked.secret("ann") == "one")
    try forked.add("dan", "offline")
    try forked.crash()
    #expect(try forked.secret("dan") == "offline")
    #expect(throws: SyncError.self) { try forked.sync() }
    // The person decides to go on with what this relay serves.
    forked.transport.obey(nil)
    forked.transport.connect(world.relay)
    try forked.vault.acceptRelayState()
    try forked.sync()
    #expect(forked.vault.row.state == .active)
    #expect(try forked.secret("bob") == "for the first")
  }

  @Test("A relay that serves two device chains is found out by checkpoints, and by the entries themselves")
  func forkedChain() throws {
    let world = try World()
    try world.settle()
    let held = world[1].vault.chain.length
    let other = try world.relay.split()
    world[1].transport.connect(other)
    // At one relay the first device adds somebody, at the other one the second does.
    let third = try world.join()
    #expect(third.vault.chain.length == held + 1)
    try world[1].addSomebody()
    #expect(world[1].vault.chain.length == held + 1)
    try world[0].sync()
    try world[1].sync()
    try pass(checkpointsFrom: world[1], to: world[0])
    #expect(throws: SyncError.self) { try world[0].sync() }
    #expect(world[0].vault.row.state == .forked)
    #expect(world[0].vault.row.evidence.contains("chain"))
    // The third device knows the first chain; the second relay serves it a longer other one.
    try world[1].addSomebody()
    third.transport.connect(other)
    #expect(throws: SyncError.self) { try third.sync() }
    #expect(third.vault.row.state == .active || third.vault.row.state == .forked)
    #expect(third.vault.chain.length == held + 1)
  }

  @Test("A longer chain that parts from the known one is a fork with evidence")
  func forkedLongerChain() throws {
    let world = try World()
    try world.settle()
    let other = try world.relay.split()
    world[1].transport.connect(other)
    try world.join()
    try world[1].addSomebody()
    try world[1].addSomebody()
    world[0].transport.connect(other)
    #expect(throws: SyncError.self) { try world[0].sync() }
    #expect(world[0].vault.row.state == .forked)
    #expect(world[0].vault.row.evidence.contains("entry"))
  }

  @Test("A chain that does not verify stops one attempt and proves nothing: the next honest answer is taken")
  func garbageChain() throws {
    let world = try World()
    try world.settle()
    let third = try world.join()
    world[1].transport.obey { request, pass throws(RelayError) in
      var answer = try pass()
      guard request.isChain, var page = try? ChainPage(decoding: answer.body), !page.entries.isEmpty else {
        return answer
      }
      page.entries[0][page.entries[0].count - 1] ^= 1
      answer.body = page.encoded
      return answer
    }
    #expect(throws: SyncError.self) { try world[1].sync() }
    #expect(world[1].vault.row.state == .active)
    world[1].transport.obey(nil)
    try world[1].sync()
    #expect(world[1].vault.chain.activeDevice(third.device.bytes) != nil)
    try world.settle()
    try world.expectSettled()
  }

  @Test("A relay that hides the newest records is noticed by another device's checkpoint")
  func withheldTail() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world[0].add("bob", "two")
    try world[0].sync()
    let (published, old) = (try checkpoints(of: world[0]), world[1].vault.row.cursor)
    let digest = world[1].vault.listingDigest.bytes
    world[1].transport.rewritePages { page in
      page.changes = []
      page.head = old
      page.last = LastPage(
        listingDigest: digest, droppedPurge: 0, checkpoints: published, checkpointCount: 99)
    }
    try world[1].sync()
    #expect(world[1].vault.alarm?.contains("hides records") == true)
    #expect(world[1].vault.row.state == .active)
    world[1].transport.obey(nil)
    try world[1].sync()
    #expect(try world[1].secret("bob") == "two")
  }

  @Test("A relay that claims a chain which it does not serve is refused")
  func claimedChain() throws {
    let world = try World()
    try world.settle()
    world[1].transport.rewritePages { page in page.chainLength += 3 }
    #expect(throws: SyncError.self) { try world[1].sync() }
    #expect(world[1].vault.row.state == .active)
  }

  @Test("A checkpoint that names a longer chain than the relay serves is an alarm")
  func hiddenChain() throws {
    let world = try World()
    try world.settle()
    try world.join()
    try world[0].sync()
    world[1].transport.rewritePages { page in
      page.chainLength -= 1
    }
    try world[1].pull()
    #expect(world[1].vault.alarm?.contains("longer device chain") == true)
  }

  enum PushLie: CaseIterable { case storedLow, storedNowhere, gone, conflictOld, conflictNothing, epoch, incarnation }

  @Test(
    "Answers to pushes that lead nowhere end the cycle with an error, and lose nothing", arguments: PushLie.allCases)
  func pushLies(lie: PushLie) throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world[0].edit("ann", secret: "two")
    let old = try #require(try world[1].row("ann")).record
    let counter = Counter()
    world[0].transport.obey { request, pass throws(RelayError) in
      guard request.isPush else { return try pass() }
      counter.next()
      let answer: PushAnswer
      switch lie {
      case .storedLow: answer = .stored(1)
      case .storedNowhere: answer = .stored(2)
      case .gone: answer = .gone
      case .conflictOld: answer = .conflict(1, old)
      case .conflictNothing: answer = .conflict(9, nil)
      case .epoch: answer = .refused(.epoch)
      case .incarnation:
        let problem = Problem(.incarnation, "other")
        return RelayResponse(status: problem.status, body: problem.body)
      }
      return RelayResponse(status: 200, body: PushAnswers(answers: [answer]).encoded)
    }
    do { try world[0].sync() } catch let error as SyncError {
      guard case .misbehaved = error else { throw error }
    }
    #expect(counter.count < 20)
    world[0].transport.obey(nil)
    try world.settle()
    #expect(try world[1].secret("ann") == "two")
    #expect(try world[0].records() == world[1].records())
  }

  @Test("A feed that never ends is cut short")
  func endlessFeed() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    let slot = try world[1].slot("ann").bytes
    let record = try #require(try world[1].row("ann")).record
    let counter = Counter()
    world[1].transport.rewritePages { page in
      let sequence = page.head + UInt64(counter.next()) + 1
      page.head = sequence + 1
      page.changes = [Change(slot: slot, sequence: sequence, content: .record(record))]
      page.more = true
      page.last = nil
    }
    #expect(throws: SyncError.self) { try world[1].pull(atMost: 50) }
    #expect(counter.count <= 51)
    world[1].transport.obey(nil)
    try world[1].sync()
    #expect(try world[1].secret("ann") == "one")
    #expect(try world[1].records() == world[0].records())
  }

  @Test("Sequences that nothing can hold are refused")
  func monstrousSequence() throws {
    let world = try World()
    try world.settle()
    world[1].transport.rewritePages { page in page.head = .max }
    #expect(throws: SyncError.self) { try world[1].sync() }
    world[1].transport.obey(nil)
    try world[1].sync()
    world.expectCalm()
  }

  @Test("A page that changes its mind about the head between pages is a loss, not a trap")
  func shrinkingHead() throws {
    let world = try World()
    for index in 0..<6 { try world[0].add("user \(index)", "secret") }
    try world[0].sync()
    let counter = Counter()
    world[1].transport.rewritePages { page in
      guard counter.next() == 0 else { return }
      page.changes = Array(page.changes.prefix(4))
      page.more = true
      page.head = 1_000
      page.last = nil
    }
    try world[1].sync()
    #expect(try world[1].secret("user 5") == "secret")
  }

  @Test("403 from a relay is believed only with the chain: without it, it is one failed attempt")
  func false403() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    for code in [ProblemCode.revoked, .role, .invite] {
      world[1].transport.obey { request, pass throws(RelayError) in
        guard request.isPull else { return try pass() }
        let problem = Problem(code, "no")
        return RelayResponse(status: problem.status, body: problem.body)
      }
      #expect(throws: SyncError.self) { try world[1].sync() }
      #expect(world[1].vault.row.state == .active)
      #expect(try world[1].secret("ann") == "one")
    }
    // Nor does a relay that answers everything so lead anywhere but to an error.
    world[1].transport.obey { _, _ throws(RelayError) in
      let problem = Problem(.revoked, "no")
      return RelayResponse(status: problem.status, body: problem.body)
    }
    #expect(throws: SyncError.self) { try world[1].sync() }
    world[1].transport.obey(nil)
    try world.settle()
    try world.expectSettled()
  }

  @Test("Empty, missing and malformed answers change nothing", arguments: [200, 204, 301, 404, 418, 500])
  func nonsense(status: Int) throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    for body in [[], [0x80], Array("<html>".utf8), [UInt8](repeating: 0x9F, count: 1000)] {
      world[1].transport.obey { _, _ throws(RelayError) in RelayResponse(status: status, body: body) }
      #expect(throws: SyncError.self) { try world[1].sync() }
    }
    world[1].transport.obey(nil)
    try world[1].sync()
    #expect(try world[1].secret("ann") == "one")
    world.expectCalm()
  }

  @Test("The inviting device's checkpoint is held against the first complete pull, even one that comes after a crash")
  func invitation() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world[0].add("bob", "two")
    try world.settle()
    let checkpoint = try #require(try world[0].vault.currentCheckpoint())
    let late = try world.join()
    try late.vault.store.transaction {
      try late.vault.store.setSetting(OpenVault.invitationSetting(late.vault.id), checkpoint)
    }
    try late.crash()
    late.transport.rewritePages { page in
      page.changes.removeLast()
      page.head -= 1
      var digest = ListingDigest()
      for change in page.changes { digest.insert(slot: change.slot, sequence: change.sequence) }
      page.last?.listingDigest = digest.bytes
      page.last?.checkpoints = []
    }
    try late.sync()
    #expect(late.vault.alarm?.contains("hides records") == true)
  }

  @Test("A store that was copied and goes on twice hears of it")
  func copiedStore() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    let checkpoint = try checkpoints(of: world[0])
    try world[0].vault.changing { world[0].vault.row.checkpointNumber = 0 }
    _ = try world[0].vault.check(checkpoint, head: world[0].vault.row.cursor)
    #expect(world[0].vault.alarm?.contains("copy") == true)
  }
}
