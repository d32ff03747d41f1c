public import CBOR

/// One change of a vault's feed.
public struct Change: Sendable, Equatable {
  /// Where.
  public var slot: [UInt8]
  /// Its place in the feed, at least 1.
  public var sequence: UInt64
  /// What the slot holds since then.
  public var content: SlotContent

  /// A change.
  public init(slot: [UInt8], sequence: UInt64, content: SlotContent) {
    self.slot = slot
    self.sequence = sequence
    self.content = content
  }
}

/// What the last page of changes adds, in one snapshot with the page.
public struct LastPage: Sendable, Equatable {
  /// The relay's listing digest (Docs/Formats.md §7) at `head`.
  public var listingDigest: [UInt8]
  /// The greatest sequence of a purge event that the relay no longer holds; 0 if it holds all.
  public var droppedPurge: UInt64
  /// The newest checkpoint of each device.
  public var checkpoints: [[UInt8]]
  /// How many checkpoints were ever published.
  public var checkpointCount: UInt64

  /// The end of a feed.
  public init(listingDigest: [UInt8], droppedPurge: UInt64, checkpoints: [[UInt8]], checkpointCount: UInt64) {
    self.listingDigest = listingDigest
    self.droppedPurge = droppedPurge
    self.checkpoints = checkpoints
    self.checkpointCount = checkpointCount
  }
}

/// The answer to GET V/changes.
///
/// Reading checks what the page must hold by itself: sequences ascend and are at most `head`, a page that says `more` has changes, and the
/// last one has `last`.
public struct ChangesPage: WireMessage {
  /// Elements after the version.
  public static let elementCount = 6
  /// The vault's incarnation.
  public var incarnation: [UInt8]
  /// At most `RelayLimits.batchCount` changes, ascending.
  public var changes: [Change]
  /// True if another page follows.
  public var more: Bool
  /// The greatest sequence ever given.
  public var head: UInt64
  /// How many entries the chain has.
  public var chainLength: UInt64
  /// Set if and only if no page follows.
  public var last: LastPage?

  /// A page.
  public init(
    incarnation: [UInt8], changes: [Change], more: Bool, head: UInt64, chainLength: UInt64, last: LastPage?
  ) {
    self.incarnation = incarnation
    self.changes = changes
    self.more = more
    self.head = head
    self.chainLength = chainLength
    self.last = last
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    incarnation = try reader.incarnation()
    let count = try reader.array()
    guard count <= RelayLimits.batchCount else { throw .outOfRange }
    changes = []
    var previous: UInt64 = 0
    for _ in 0..<count {
      try reader.array(4)
      let slot = try reader.identifier()
      let sequence = try reader.unsigned()
      guard sequence > previous else { throw .outOfRange }
      previous = sequence
      changes.append(
        Change(
          slot: slot, sequence: sequence, content: try SlotContent(reading: &reader, limit: RelayLimits.recordBytes)))
    }
    more = try reader.bool()
    head = try reader.unsigned()
    chainLength = try reader.unsigned(atMost: RelayLimits.chainLength)
    guard previous <= head, chainLength > 0 else { throw .outOfRange }
    last = try reader.null() ? nil : try LastPage(reading: &reader)
    guard more == (last == nil), !more || count > 0 else { throw .outOfRange }
    guard (last?.droppedPurge ?? 0) <= head else { throw .outOfRange }
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.byteString(incarnation)
    writer.array(changes.count)
    for change in changes {
      writer.array(4)
      writer.byteString(change.slot)
      writer.unsigned(change.sequence)
      change.content.write(to: &writer)
    }
    writer.bool(more)
    writer.unsigned(head)
    writer.unsigned(chainLength)
    if let last { last.write(to: &writer) } else { writer.null() }
  }
}

extension LastPage {
  fileprivate init(reading reader: inout CBORReader) throws(CBORError) {
    try reader.array(4)
    listingDigest = try reader.identifier()
    droppedPurge = try reader.unsigned()
    checkpoints = try reader.blobs(atMost: Int(RelayLimits.chainLength), each: RelayLimits.checkpointBytes)
    checkpointCount = try reader.unsigned()
  }

  fileprivate func write(to writer: inout CBORWriter) {
    writer.array(4)
    writer.byteString(listingDigest)
    writer.unsigned(droppedPurge)
    writer.byteStrings(checkpoints)
    writer.unsigned(checkpointCount)
  }
}
