import RelayWire
import Synchronization
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

/// Relays whose answers would keep a device busy for ever. Each cycle must end and say so, what is here must stay, and when the relay
/// is honest again everything must arrive.
@Suite("A relay that never lets a cycle end")
struct EndlessRelayTests {
  private func world() throws -> World {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    return world
  }

  private func expectCaught(_ device: TestDevice, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(sourceLocation: sourceLocation) {
      try device.sync()
    } throws: { error in
      if case SyncError.misbehaved = error { true } else { false }
    }
  }

  @Test("It says stored and keeps nothing")
  func storesNothing() throws {
    let world = try world()
    try world[0].edit("ann", secret: "two")
    let given = Counter()
    world[0].transport.obey { request, pass throws(RelayError) in
      guard request.isPush, let push = try? PushRequest(decoding: request.body) else { return try pass() }
      let answers = push.items.map { _ in PushAnswer.stored(100 + UInt64(given.next())) }
      return RelayResponse(status: 200, body: PushAnswers(answers: answers).encoded)
    }
    expectCaught(world[0])
    #expect(given.count < 20)
    #expect(try world[0].secret("ann") == "two")
    world[0].transport.obey(nil)
    try world.settle()
    #expect(try world[1].secret("ann") == "two")
  }

  @Test("It answers every push with junk in conflict")
  func conflictsWithJunk() throws {
    let world = try world()
    try world[0].edit("ann", secret: "two")
    let given = Counter()
    world[0].transport.obey { request, pass throws(RelayError) in
      guard request.isPush, let push = try? PushRequest(decoding: request.body) else { return try pass() }
      let answers = push.items.map { _ in PushAnswer.conflict(100 + UInt64(given.next()), [1, 2, UInt8(given.count)]) }
      return RelayResponse(status: 200, body: PushAnswers(answers: answers).encoded)
    }
    expectCaught(world[0])
    #expect(given.count < 20)
    #expect(try world[0].secret("ann") == "two")
    world[0].transport.obey(nil)
    try world.settle()
    #expect(try world[1].secret("ann") == "two")
  }

  @Test("It takes each record and serves the one before again, under a new number and with a digest that fits")
  func servesTheOldOneAgain() throws {
    let world = try world()
    let slot = try world[0].slot("ann").bytes
    let old = try #require(try world[0].records()[slot])
    try world[0].edit("ann", secret: "two")
    let feed = Mutex((head: UInt64(50), shows: false))
    world[0].transport.obey { request, pass throws(RelayError) in
      if request.isPush, let push = try? PushRequest(decoding: request.body) {
        let answers = feed.withLock { feed in
          push.items.map { _ in
            feed.head += 1
            feed.shows = true
            return PushAnswer.stored(feed.head)
          }
        }
        return RelayResponse(status: 200, body: PushAnswers(answers: answers).encoded)
      }
      guard request.isPull else { return try pass() }
      let response = try pass()
      guard var page = try? ChangesPage(decoding: response.body), page.last != nil else { return response }
      feed.withLock { feed in
        guard feed.shows else { return }
        feed.head += 1
        page.changes.append(Change(slot: slot, sequence: feed.head, content: .record(old)))
        page.head = feed.head
        var digest = ListingDigest()
        digest.insert(slot: slot, sequence: feed.head)
        page.last?.listingDigest = digest.bytes
      }
      return RelayResponse(status: 200, body: page.encoded)
    }
    expectCaught(world[0])
    #expect(world[0].transport.requests.count(where: \.isPush) < 20)
    #expect(try world[0].secret("ann") == "two")
    world[0].transport.obey(nil)
    try world.settle()
    #expect(try world[1].secret("ann") == "two")
  }

  @Test("Its feed is junk without end: only so much is set aside, and it makes room when the relay serves it no longer")
  func junkWithoutEnd() throws {
    let world = try world()
    try world[0].edit("ann", secret: "two")
    world[0].transport.obey { request, pass throws(RelayError) in
      let response = try pass()
      guard request.isPull, var page = try? ChangesPage(decoding: response.body) else { return response }
      let since = request.path.split(separator: "since=").last?.prefix { $0.isNumber }
      let first = (UInt64(since ?? "") ?? 0) + 1
      page.changes = (0..<1_000).map { number in
        Change(slot: Randomness.bytes(32), sequence: first + number, content: .record(Randomness.bytes(40)))
      }
      page.head = 1 << 60
      page.more = true
      page.last = nil
      return RelayResponse(status: 200, body: page.encoded)
    }
    expectCaught(world[0])
    expectCaught(world[0])
    #expect(try world[0].counts.quarantined <= OpenVault.mostQuarantined + OpenVault.recordsPerTransaction)
    #expect(try world[0].secret("ann") == "two")
    world[0].transport.obey(nil)
    try world.settle()
    #expect(try world[1].secret("ann") == "two")
    #expect(try world[0].counts.quarantined < OpenVault.mostQuarantined)
  }
}
