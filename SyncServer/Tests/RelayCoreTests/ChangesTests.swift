import DeviceChain
import RelayCore
import RelayWire
import Testing
import VaultCrypto

@Suite struct ChangesTests {
  @Test("Pages lead through the whole feed in order, and the last one carries the digest of the listing")
  func paging() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let items = (0..<25).map { _ in PushItem(anySlot(), vault.founder.record()) }
    _ = try api.push(incarnation: incarnation, items)
    _ = try api.push(
      incarnation: incarnation, [PushItem(items[3].slot, base: 4, vault.founder.record())])
    var (since, seen): (UInt64, [Change]) = (0, [])
    var digest = ListingDigest()
    while true {
      let page = try api.changes(since: since, limit: 7)
      #expect(page.head == 26)
      seen += page.changes
      since = seen.last?.sequence ?? 0
      for change in page.changes { digest.insert(slot: change.slot, sequence: change.sequence) }
      guard page.more else {
        #expect(page.last?.listingDigest == digest.bytes)
        break
      }
      #expect(page.changes.count == 7)
    }
    #expect(seen.map(\.sequence) == Array(1...3) + Array(5...26))
    let end = try api.changes(since: 26)
    #expect(end.changes.isEmpty && !end.more)
    #expect(try api.changes(since: 1_000).changes.isEmpty)
    #expect(try api.changes(since: .max).changes.isEmpty)
  }

  @Test("A page ends before it grows over 8 MiB, and a larger record has a page of its own")
  func pageSize() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    for size in [3 << 20, 4 << 20, 2 << 20, 12 << 20, 100] {
      _ = try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record(size: size))])
    }
    var pages: [[UInt64]] = []
    var since: UInt64 = 0
    while true {
      let page = try api.changes(since: since)
      pages.append(page.changes.map(\.sequence))
      since = page.changes.last?.sequence ?? since
      if !page.more { break }
    }
    #expect(pages == [[1, 2], [3], [4], [5]])
  }

  @Test("Large checkpoints beside a large record come on a page of their own")
  func largeCheckpoints() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let devices = (0..<6).map { _ in Device() }
    for device in devices {
      let deviceAPI = try relay.join(device, .reader, to: &vault)
      try deviceAPI.putCheckpoint(incarnation: incarnation, device.checkpoint(size: 1_000_000))
    }
    _ = try api.push(incarnation: incarnation, [PushItem(anySlot(), vault.founder.record(size: 15 << 20))])
    let first = try api.changes(since: 0)
    #expect(first.changes.count == 1 && first.more)
    let second = try api.changes(since: 1)
    #expect(second.changes.isEmpty && second.last?.checkpoints.count == 6)
  }

  @Test("A checkpoint replaces its author's, counts, and goes when its author does")
  func checkpoints() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let (api, incarnation) = try relay.register(vault)
    let device = Device()
    let deviceAPI = try relay.join(device, .reader, to: &vault)
    let (old, new, other) = (vault.founder.checkpoint(), vault.founder.checkpoint(), device.checkpoint())
    for checkpoint in [old, new] { try api.putCheckpoint(incarnation: incarnation, checkpoint) }
    try deviceAPI.putCheckpoint(incarnation: incarnation, other)
    let last = try #require(try api.changes(since: 0).last)
    #expect(Set(last.checkpoints) == [new, other])
    #expect(last.checkpointCount == 3)
    expect(.incarnation) { try api.putCheckpoint(incarnation: Randomness.bytes(16), old) }
    expect(.malformed) { try api.putCheckpoint(incarnation: incarnation, other) }
    expect(.malformed) { try api.putCheckpoint(incarnation: incarnation, [1]) }
    let entry = vault.revocation([device.id], at: FeedPosition(incarnation: incarnation, sequence: 0))
    _ = try api.append(expectedHead: vault.state.head, entry: entry, keyrings: [])
    #expect(try api.changes(since: 0).last?.checkpoints == [new])
  }
}
