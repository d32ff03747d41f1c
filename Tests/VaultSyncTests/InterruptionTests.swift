import RelayWire
import Testing
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("Requests and answers that are lost, repeated and cut short")
struct InterruptionTests {
  enum Fault: CaseIterable {
    case dropRequest, dropAnswer, repeatRequest, pullBefore, pullAfter, writeAfter, otherBefore, otherAfter
  }

  /// Two devices with something to do of every kind: an edit on both sides, a delete, an add.
  private func busyWorld() throws -> World {
    let world = try World()
    try world[0].add("ann", "one", label: "Mail")
    try world[0].add("bob", "one")
    try world.settle()
    try world[0].edit("ann", secret: "left")
    try world[1].edit("ann", secret: "right")
    try world[1].sync()
    try world[0].remove("bob")
    try world[0].add("cat", "one")
    return world
  }

  /// The other device writes over what is just being pushed, and beside it.
  private func interfere(_ other: TestDevice) {
    _ = try? other.add("dan", "more")
    try? other.edit("ann", [.label: .text("Post")])
    try? other.edit("cat", [.label: .text("Cat")])
    try? other.sync()
  }

  private func expectAllKept(_ world: World, also extra: String? = nil) throws {
    try world.settle()
    for device in world.devices {
      #expect(try device.secrets("ann") == ["left", "right"])
      #expect(try device.item("bob") == nil)
      #expect(try device.secret("cat") == "one")
      if let extra { #expect(try device.secret(extra) == "more") }
    }
    try world.expectSettled()
  }

  @Test(
    "Whatever happens to any one request of a cycle, nothing is lost and nobody is alarmed", arguments: Fault.allCases)
  func everyRequest(fault: Fault) throws {
    var index = 0
    while true {
      let world = try busyWorld()
      let counter = Counter()
      let (device, other) = (world[0], world[1])
      let target = index
      device.transport.obey { _, pass throws(RelayError) in
        guard counter.next() == target else { return try pass() }
        switch fault {
        case .dropRequest: throw .lost
        case .dropAnswer:
          _ = try pass()
          throw .lost
        case .repeatRequest:
          _ = try pass()
          return try pass()
        case .pullBefore:
          try? device.pull()
          return try pass()
        case .pullAfter:
          let answer = try pass()
          try? device.pull()
          return answer
        case .writeAfter:
          let answer = try pass()
          _ = try? device.add("dan", "more")
          return answer
        case .otherBefore:
          self.interfere(other)
          return try pass()
        case .otherAfter:
          let answer = try pass()
          self.interfere(other)
          return answer
        }
      }
      do { try device.sync() } catch SyncError.relay(.unreachable) {}
      device.transport.obey(nil)
      guard counter.count > index else { break }
      let isWriting = [.writeAfter, .otherBefore, .otherAfter].contains(fault)
      try expectAllKept(world, also: isWriting ? "dan" : nil)
      index += 1
    }
    #expect(index >= 4, "a cycle with so little in it tests nothing")
  }

  @Test("A crash at any local step of a cycle loses nothing", arguments: [false, true])
  func everyStep(afterwards: Bool) throws {
    var index = 0
    while true {
      let world = try busyWorld()
      let access = CrashingAccess(world[0], at: index, afterwards: afterwards)
      do {
        try SyncEngine(access: access, api: try world[0].api).cycle()
      } catch is CrashingAccess.Crash {}
      guard access.hasCrashed else { break }
      try world[0].crash()
      try expectAllKept(world)
      index += 1
    }
    #expect(index >= 15)
  }

  @Test("A device that crashes after every single request gets there in the end")
  func crashAfterEachRequest() throws {
    let world = try busyWorld()
    var rounds = 0
    while try world[0].hasDirty {
      let counter = Counter()
      world[0].transport.obey { _, pass throws(RelayError) in
        let answer = try pass()
        guard counter.next() < 2 else { throw .lost }
        return answer
      }
      do { try world[0].sync() } catch SyncError.relay(.unreachable) {}
      world[0].transport.obey(nil)
      try world[0].crash()
      rounds += 1
      try #require(rounds < 20)
    }
    try expectAllKept(world)
  }

  @Test("A late answer to a push that was pushed again in the meantime changes nothing")
  func lateAnswer() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world[0].sync()
    try world[0].edit("ann", secret: "two")
    let batch = try world[0].vault.nextBatch()
    let items = batch.records.map { PushItem(slot: $0.slot.bytes, base: $0.base, content: .record($0.bytes)) }
    let answers = try world[0].api.push(incarnation: batch.incarnation, items)
    // The other device writes over it, and this one pulls before the answer comes.
    try world[1].sync()
    try world[1].edit("ann", secret: "three")
    try world[1].sync()
    try world[0].pull()
    let result = try world[0].vault.apply(answers, to: batch, clock: world[0].clock)
    #expect(result.settled == 1)
    #expect(try world[0].secret("ann") == "three")
    try world.settle()
    try world.expectSettled()
  }

  @Test("A push while a pull is on its way makes nothing start over")
  func pushDuringPull() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world[1].add("bob", "two")
    try world[1].sync()
    try world[0].add("cat", "three")
    let device = world[0]
    let counter = Counter()
    device.transport.obey { request, pass throws(RelayError) in
      let answer = try pass()
      if request.isPull, counter.next() == 0 {
        // Only what is pushed, without the pull that the engine makes after it.
        try? device.pushOnce()
      }
      return answer
    }
    try device.pull()
    device.transport.obey(nil)
    #expect(try !device.hasDirty)
    #expect(try device.secret("bob") == "two")
    try world.settle()
    try world.expectSettled()
  }

  @Test("A write whose answer was lost is acknowledged by the pull that brings it back")
  func acknowledgedByPull() throws {
    let world = try World()
    try world[0].add("ann", "one")
    world[0].transport.obey { request, pass throws(RelayError) in
      let answer = try pass()
      if request.isPush { throw .lost }
      return answer
    }
    #expect(throws: SyncError.self) { try world[0].sync() }
    world[0].transport.obey(nil)
    #expect(try world[0].vault.store.hasUnstored(vault: world[0].vault.id))
    try world[0].pull()
    #expect(try !world[0].vault.store.hasUnstored(vault: world[0].vault.id))
    #expect(try !world[0].hasDirty)
  }

  @Test("A checkpoint whose answer was lost keeps its number: nothing was received again")
  func checkpointNumber() throws {
    let world = try World()
    try world[0].add("ann", "one")
    world[0].transport.obey { request, pass throws(RelayError) in
      let answer = try pass()
      if request.isCheckpoint { throw .lost }
      return answer
    }
    #expect(throws: SyncError.self) { try world[0].sync() }
    let number = world[0].vault.row.checkpointNumber
    #expect(number > 0)
    #expect(throws: SyncError.self) { try world[0].sync() }
    try world[0].crash()
    world[0].transport.obey(nil)
    try world[0].sync()
    #expect(world[0].vault.row.checkpointNumber == number)
    try world[0].add("bob", "two")
    try world[0].sync()
    #expect(world[0].vault.row.checkpointNumber == number + 1)
    // Everything received again is a new number at the same sequence.
    let (point, sequence) = (world[0].vault.syncPoint, world[0].vault.row.complete)
    try world[0].vault.startOver(incarnation: world[0].vault.row.incarnation)
    try world[0].vault.checkpointPublished(at: point, sequence: sequence)
    #expect(world[0].vault.row.checkpointSequence == nil)
    try world[0].sync()
    #expect(world[0].vault.row.checkpointNumber == number + 2)
    #expect(world[0].vault.row.checkpointSequence == sequence)
  }

  @Test("A page that comes after another pull has moved on is dropped, whatever it says")
  func latePage() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world[0].sync()
    var point = world[1].vault.syncPoint
    let page = try world[1].api.changes(since: point.cursor)
    try world[1].pull()
    try world[1].edit("ann", secret: "two")
    try world[1].sync()
    let before = (world[1].vault.row.cursor, world[1].vault.setHash)
    #expect(try world[1].vault.begin(page, at: point) == .stale)
    let changes = page.changes.map { OpenedChange($0, with: world[1].vault.openingKeys) }
    #expect(try !world[1].vault.take(changes, at: &point, clock: world[1].clock))
    #expect(try world[1].vault.finish(page, at: point, clock: world[1].clock) == .stale)
    // Nor does one from before everything was started over, although the cursor is at 0 again.
    let started = try World()
    let first = started[1].vault.syncPoint
    let other = try started[1].api.changes(since: 0)
    try started[1].vault.startOver(incarnation: started[1].vault.row.incarnation)
    #expect(try started[1].vault.begin(other, at: first) == .stale)
    #expect(world[1].vault.row.cursor == before.0 && world[1].vault.setHash == before.1)
    world.expectCalm()
  }

  @Test("An answer to a push from before everything was started over is ignored")
  func answerFromBefore() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world[0].sync()
    try world[0].edit("ann", secret: "two")
    let batch = try world[0].vault.nextBatch()
    let items = batch.records.map { PushItem(slot: $0.slot.bytes, base: $0.base, content: .record($0.bytes)) }
    let answers = try world[0].api.push(incarnation: batch.incarnation, items)
    try world[0].vault.startOver(incarnation: world[0].vault.row.incarnation)
    let result = try world[0].vault.apply(answers, to: batch, clock: world[0].clock)
    #expect(result.settled == 0 && result.needsPull)
    try world.settle()
    try world.expectSettled(startedOver: true)
  }
}
