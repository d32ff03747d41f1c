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

extension OpenVault {
  /// How many records are taken in in one transaction: a page is, cut so that requests need not wait long for the lock.
  static let recordsPerTransaction = 200

  /// Takes in a page that was asked for with `since`. The cursor moves in the transaction of the records before it.
  func apply(_ page: ChangesPage, since: UInt64, clock: UInt64) throws -> PullOutcome {
    guard since == row.cursor else { return .stale }
    if page.incarnation != row.incarnation {
      if !row.incarnation.isEmpty {
        alarm =
          "the relay began a new incarnation (restored from a backup, or replaced): what it lost is pushed again"
        try startOver(incarnation: page.incarnation)
        return .restarted
      }
      try changing { row.incarnation = page.incarnation }
    }
    if page.head < row.cursor || page.head < row.complete ?? 0 {
      alarm =
        "the relay went back from sequence \(max(row.cursor, row.complete ?? 0)) to \(page.head) (an old backup, or a relay that hides records): what it lost is pushed again"
      try startOver(incarnation: page.incarnation)
      return .restarted
    }
    var remaining = page.changes[...]
    while !remaining.isEmpty {
      let part = remaining.prefix(Self.recordsPerTransaction)
      remaining = remaining.dropFirst(part.count)
      try changing {
        for change in part {
          guard let slot = SlotID(change.slot) else { throw VaultError.damaged("the relay sent a malformed slot") }
          if case .record(let bytes) = change.content {
            try receive(bytes, slot: slot, sequence: change.sequence, clock: clock)
          }
          row.cursor = change.sequence
        }
      }
    }
    guard !page.more, let last = page.last else { return .more }
    return try finishPull(page, last)
  }

  private func finishPull(_ page: ChangesPage, _ last: LastPage) throws -> PullOutcome {
    checkpointCount = last.checkpointCount
    // Own records that were stored after this snapshot are counted here and not in the relay's digest: compare next time.
    let isComparable = greatestServed <= page.head
    if isComparable, listingDigest.bytes != last.listingDigest {
      if isRepairing {
        alarm = "the relay's listing does not match what it serves"
      } else {
        try startOver(incarnation: page.incarnation)
        isRepairing = true
        return .restarted
      }
    } else if isComparable {
      isRepairing = false
    }
    try changing {
      if row.complete == nil { try store.markUnservedDirty(vault: id) }
      row.cursor = page.head
      row.complete = page.head
      if isComparable {
        try store.insertSetHash(setHash.digest, sequence: page.head, incarnation: row.incarnation, vault: id)
      }
    }
    pulledSinceStart = true
    return .complete
  }

  /// Forgets what the relay holds and pulls everything again; at its end, what the relay does not serve is pushed. Nothing
  /// local is ever deleted by what a relay does not serve.
  func startOver(incarnation: [UInt8]) throws {
    try changing {
      try store.removeAllServed(vault: id)
      try store.removeSetHashes(incarnation: incarnation, vault: id)
      setHash = SetHash()
      listingDigest = ListingDigest()
      row.incarnation = incarnation
      row.cursor = 0
      row.complete = nil
      row.checkpointSequence = nil
    }
    greatestServed = 0
    pulledSinceStart = false
    isRepairing = false
  }
}
