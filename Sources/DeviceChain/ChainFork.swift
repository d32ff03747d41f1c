public import RelayWire

/// Evidence that somebody signed two histories: two entries of different content that are both valid after one head.
public struct ChainFork: Sendable, Equatable {
  /// The number that both entries have.
  public let number: UInt64
  /// The hash of the last entry that both histories share.
  public let previous: [UInt8]
  /// One entry.
  public let first: [UInt8]
  /// The other.
  public let second: [UInt8]

  /// The fork that two valid successors of `state` make; nil if either is invalid or they are the same content.
  public init?(after state: ChainState, _ first: ChainEntry, _ second: ChainEntry) {
    guard first.contentBytes != second.contentBytes,
      (try? state.applying(first)) != nil, (try? state.applying(second)) != nil
    else { return nil }
    self.number = first.content.number
    self.previous = state.head
    self.first = first.encoded
    self.second = second.encoded
  }

  /// What a served chain is to the verified chain that is held.
  public enum Comparison: Sendable, Equatable {
    /// The same, up to signatures.
    case same
    /// The served chain is a beginning of the held one: the relay is behind, or lost entries.
    case behind
    /// The served chain goes on; `ChainState` after all of it.
    case extends(ChainState)
    /// Both go on differently after one entry, validly.
    case fork(ChainFork)
    /// The served chain breaks a rule, or differs from the held one by an invalid entry.
    case invalid(ChainError)
  }

  /// Compares `served` with the entries that are held; both whole, genesis first.
  public static func compare(held: [[UInt8]], served: [[UInt8]], vaultID: [UInt8]) -> Comparison {
    do throws(ChainError) {
      guard let genesis = held.first, let servedGenesis = served.first else { throw .misplacedGenesis }
      var state = try ChainState(genesis: genesis, vaultID: vaultID)
      _ = try ChainState(genesis: servedGenesis, vaultID: vaultID)
      for (mine, theirs) in zip(held.dropFirst(), served.dropFirst()) {
        let mine = try decodeEntry(mine)
        let theirs = try decodeEntry(theirs)
        if mine.contentBytes != theirs.contentBytes, let fork = ChainFork(after: state, mine, theirs) {
          return .fork(fork)
        }
        try state.apply(theirs)
      }
      if held.count == served.count { return .same }
      if held.count > served.count { return .behind }
      for entry in served.dropFirst(held.count) { try state.apply(try decodeEntry(entry)) }
      return .extends(state)
    } catch {
      return .invalid(error)
    }
  }
}
