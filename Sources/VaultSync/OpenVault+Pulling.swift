internal import DeviceChain
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// What a page of the change feed led to.
public enum PullOutcome: Sendable, Equatable {
  /// Another page follows.
  case more
  /// Everything that the relay has was received.
  case complete
  /// Everything is pulled again from the start: the relay lost something or began a new incarnation.
  case restarted
  /// The page was asked for at another cursor than today's; nothing was done.
  case stale
}

/// Where a pull stands: what was known when a request was sent. Its answer counts only as long as nobody else moved on.
struct SyncPoint: Sendable {
  /// How often everything was pulled from the start.
  let generation: UInt64
  /// Everything up to this sequence was received.
  var cursor: UInt64
  /// The greatest sequence that the relay is known to have given: an answer with a smaller head says that it went back.
  let head: UInt64
  /// How many entries the verified chain has.
  let chainLength: UInt64
  /// How many checkpoints were seen published; nil before the first complete pull.
  let checkpoints: UInt64?
}

extension OpenVault {
  /// How many records are taken in in one transaction, and under one hold of the agent's lock: requests need not wait for longer.
  static let recordsPerTransaction = 400
  /// Sequences beyond this are no relay's: SQLite could not hold them.
  private static let greatestSequence = UInt64(Int64.max)

  /// Where a request is sent from now.
  var syncPoint: SyncPoint {
    SyncPoint(
      generation: generation, cursor: row.cursor, head: max(row.cursor, row.complete ?? 0, greatestServed),
      chainLength: chain.length, checkpoints: checkpointCount)
  }

  private func isCurrent(_ point: SyncPoint) -> Bool { generation == point.generation && row.cursor == point.cursor }

  /// Looks at what a page says of the relay as a whole; nil if its records are to be taken in.
  func begin(_ page: ChangesPage, at point: SyncPoint) throws -> PullOutcome? {
    guard isCurrent(point) else { return .stale }
    guard page.head <= Self.greatestSequence else {
      throw SyncError.misbehaved("its sequence numbers are beyond all that it can have given")
    }
    if row.incarnation.isEmpty {
      try changing { row.incarnation = page.incarnation }
    } else if page.incarnation != row.incarnation {
      // Never back to one that was left: its sequences stand for something else by now.
      guard try !store.hasLeft(incarnation: page.incarnation, vault: id) else {
        throw SyncError.misbehaved("it came back with an incarnation that it had left")
      }
      report("the relay began a new incarnation (restored from a backup, or replaced): what it lost is pushed again")
      try startOver(incarnation: page.incarnation)
      return .restarted
    }
    guard page.head >= point.head else {
      report(
        "the relay went back from sequence \(point.head) to \(page.head) (an old backup, or a relay that hides records): what it lost is pushed again"
      )
      try startOver(incarnation: row.incarnation)
      return .restarted
    }
    return nil
  }

  /// Takes in some changes of a page. The cursor moves in the transaction of the records before it. False if somebody else moved on.
  func take(_ changes: [OpenedChange], at point: inout SyncPoint, clock: UInt64) throws -> Bool {
    guard isCurrent(point) else { return false }
    try makeRoomInQuarantine()
    try changing {
      for change in changes {
        guard let slot = change.slot else { throw SyncError.misbehaved("it sent a malformed slot") }
        if let opening = change.opening {
          try receive(opening, slot: slot, sequence: change.sequence, clock: clock)
        } else {
          try noteEmpty(slot, sequence: change.sequence)
        }
        row.cursor = change.sequence
      }
    }
    point.cursor = row.cursor
    return true
  }

  /// The page's records are taken in: what it says beside them.
  func finish(_ page: ChangesPage, at point: SyncPoint, clock: UInt64) throws -> PullOutcome {
    guard isCurrent(point) else { return .stale }
    guard !page.more, let last = page.last else { return .more }
    // Own records that were stored after this snapshot are counted here and not in the relay's digest: compare next time.
    let isComparable = greatestServed <= page.head
    if isComparable, listingDigest.bytes != last.listingDigest {
      guard isRepairing else {
        try startOver(incarnation: row.incarnation)
        isRepairing = true
        return .restarted
      }
      report("the relay's listing does not match what it serves")
    } else if isComparable {
      isRepairing = false
    }
    try completed(page.head, isComparable: isComparable, clock: clock)
    pulledSinceStart = true
    checkpointCount = last.checkpointCount
    try mergeDue(clock: clock)
    guard try check(last.checkpoints, head: page.head), try checkInvitation(head: page.head) else { return .restarted }
    return .complete
  }

  /// A complete pull to `head`. Costs no write where nothing is new.
  private func completed(_ head: UInt64, isComparable: Bool, clock: UInt64) throws {
    let isNew = row.complete != head || row.cursor != head
    guard isNew || (isComparable && hashedSequence != head) else {
      row.lastSuccess = max(row.lastSuccess, clock)
      return
    }
    try changing {
      if row.complete == nil, mayWrite { try store.markUnservedDirty(vault: id) }
      row.cursor = head
      row.complete = head
      row.lastSuccess = max(row.lastSuccess, clock)
      if isComparable {
        try store.insertSetHash(setHash.digest, sequence: head, incarnation: row.incarnation, vault: id)
      }
    }
    hashedSequence = isComparable ? head : nil
  }

  /// Forgets what the relay holds and pulls everything again; at its end, what the relay does not serve is pushed. Nothing
  /// local is ever deleted by what a relay does not serve: what lies in the inbox stays there and is merged when it can be.
  func startOver(incarnation: [UInt8]) throws {
    try changing {
      if incarnation != row.incarnation {
        try store.insertLeft(incarnation: row.incarnation, vault: id)
        row.incarnation = incarnation
      }
      try store.removeAllServed(vault: id)
      try store.removeSetHashes(vault: id)
      setHash = SetHash()
      listingDigest = ListingDigest()
      row.cursor = 0
      row.complete = nil
      row.checkpointMade = nil
      row.checkpointSequence = nil
    }
    generation += 1
    greatestServed = 0
    pulledSinceStart = false
    isRepairing = false
    hashedSequence = nil
    checkpointCount = nil
  }
}
