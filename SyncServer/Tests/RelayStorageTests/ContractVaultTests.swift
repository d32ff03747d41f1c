import RelayCore
import RelayWire
import Testing
import VaultCrypto

/// The contract of `RelayStorage`: vaults, chains, keyrings, invites, recovery.
@Suite struct ContractVaultTests {
  @Test("A vault is there once it was created, and creating it again changes nothing", arguments: Engine.allCases)
  func create(engine: Engine) throws {
    let subject = try engine.make()
    let vault = TestVault()
    #expect(try subject.storage.status(of: vault.id) == nil)
    #expect(try vault.create(in: subject.storage, keyrings: [keyring(slot())]) == .created)
    let status = VaultStatus(incarnation: vault.incarnation, head: 0, chainLength: 1, checkpointCount: 0)
    #expect(try subject.storage.status(of: vault.id) == status)
    #expect(
      try vault.create(in: subject.storage) == .exists(incarnation: vault.incarnation, genesis: vault.genesis))
    #expect(try subject.storage.keyrings(of: vault.id, from: 0)?.keyrings.count == 1)
    try subject.reopen()
    #expect(try subject.storage.status(of: vault.id) == status)
    #expect(
      try subject.storage.chain(of: vault.id, from: 0) == ChainPage(entries: [vault.genesis], chainLength: 1))
  }

  @Test("Nothing is found of a vault that is not there", arguments: Engine.allCases)
  func missing(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    #expect(try storage.chain(of: vault.id, from: 0) == nil)
    #expect(try storage.keyrings(of: vault.id, from: 0) == nil)
    #expect(try storage.keyrings(of: vault.id, recipient: slot()).isEmpty)
    #expect(try storage.changes(of: vault.id, since: 0, limit: 10) == nil)
    #expect(try storage.push([.put(item(slot()))], to: vault.id, vault.guarded()).name == "missing")
    #expect(try storage.append(entry(), to: vault.id, vault.guarded()).name == "missing")
    #expect(try storage.add([keyring(slot())], to: vault.id, vault.guarded()).name == "missing")
    #expect(try storage.put(checkpoint: [1], of: slot(), in: vault.id, vault.guarded()).name == "missing")
  }

  @Test(
    "An invite registers as many vaults as it has uses, until its time, and none on failure", arguments: Engine.allCases
  )
  func invites(engine: Engine) throws {
    let subject = try engine.make()
    let (invite, vaults) = (Randomness.bytes(32), (0..<4).map { _ in TestVault() })
    #expect(try vaults[0].create(in: subject.storage, invite: invite) == .inviteRefused)
    try subject.storage.addInvite(hash: invite, uses: 2, expires: 1_000)
    #expect(try vaults[0].create(in: subject.storage, invite: invite, now: 1_000) == .inviteRefused)
    #expect(try subject.storage.status(of: vaults[0].id) == nil)
    #expect(try vaults[0].create(in: subject.storage, invite: invite, now: 999) == .created)
    // A vault that is there uses none up.
    #expect(try vaults[0].create(in: subject.storage, invite: invite, now: 999) != .created)
    try subject.reopen()
    #expect(try vaults[1].create(in: subject.storage, invite: invite, now: 999) == .created)
    #expect(try vaults[2].create(in: subject.storage, invite: invite, now: 999) == .inviteRefused)
    try subject.storage.addInvite(hash: Randomness.bytes(32), uses: 2, expires: 1_000)
    try subject.storage.removeExpired(now: 1_000)
  }

  @Test("Entries follow each other while the guard holds, and stay", arguments: Engine.allCases)
  func append(engine: Engine) throws {
    let subject = try engine.make()
    let vault = TestVault()
    _ = try vault.create(in: subject.storage)
    let entries = (0..<3).map { _ in entry() }
    for (index, entry) in entries.enumerated() {
      try subject.storage.append(entry, to: vault.id, vault.guarded(chain: UInt64(index + 1))).value()
    }
    #expect(try subject.storage.append(entry(), to: vault.id, vault.guarded(chain: 3)).name == "chainMoved")
    #expect(try subject.storage.append(entry(), to: vault.id, vault.guarded(chain: 5)).name == "chainMoved")
    #expect(try subject.storage.append(entry(), to: vault.id, vault.guarded(chain: 4, head: 1)).name == "feedMoved")
    var foreign = vault.guarded(chain: 4)
    foreign.incarnation = Randomness.bytes(16)
    #expect(try subject.storage.append(entry(), to: vault.id, foreign).name == "incarnation")
    try subject.reopen()
    let all = [vault.genesis] + entries.map(\.entry)
    #expect(try subject.storage.chain(of: vault.id, from: 0) == ChainPage(entries: all, chainLength: 4))
    #expect(try subject.storage.chain(of: vault.id, from: 2)?.entries == Array(all[2...]))
    for from: UInt64 in [4, 5, 1 << 62, .max] {
      #expect(try subject.storage.chain(of: vault.id, from: from) == ChainPage(entries: [], chainLength: 4))
    }
  }

  @Test("A chain comes in pages of at most 8 MiB and a thousand entries", arguments: Engine.allCases)
  func chainPages(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    for number in 1..<1_100 {
      try storage.append(entry(10), to: vault.id, vault.guarded(chain: UInt64(number))).value()
    }
    let page = try #require(try storage.chain(of: vault.id, from: 0))
    #expect(page.entries.count == 1_000 && page.chainLength == 1_100)
    #expect(try storage.chain(of: vault.id, from: 1_000)?.entries.count == 100)
    for number in 1_100..<1_240 {
      try storage.append(entry(64_000), to: vault.id, vault.guarded(chain: UInt64(number))).value()
    }
    let large = try #require(try storage.chain(of: vault.id, from: 1_100))
    #expect(large.entries.count == (8 << 20) / 64_000)
    #expect(try ChainPage(decoding: large.encoded) == large)
  }

  @Test(
    "A keyring takes its place once, whether it comes alone, with a vault or with an entry", arguments: Engine.allCases)
  func keyrings(engine: Engine) throws {
    let subject = try engine.make()
    let vault = TestVault()
    let (alice, bob) = (slot(), slot())
    let first = keyring(alice)
    _ = try vault.create(in: subject.storage, keyrings: [first, keyring(alice)])
    let second = [keyring(alice, epoch: 2), keyring(alice, epoch: 2, kind: 3), keyring(alice)]
    try subject.storage.append(entry(keyrings: second), to: vault.id, vault.guarded()).value()
    let third = keyring(bob)
    try subject.storage.add([third, keyring(bob), keyring(alice, epoch: 2)], to: vault.id, vault.guarded(chain: 2))
      .value()
    #expect(try subject.storage.add([], to: vault.id, vault.guarded(chain: 1)).name == "chainMoved")
    try subject.reopen()
    let held = try #require(try subject.storage.keyrings(of: vault.id, from: 0))
    #expect(held == KeyringsPage(keyrings: [first, second[0], second[1], third].map(\.bytes), next: nil))
    #expect(
      try subject.storage.keyrings(of: vault.id, recipient: alice) == [second[0], second[1], first].map(\.bytes))
    #expect(try subject.storage.keyrings(of: vault.id, recipient: slot()).isEmpty)
  }

  @Test("Keyrings come in pages that lead through all of them, other vaults' left out", arguments: Engine.allCases)
  func keyringPages(engine: Engine) throws {
    let storage = try engine.make().storage
    let (vault, other) = (TestVault(), TestVault())
    _ = try vault.create(in: storage)
    _ = try other.create(in: storage)
    var all: [[UInt8]] = []
    for round in 0..<5 {
      let batch = (0..<500).map { _ in keyring(slot(), size: round == 4 ? 30_000 : 100) }
      all += batch.map(\.bytes)
      try storage.add(batch, to: vault.id, vault.guarded()).value()
      try storage.add([keyring(slot())], to: other.id, other.guarded()).value()
    }
    var (seen, from, pages): ([[UInt8]], UInt64, Int) = ([], 0, 0)
    while true {
      let page = try #require(try storage.keyrings(of: vault.id, from: from))
      #expect(try KeyringsPage(decoding: page.encoded) == page)
      seen += page.keyrings
      pages += 1
      guard let next = page.next else { break }
      #expect(next > from)
      from = next
    }
    #expect(seen == all)
    // 1,000 small; 1,000 small; 279 large ones fill 8 MiB; the rest.
    #expect(pages == 4)
    #expect(try storage.keyrings(of: vault.id, from: .max) == KeyringsPage(keyrings: [], next: nil))
  }

  @Test(
    "A locator leads to the vaults that have it, the oldest first, as long as they have it", arguments: Engine.allCases)
  func locators(engine: Engine) throws {
    let subject = try engine.make()
    let (first, second) = (TestVault(), TestVault())
    let shared = slot()
    let (mine, theirs) = (slot(), slot())
    func found(_ locator: [UInt8]) throws -> [[UInt8]] {
      try subject.storage.vaults(locator: locator).flatMap { [$0.vault, $0.recovery] }
    }
    _ = try first.create(in: subject.storage, locators: [RecoveryLocator(locator: shared, recovery: mine)])
    _ = try second.create(in: subject.storage, locators: [RecoveryLocator(locator: shared, recovery: theirs)])
    #expect(try found(shared) == [first.id, mine, second.id, theirs])
    // Another key beside it changes no order.
    let added = RecoveryLocator(locator: slot(), recovery: slot())
    let both = [added, RecoveryLocator(locator: shared, recovery: mine)]
    try subject.storage.append(entry(locators: both), to: first.id, first.guarded()).value()
    try subject.reopen()
    #expect(try found(shared) == [first.id, mine, second.id, theirs])
    #expect(try found(added.locator) == [first.id, added.recovery])
    try subject.storage.append(entry(locators: [added]), to: first.id, first.guarded(chain: 2)).value()
    #expect(try found(shared) == [second.id, theirs])
    #expect(try found(slot()).isEmpty)
  }

  @Test("The quota counts entries, keyrings, records and checkpoints together", arguments: Engine.allCases)
  func quota(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    // 400 bytes of genesis are there.
    #expect(try storage.append(entry(700), to: vault.id, vault.guarded(quota: 1_000)).name == "quota")
    #expect(
      try storage.append(entry(300, keyrings: [keyring(slot(), size: 400)]), to: vault.id, vault.guarded(quota: 1_000))
        .name == "quota")
    #expect(try storage.keyrings(of: vault.id, from: 0)?.keyrings.isEmpty == true)
    #expect(try storage.chain(of: vault.id, from: 0)?.chainLength == 1)
    try storage.append(entry(200), to: vault.id, vault.guarded(quota: 1_000)).value()
    #expect(
      try storage.add([keyring(slot(), size: 500)], to: vault.id, vault.guarded(chain: 2, quota: 1_000)).name == "quota"
    )
    let author = slot()
    #expect(
      try storage.put(checkpoint: record(500), of: author, in: vault.id, vault.guarded(chain: 2, quota: 1_000)).name
        == "quota")
    try storage.put(checkpoint: record(200), of: author, in: vault.id, vault.guarded(chain: 2, quota: 1_000)).value()
    let answers = try storage.push(
      [.put(item(slot(), record(300))), .put(item(slot(), record(100)))], to: vault.id,
      vault.guarded(chain: 2, quota: 1_000)
    ).value()
    #expect(answers == [.refused(.quota), .stored(1)])
  }
}
