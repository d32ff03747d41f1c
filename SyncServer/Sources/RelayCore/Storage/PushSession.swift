internal import CBOR
public import RelayWire
internal import VaultCrypto

/// The part of a vault that every stored record changes.
public struct FeedState: Sendable, Equatable {
  /// The greatest sequence ever given.
  public var head: UInt64
  /// The listing digest (Docs/Formats.md §7).
  public var digest: [UInt8]
  /// Bytes of everything that the vault holds.
  public var bytes: UInt64

  /// A state.
  public init(head: UInt64, digest: [UInt8], bytes: UInt64) {
    self.head = head
    self.digest = digest
    self.bytes = bytes
  }

  /// The state of a vault that has no record yet and `bytes` of other things.
  public static func empty(bytes: UInt64) -> FeedState {
    FeedState(head: 0, digest: ListingDigest().bytes, bytes: bytes)
  }
}

/// What a slot holds.
public struct HeldSlot: Sendable, Equatable {
  /// Its sequence.
  public var sequence: UInt64
  /// The record or purge.
  public var content: SlotContent

  /// A slot.
  public init(sequence: UInt64, content: SlotContent) {
    self.sequence = sequence
    self.content = content
  }
}

/// Compare-and-swap per record, as Docs/RelayProtocol.md, "Push", says it: decided here once for every storage engine.
///
/// A storage runs one session in one transaction: for each item it reads the slot, asks, and writes what it is told; at the end it
/// writes `feed`.
public struct PushSession {
  /// The vault's feed after the items so far.
  public private(set) var feed: FeedState
  private let quota: UInt64
  private var answerBytes = 0

  /// A session on a vault.
  public init(feed: FeedState, quota: UInt64) {
    self.feed = feed
    self.quota = quota
  }

  /// The answer to an item whose slot holds `held`; if it is `.stored` with a sequence above `held`'s, the slot is to be written.
  public mutating func take(_ item: PushItem, held: HeldSlot?) -> PushAnswer {
    if let held, held.content == item.content { return .stored(held.sequence) }
    switch (item.content, held?.content) {
    case (.record, nil):
      guard item.base == 0 else { return .gone }
    case (.record, .purge):
      guard item.base == 0 || item.base == held?.sequence else { return .gone }
    case (.purge, nil), (.purge, .purge):
      return .gone
    case (.record, .record(let record)), (.purge, .record(let record)):
      guard let held, item.base == held.sequence else { return conflict(held, record) }
      if case .purge(let purge) = item.content, PurgeEvent(purge)?.recordHash != RecordHeader.hash(of: record) {
        return .refused(.malformed)
      }
    }
    return store(item, held)
  }

  private mutating func conflict(_ held: HeldSlot?, _ record: [UInt8]) -> PushAnswer {
    guard let held else { return .gone }
    guard answerBytes == 0 || answerBytes + record.count <= RelayLimits.batchBytes else {
      return .conflict(held.sequence, nil)
    }
    answerBytes += record.count
    return .conflict(held.sequence, record)
  }

  private mutating func store(_ item: PushItem, _ held: HeldSlot?) -> PushAnswer {
    let freed = min(feed.bytes, UInt64(held?.content.bytes.count ?? 0))
    let bytes = feed.bytes - freed + UInt64(item.content.bytes.count)
    // What makes a vault smaller is taken even when it is over its quota.
    guard bytes <= quota || bytes <= feed.bytes else { return .refused(.quota) }
    guard var digest = try? ListingDigest(bytes: feed.digest) else { return .refused(.malformed) }
    let sequence = feed.head + 1
    if let held, case .record = held.content { digest.remove(slot: item.slot, sequence: held.sequence) }
    if case .record = item.content { digest.insert(slot: item.slot, sequence: sequence) }
    feed = FeedState(head: sequence, digest: digest.bytes, bytes: bytes)
    return .stored(sequence)
  }
}
