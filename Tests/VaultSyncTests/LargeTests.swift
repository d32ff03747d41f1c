import RelayWire
import SealedRecords
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("Many items, large items, full relays")
struct LargeTests {
  @Test("The first sync of 2,000 items comes in pages, and goes on after a crash where it was")
  func firstSync() throws {
    let world = try World()
    for index in 0..<2_000 { try world[0].add("user \(index)", "secret \(index)") }
    try world[0].sync()
    let pushes = world[0].transport.requests.filter(\.isPush)
    #expect(pushes.count == 2)
    let joiner = world[1]
    // After the first of its pages, in the middle of the second.
    let access = CrashingAccess(joiner, at: 10, afterwards: true)
    #expect(throws: CrashingAccess.Crash.self) { try SyncEngine(access: access, api: try joiner.api).cycle() }
    try joiner.crash()
    let (cursor, held) = (joiner.vault.row.cursor, try joiner.records().count)
    #expect(cursor > 1_000 && cursor < 2_000)
    #expect(held == Int(cursor))
    joiner.transport.forgetRequests()
    try joiner.sync()
    #expect(joiner.transport.requests.first?.path.contains("since=\(cursor)") == true)
    #expect(try joiner.secret("user 1999") == "secret 1999")
    #expect(try joiner.records().count == 2_000)
    try world.settle()
    try world.expectSettled()
  }

  @Test("The next page is asked for while one is merged: what the relay gives meanwhile is no loss")
  func readingAhead() throws {
    let world = try World()
    try world.settle()
    for index in 0..<1_100 { try world[0].add("user \(index)", "secret \(index)") }
    try world[0].sync()
    try world[1].add("own", "one")
    let (device, pulls) = (world[1], Counter())
    device.transport.obey { request, pass throws(RelayError) in
      let answer = try pass()
      guard request.isPull, pulls.next() == 1 else { return answer }
      // The second page is on its way, and an own write reaches the relay before it: a sequence beyond this page's head.
      do { try device.pushOnce() } catch { throw .lost }
      return answer
    }
    try device.sync()
    #expect(pulls.next() >= 2)
    try world.settle()
    try world.expectSettled()
    #expect(try world[0].secret("own") == "one")

    // Two pages again, and this time the second is lost on its way.
    for index in 0..<1_100 { try world[0].edit("user \(index)", secret: "another") }
    try world[0].sync()
    let lost = Counter()
    device.transport.obey { request, pass throws(RelayError) in
      let answer = try pass()
      if request.isPull, lost.next() == 1 { throw .lost }
      return answer
    }
    #expect(throws: SyncError.self) { try device.sync() }
    device.transport.obey(nil)
    try world.settle()
    try world.expectSettled()
    #expect(try device.secret("user 1099") == "another")
  }

  @Test("A batch holds at most 8 MiB, and a record that is larger goes alone")
  func batches() throws {
    let world = try World()
    try world.settle()
    let large = Randomness.bytes(1 << 20)
    for index in 0..<10 {
      try world[0].add("user \(index)", "small")
      try world[0].edit("user \(index)", [.secret: .bytes(large)])
    }
    let item = try conflict(9, of: large.count, world[0])
    try world[0].withVault { vault in
      let slot = try vault.slot(item.primaryKey, .vault, .afterFirstUnlock)
      try vault.store.transaction {
        _ = try vault.seal(item, scope: .vault, slot: slot, replacing: nil, isDirty: true)
      }
    }
    try world[0].sync()
    let pushes = try world[0].transport.requests.filter(\.isPush).map { try PushRequest(decoding: $0.body) }
    #expect(pushes.count >= 3)
    for push in pushes {
      let bytes = push.items.reduce(0) { $0 + $1.content.bytes.count }
      #expect(bytes <= RelayLimits.batchBytes || push.items.count == 1)
    }
    #expect(pushes.contains { $0.items.count == 1 && $0.items[0].content.bytes.count > RelayLimits.batchBytes })
    try world[1].sync()
    let isWhole = try world[1].item("user 9")?.visible[.secret] == .bytes(large)
    #expect(isWhole)
    #expect(try world[1].item("big")?.registers[.secret]?.writes.count == 9)
    try world.settle()
    try world.expectSettled()
  }

  /// An item with many open secrets, as that many devices would leave it.
  private func conflict(_ count: Int, of size: Int, _ device: TestDevice) throws -> ItemState {
    var result = ItemState(itemClass: .genericPassword)
    for _ in 0..<count {
      let id = try #require(DeviceID(Randomness.bytes(32)))
      let values: [AttributeName: AttributeValue] = [
        .account: .text("big"), .service: .text("mail"), .accessGroup: .text("lockstep"),
        .secret: .bytes(Randomness.bytes(size)), .accessible: .text("ck"),
      ]
      result = result.merging(
        try ItemState(itemClass: .genericPassword).adding(
          values, dot: Dot(device: id, counter: 1), clock: device.clock, floor: VersionVector()))
    }
    return result
  }

  @Test("Many conflicts in one batch, more than an answer holds, are all resolved")
  func manyConflicts() throws {
    let world = try World()
    let size = 1 << 20
    for index in 0..<12 {
      try world[0].add("user \(index)", "left")
      try world[0].edit("user \(index)", [.secret: .bytes(Randomness.bytes(size))])
      try world[1].add("user \(index)", "right")
    }
    // The second device pulls first, so that all its pushes meet what it does not know.
    try world[1].pull()
    try world[0].sync()
    try world[1].engine.pushAll()
    try world.settle()
    for index in 0..<12 { #expect(try world[0].item("user \(index)")?.conflicts[.secret]?.count == 2) }
    try world.expectSettled()
  }

  @Test("What a full relay refuses is tried again at the next full cycle")
  func quota() throws {
    let world = try World()
    try world.settle()
    try world.relay.restart(quota: 10_000)
    for index in 0..<20 { try world[0].add("user \(index)", "secret") }
    try world[0].sync()
    let refused = try world[0].vault.store.counts(vault: world[0].vault.id).refused
    #expect(refused > 0 && refused < 20)
    #expect(world[0].vault.alarm == nil)
    try world.relay.restart(quota: 1 << 30)
    try world[0].sync()
    #expect(try world[0].vault.store.counts(vault: world[0].vault.id).refused == 0)
    try world.settle()
    try world.expectSettled()
  }

  @Test("A refused item that is edited is tried again at once")
  func refusedThenEdited() throws {
    let world = try World()
    try world.settle()
    let counter = Counter()
    world[0].transport.obey { request, pass throws(RelayError) in
      guard request.isPush, counter.next() == 0 else { return try pass() }
      return RelayResponse(status: 200, body: PushAnswers(answers: [.refused(.tooLarge)]).encoded)
    }
    try world[0].add("ann", "large")
    try world[0].engine.pushAll()
    #expect(try world[0].vault.store.counts(vault: world[0].vault.id).refused == 1)
    try world[0].engine.pushAll()
    #expect(counter.count == 1)
    try world[0].edit("ann", secret: "small")
    try world[0].engine.pushAll()
    try world[1].sync()
    #expect(try world[1].secret("ann") == "small")
  }
}
