import RelayCore
import RelayWire
import Testing
import VaultCrypto

@Suite struct PushTests {
  @Test("A record replaces exactly the one that it names; everything else is a conflict or gone")
  func compareAndSwap() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let device = vault.founder
    let slot = anySlot()
    let (first, second) = (device.record(), device.record())
    func push(_ base: UInt64, _ record: [UInt8]) throws -> PushAnswer? {
      try api.push(incarnation: incarnation, [PushItem(slot, base: base, record)]).first
    }
    #expect(try push(7, first) == .gone)
    #expect(try push(0, first) == .stored(1))
    #expect(try push(0, second) == .conflict(1, first))
    #expect(try push(2, second) == .conflict(1, first))
    // The same record again, whatever its base: the answer was lost.
    #expect(try push(0, first) == .stored(1))
    #expect(try push(99, first) == .stored(1))
    #expect(try push(1, second) == .stored(2))
    #expect(try push(1, first) == .conflict(2, second))
    let page = try api.changes(since: 0)
    #expect(page.changes == [Change(slot: slot, sequence: 2, content: .record(second))])
    #expect(page.head == 2)
  }

  @Test("Items of one batch see each other, in order")
  func batchOrder() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let slot = anySlot()
    let records = (0..<3).map { _ in vault.founder.record() }
    let answers = try api.push(
      incarnation: incarnation,
      [PushItem(slot, base: 0, records[0]), PushItem(slot, base: 1, records[1]), PushItem(slot, base: 1, records[2])])
    #expect(answers == [.stored(1), .stored(2), .conflict(2, records[1])])
  }

  @Test("Who may write what: author, epoch, role and form are looked at record by record")
  func refusals() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let (reader, writer) = (Device(), Device())
    let readerAPI = try relay.join(reader, .reader, to: &vault)
    let writerAPI = try relay.join(writer, .writer, to: &vault)
    let founder = vault.founder
    let answers = try api.push(
      incarnation: incarnation,
      [
        PushItem(anySlot(), founder.record()), PushItem(anySlot(), founder.record(author: writer.id)),
        PushItem(anySlot(), founder.record(epoch: 2)), PushItem(anySlot(), [1, 2, 3]),
        PushItem(anySlot(), writer.record()), PushItem(anySlot(), founder.record()),
      ])
    #expect(
      answers == [
        .stored(1), .refused(.author), .refused(.epoch), .refused(.malformed), .refused(.author), .stored(2),
      ])
    #expect(try readerAPI.push(incarnation: incarnation, [PushItem(anySlot(), reader.record())]) == [.refused(.role)])
    #expect(try writerAPI.push(incarnation: incarnation, [PushItem(anySlot(), writer.record())]) == [.stored(3)])
    expect(.incarnation) { _ = try api.push(incarnation: Randomness.bytes(16), []) }
    #expect(try api.push(incarnation: incarnation, []) == [])
  }

  @Test(
    "A purge empties the slot that it names exactly; then the slot is added to again from nothing or from the purge")
  func purges() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let device = vault.founder
    let slot = anySlot()
    let record = device.record()
    func push(_ base: UInt64, _ content: SlotContent, slot: [UInt8] = slot) throws -> PushAnswer? {
      try api.push(incarnation: incarnation, [PushItem(slot: slot, base: base, content: content)]).first
    }
    func purge(
      _ sequence: UInt64, of record: [UInt8], slot: [UInt8] = slot, incarnation: [UInt8] = incarnation,
      author: [UInt8]? = nil
    ) -> SlotContent {
      .purge(device.purge(slot: slot, sequence: sequence, of: record, incarnation: incarnation, author: author))
    }
    #expect(try push(0, .record(record)) == .stored(1))
    #expect(try push(2, purge(2, of: record)) == .conflict(1, record))
    #expect(try push(1, purge(2, of: record)) == .refused(.malformed))
    #expect(try push(1, purge(1, of: device.record())) == .refused(.malformed))
    #expect(try push(1, purge(1, of: record, slot: anySlot())) == .refused(.malformed))
    #expect(try push(1, purge(1, of: record, incarnation: Randomness.bytes(16))) == .refused(.malformed))
    #expect(try push(1, purge(1, of: record, author: Randomness.bytes(32))) == .refused(.author))
    #expect(try push(1, .purge([1])) == .refused(.malformed))
    let event = purge(1, of: record)
    #expect(try push(1, event) == .stored(2))
    #expect(try push(1, event) == .stored(2))
    #expect(try push(1, purge(1, of: record)) == .gone)
    let free = anySlot()
    #expect(try push(9, purge(9, of: record, slot: free), slot: free) == .gone)
    let page = try api.changes(since: 0)
    #expect(page.changes == [Change(slot: slot, sequence: 2, content: event)])
    #expect(page.last?.listingDigest == [UInt8](repeating: 0, count: 32))
    // An update of the record that was purged does not bring it back.
    #expect(try push(1, .record(device.record())) == .gone)
    #expect(try push(0, .record(record)) == .stored(3))
    #expect(try push(3, purge(3, of: record)) == .stored(4))
    #expect(try push(4, .record(record)) == .stored(5))
  }

  @Test("A batch over 8 MiB is refused as a whole, one larger record alone is taken")
  func batchSize() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let large = vault.founder.record(size: 9 << 20)
    expect(.tooLarge) {
      _ = try api.push(
        incarnation: incarnation, [PushItem(anySlot(), large), PushItem(anySlot(), vault.founder.record())])
    }
    #expect(try api.changes(since: 0).head == 0)
    #expect(try api.push(incarnation: incarnation, [PushItem(anySlot(), large)]) == [.stored(1)])
    #expect(try api.changes(since: 0).changes.first?.content == .record(large))
    #expect(
      try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record(size: 17 << 20))])
        == [.refused(.tooLarge)])
  }

  @Test("Conflicts beyond 8 MiB come without the record, which a pull brings")
  func conflictSize() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let slots = (0..<3).map { _ in anySlot() }
    for slot in slots {
      _ = try api.push(incarnation: incarnation, [PushItem(slot, vault.founder.record(size: 5 << 20))])
    }
    let answers = try api.push(incarnation: incarnation, slots.map { PushItem($0, vault.founder.record()) })
    let carried = answers.map { answer in
      if case .conflict(_, let record) = answer { record != nil } else { false }
    }
    #expect(carried == [true, false, false])
  }

  @Test("A vault over its quota takes nothing that makes it larger, and says so record by record")
  func quota() throws {
    let relay = try TestRelay(quota: 40_000)
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let (slot, device) = (anySlot(), vault.founder)
    #expect(try api.push(incarnation: incarnation, [PushItem(slot, device.record(size: 30_000))]) == [.stored(1)])
    #expect(
      try api.push(
        incarnation: incarnation,
        [PushItem(anySlot(), device.record(size: 20_000)), PushItem(anySlot(), device.record(size: 100))])
        == [.refused(.quota), .stored(2)])
    // Smaller in the place of larger goes always.
    #expect(try api.push(incarnation: incarnation, [PushItem(slot, base: 1, device.record(size: 10))]) == [.stored(3)])
    expect(.quota) { try api.putCheckpoint(incarnation: incarnation, device.checkpoint(size: 50_000)) }
    expect(.quota) {
      try api.putKeyrings([vault.keyring(device.id, size: 30_000), vault.keyring(device.id, kind: .c, size: 30_000)])
    }
    #expect(try api.keyrings().keyrings.isEmpty)
  }
}
