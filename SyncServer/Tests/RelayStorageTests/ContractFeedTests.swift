import Foundation
import RelayCore
import RelayWire
import Testing
import Threading
import VaultCrypto

/// The contract of `RelayStorage`: records, feed, checkpoints.
@Suite struct ContractFeedTests {
  @Test(
    "Every stored record gets the next sequence, a refused one none, and a slot shows its newest",
    arguments: Engine.allCases)
  func sequences(engine: Engine) throws {
    let subject = try engine.make()
    let vault = TestVault()
    _ = try vault.create(in: subject.storage)
    let slots = (0..<3).map { _ in slot() }
    let records = (0..<4).map { _ in record() }
    let steps: [PushStep] = [
      .put(item(slots[0], records[0])), .refused(.epoch), .put(item(slots[1], records[1])),
      .put(item(slots[0], records[2])), .put(item(slots[0], base: 1, records[3])), .put(item(slots[2], base: 9)),
    ]
    let answers = try subject.storage.push(steps, to: vault.id, vault.guarded()).value()
    #expect(
      answers == [.stored(1), .refused(.epoch), .stored(2), .conflict(1, records[0]), .stored(3), .gone])
    try subject.reopen()
    let feed = try vault.feed(of: subject.storage)
    #expect(
      feed.changes == [
        Change(slot: slots[1], sequence: 2, content: .record(records[1])),
        Change(slot: slots[0], sequence: 3, content: .record(records[3])),
      ])
    #expect(feed.head == 3)
    #expect(try vault.push([item(slots[2])], to: subject.storage) == [.stored(4)])
  }

  @Test(
    "A purge stands in the feed in place of the record, until the slot is written again", arguments: Engine.allCases)
  func purges(engine: Engine) throws {
    let subject = try engine.make()
    let vault = TestVault()
    _ = try vault.create(in: subject.storage)
    let (slot, record) = (slot(), record())
    let event = purge(slot, sequence: 1, of: record)
    #expect(try vault.push([item(slot, record), event], to: subject.storage) == [.stored(1), .stored(2)])
    try subject.reopen()
    #expect(try vault.feed(of: subject.storage).changes == [Change(slot: slot, sequence: 2, content: event.content)])
    #expect(try vault.push([event], to: subject.storage) == [.stored(2)])
    #expect(try vault.push([item(slot, record)], to: subject.storage) == [.stored(3)])
    #expect(try vault.feed(of: subject.storage).changes == [Change(slot: slot, sequence: 3, content: .record(record))])
  }

  @Test("A guard that does not hold lets nothing in", arguments: Engine.allCases)
  func guards(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    let step = PushStep.put(item(slot()))
    #expect(try storage.push([step], to: vault.id, vault.guarded(chain: 2)).name == "chainMoved")
    var foreign = vault.guarded()
    foreign.incarnation = Randomness.bytes(16)
    #expect(try storage.push([step], to: vault.id, foreign).name == "incarnation")
    #expect(try storage.put(checkpoint: [1], of: slot(), in: vault.id, foreign).name == "incarnation")
    foreign.chainLength = 2
    #expect(try storage.push([step], to: vault.id, foreign).name == "chainMoved")
    #expect(try storage.status(of: vault.id)?.head == 0)
  }

  @Test("Pages of any size lead through the same feed", arguments: Engine.allCases)
  func paging(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    let items = (0..<50).map { _ in item(slot()) }
    _ = try vault.push(items, to: storage)
    _ = try vault.push([item(items[10].slot, base: 11), item(items[0].slot, base: 1)], to: storage)
    let whole = try vault.feed(of: storage)
    #expect(whole.changes.map(\.sequence) == Array(2...10) + Array(12...52))
    for limit in [1, 2, 7, 49, 50, 51] {
      #expect(try vault.feed(of: storage, limit: limit).changes == whole.changes, "\(limit)")
    }
    #expect(try vault.feed(of: storage, since: 50).changes == Array(whole.changes.suffix(2)))
    for since: UInt64 in [52, 53, 1 << 63, .max] {
      #expect(try vault.feed(of: storage, since: since).changes.isEmpty)
    }
  }

  @Test("A page has at most 8 MiB of records, or one that is larger", arguments: Engine.allCases)
  func pageBytes(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    for size in [5 << 20, 3 << 20, 1, 12 << 20, 1] { _ = try vault.push([item(slot(), record(size))], to: storage) }
    var (since, pages): (UInt64, [Int]) = (0, [])
    while pages.reduce(0, +) < 5 {
      let page = try #require(try storage.changes(of: vault.id, since: since, limit: 1_000))
      pages.append(page.changes.count)
      since = page.changes.last?.sequence ?? 99
    }
    #expect(pages == [2, 1, 1, 1])
  }

  @Test(
    "The digest that is kept equals the one of a full listing, after any history", arguments: Engine.allCases,
    [1, 2, 3])
  func digest(engine: Engine, seed: UInt64) throws {
    let subject = try engine.make()
    let vault = TestVault()
    _ = try vault.create(in: subject.storage)
    var generator = Seeded(state: seed)
    let slots = (0..<12).map { _ in slot() }
    var held: [[UInt8]: (sequence: UInt64, record: [UInt8])] = [:]
    for round in 0..<60 {
      var items: [PushItem] = []
      for slot in slots.shuffled(using: &generator).prefix(Int.random(in: 1...5, using: &generator)) {
        let current = held[slot]
        if let current, Int.random(in: 0..<4, using: &generator) == 0 {
          items.append(purge(slot, sequence: current.sequence, of: current.record))
        } else {
          let isStale = Int.random(in: 0..<5, using: &generator) == 0
          items.append(item(slot, base: isStale ? 77_777 : current?.sequence ?? 0))
        }
      }
      for (item, answer) in zip(items, try vault.push(items, to: subject.storage)) {
        guard case .stored(let sequence) = answer else { continue }
        if case .record(let record) = item.content {
          held[item.slot] = (sequence, record)
        } else {
          held[item.slot] = nil
        }
      }
      if round % 20 == 19 { try subject.reopen() }
      var digest = ListingDigest()
      for (slot, current) in held { digest.insert(slot: slot, sequence: current.sequence) }
      let feed = try vault.feed(of: subject.storage)
      #expect(feed.last.listingDigest == digest.bytes)
      let listed = feed.changes.filter { if case .record = $0.content { true } else { false } }
      #expect(Set(listed.map(\.sequence)) == Set(held.values.map(\.sequence)))
    }
  }

  @Test("Checkpoints replace their author's, are counted, and go with a device that leaves", arguments: Engine.allCases)
  func checkpoints(engine: Engine) throws {
    let subject = try engine.make()
    let vault = TestVault()
    _ = try vault.create(in: subject.storage)
    let (alice, bob) = (slot(), slot())
    let checkpoints = (0..<3).map { _ in record(100) }
    for (author, checkpoint) in zip([alice, alice, bob], checkpoints) {
      try subject.storage.put(checkpoint: checkpoint, of: author, in: vault.id, vault.guarded()).value()
    }
    try subject.reopen()
    let last = try vault.feed(of: subject.storage).last
    #expect(Set(last.checkpoints) == Set(checkpoints[1...]))
    #expect(last.checkpointCount == 3)
    #expect(try subject.storage.status(of: vault.id)?.checkpointCount == 3)
    try subject.storage.append(entry(departed: [alice, slot()]), to: vault.id, vault.guarded()).value()
    #expect(try vault.feed(of: subject.storage).last.checkpoints == [checkpoints[2]])
  }

  @Test("A vault's checkpoints together have a limit", arguments: Engine.allCases)
  func checkpointLimit(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    let authors = (0..<9).map { _ in slot() }
    for author in authors.prefix(8) {
      try storage.put(checkpoint: record(1 << 20), of: author, in: vault.id, vault.guarded()).value()
    }
    #expect(try storage.put(checkpoint: record(1), of: authors[8], in: vault.id, vault.guarded()).name == "quota")
    try storage.put(checkpoint: record(10), of: authors[0], in: vault.id, vault.guarded()).value()
    try storage.put(checkpoint: record(1), of: authors[8], in: vault.id, vault.guarded()).value()
    #expect(try vault.feed(of: storage).last.checkpoints.count == 9)
  }

  @Test(
    "Writers at once lose nothing: each sequence is given once, and each answer is true", arguments: Engine.allCases)
  func concurrency(engine: Engine) throws {
    let subject = try engine.make()
    let storage = subject.storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    let contested = slot()
    let answers = Monitor<[[PushAnswer]]>([])
    let threads = (0..<8).map { _ in
      WorkerThread {
        for _ in 0..<25 {
          let items = [PushStep.put(item(slot())), .put(item(contested))]
          let outcome = try? storage.push(items, to: vault.id, vault.guarded()).value()
          answers.change { $0.append(outcome ?? []) }
        }
      }
    }
    for thread in threads { try #require(thread).join() }
    let all = answers.quietly { $0 }
    #expect(all.count == 200)
    var given: [UInt64] = []
    for case .stored(let sequence) in all.flatMap({ $0 }) { given.append(sequence) }
    // One of all pushes won the contested slot.
    #expect(given.sorted() == Array(1...201))
    try subject.reopen()
    let feed = try vault.feed(of: subject.storage)
    #expect(feed.changes.map(\.sequence) == Array(1...201))
  }
}

/// A generator whose sequence a seed decides.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
  }
}
