import CBOR
import RelayCore
import RelayWire
import Testing
import VaultCrypto

/// What a storage sees of a vault: bytes. It looks into none of them but a purge's record hash.
struct TestVault {
  let id = Randomness.bytes(32)
  let incarnation = Randomness.bytes(16)
  let genesis = Randomness.bytes(400)

  func create(
    in storage: any RelayStorage, keyrings: [StoredKeyring] = [], locators: [RecoveryLocator] = [],
    invite: [UInt8]? = nil, now: UInt64 = 1
  ) throws -> CreateOutcome {
    try storage.create(
      NewVault(
        vault: id, incarnation: incarnation, genesis: genesis, keyrings: keyrings, locators: locators, invite: invite),
      now: now)
  }

  func guarded(chain: UInt64 = 1, head: UInt64? = nil, quota: UInt64 = 1 << 30) -> WriteGuard {
    WriteGuard(incarnation: incarnation, head: head, chainLength: chain, quota: quota)
  }

  func push(_ items: [PushItem], to storage: any RelayStorage) throws -> [PushAnswer] {
    try storage.push(items.map(PushStep.put), to: id, guarded()).value()
  }

  /// All changes, read in pages of `limit`, and what the last page adds.
  func feed(of storage: any RelayStorage, since: UInt64 = 0, limit: Int = 1_000) throws -> (
    changes: [Change], head: UInt64, last: LastPage
  ) {
    var (since, changes): (UInt64, [Change]) = (since, [])
    while true {
      let page = try #require(try storage.changes(of: id, since: since, limit: limit))
      // A page that leaves by the wire has the form that the wire demands.
      #expect(try ChangesPage(decoding: page.encoded) == page)
      changes += page.changes
      since = page.changes.last?.sequence ?? since
      if let last = page.last { return (changes, page.head, last) }
    }
  }
}

extension WriteOutcome {
  /// The value of a write that must have been done.
  func value(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    guard case .done(let value) = self else {
      Issue.record("\(self)", sourceLocation: sourceLocation)
      throw NotDone()
    }
    return value
  }

  /// The name of the outcome.
  var name: String {
    switch self {
    case .done: "done"
    case .missing: "missing"
    case .incarnation: "incarnation"
    case .chainMoved: "chainMoved"
    case .feedMoved: "feedMoved"
    case .quota: "quota"
    }
  }
}

struct NotDone: Error {}

func record(_ size: Int = 300) -> [UInt8] { Randomness.bytes(size) }

func slot() -> [UInt8] { Randomness.bytes(32) }

func item(_ slot: [UInt8], base: UInt64 = 0, _ record: [UInt8] = record()) -> PushItem {
  PushItem(slot: slot, base: base, content: .record(record))
}

func purge(_ slot: [UInt8], sequence: UInt64, of record: [UInt8]) -> PushItem {
  let event: CBORValue = [
    1, .bytes(slot), .unsigned(sequence), .bytes(Digest.hash("lockstep/record-hash/1", [.bytes(record)])),
    .bytes(Randomness.bytes(16)), .bytes(Randomness.bytes(32)), .bytes(Randomness.bytes(32)),
    .bytes(Randomness.bytes(64)),
  ]
  return PushItem(slot: slot, base: sequence, content: .purge(event.encoded))
}

func keyring(_ recipient: [UInt8], epoch: UInt64 = 1, kind: UInt64 = 1, size: Int = 200) -> StoredKeyring {
  StoredKeyring(kind: kind, epoch: epoch, recipient: recipient, bytes: Randomness.bytes(size))
}

func entry(
  _ size: Int = 400, keyrings: [StoredKeyring] = [], locators: [RecoveryLocator] = [], departed: [[UInt8]] = []
) -> NewEntry {
  NewEntry(entry: Randomness.bytes(size), keyrings: keyrings, locators: locators, departed: departed)
}
