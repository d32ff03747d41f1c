internal import DeviceChain
public import RelayWire
internal import VaultModel
internal import VaultStore

/// Brings one vault and its relay together: pull, merge, push, checkpoint. Every step can be repeated or cut short at any point
/// without losing anything; a lost answer is found again by the next pull (design/sync.md, "Sync cycle").
public struct SyncEngine: Sendable {
  private let access: any VaultAccess
  private let api: RelayAPI

  /// For the vault behind `access`, at the relay behind `api`.
  public init(access: any VaultAccess, api: RelayAPI) {
    self.access = access
    self.api = api
  }

  /// How far a cycle has come.
  public struct Progress: Sendable {
    /// Records received so far.
    public var received: UInt64
    /// The relay's greatest sequence.
    public var head: UInt64
    /// Records sent so far.
    public var sent: Int
  }

  /// One full cycle: pulls to the end, pushes until the relay holds everything, and publishes a checkpoint.
  public func cycle(progress: (Progress) -> Void = { _ in }) throws {
    var state = Progress(received: 0, head: 0, sent: 0)
    try pullAll(&state, progress)
    // Pulling after each round of pushes brings what others pushed meanwhile and the own records' place in the feed. Every
    // round but the last leaves something new at the relay, so this ends.
    while try push(&state, progress) { try pullAll(&state, progress) }
    try publishCheckpoint()
    if let alarm = try access.withVault({ $0.alarm }) { throw SyncError.misbehaved(alarm) }
    let clock = access.clock
    try access.withVault { try $0.cycleSucceeded(clock: clock) }
  }

  private func pullAll(_ state: inout Progress, _ progress: (Progress) -> Void) throws {
    // A relay that lets pulls start over for ever is cut short; an honest one needs two rounds at the most.
    var restarts = 0
    while true {
      switch try pull(&state, wait: 0, ticket: nil, progress) {
      case .complete: return
      case .more, .stale: continue
      case .restarted:
        restarts += 1
        guard restarts < 4 else { throw SyncError.misbehaved("the relay's answers make every pull start over") }
      }
    }
  }

  /// Waits for news with a long poll and takes them in. `ticket` is the transport's, from before the caller decided to wait.
  public func wait(seconds: UInt32, ticket: UInt64) throws -> PullOutcome {
    var state = Progress(received: 0, head: 0, sent: 0)
    let outcome = try pull(&state, wait: seconds, ticket: ticket) { _ in }
    if outcome == .restarted || outcome == .more { try pullAll(&state) { _ in } }
    return outcome
  }

  private func pull(
    _ state: inout Progress, wait: UInt32, ticket: UInt64?, _ progress: (Progress) -> Void
  ) throws -> PullOutcome {
    let before = try access.withVault { vault in
      try vault.checkSyncable()
      return (since: vault.row.cursor, chain: vault.chain.length, checkpoints: vault.checkpointCount)
    }
    let page: ChangesPage = try asking { () throws(RelayError) in
      try api.changes(
        since: before.since, wait: wait, chain: wait > 0 ? before.chain : nil,
        checkpoints: wait > 0 ? before.checkpoints : nil, ticket: ticket)
    }
    try followChain(to: page.chainLength)
    let clock = access.clock
    let outcome = try access.withVault { vault in
      let outcome = try vault.apply(page, since: before.since, clock: clock)
      if outcome == .complete, let last = page.last {
        try vault.check(last.checkpoints, head: page.head)
        try vault.checkSyncable()
      }
      return outcome
    }
    state.received += UInt64(page.changes.count)
    state.head = page.head
    progress(state)
    return outcome
  }

  /// Pushes one batch, and pulls if an answer asks for it; false if there was nothing to push.
  private func push(_ state: inout Progress, _ progress: (Progress) -> Void) throws -> Bool {
    let (incarnation, batch) = try access.withVault { vault in
      try vault.checkSyncable()
      return (vault.row.incarnation, try vault.nextBatch())
    }
    guard !batch.isEmpty else { return false }
    let items = batch.map { PushItem(slot: $0.slot.bytes, base: $0.base, content: .record($0.bytes)) }
    let answers: [PushAnswer]
    do {
      answers = try asking { () throws(RelayError) in try api.push(incarnation: incarnation, items) }
    } catch SyncError.relay(let error) where error.problemCode == .incarnation {
      // The next pull meets the new incarnation and starts over.
      var state = state
      try pullAll(&state, progress)
      return true
    }
    let clock = access.clock
    try access.withVault { try $0.apply(answers, to: batch, clock: clock) }
    let conflicts = answers.filter { if case .conflict = $0 { true } else { false } }
    state.sent += batch.count - conflicts.count
    progress(state)
    if conflicts.contains(where: { if case .conflict(_, nil) = $0 { true } else { false } }) {
      try pullAll(&state, progress)
    }
    return true
  }

  /// Pushes what there is, until nothing is left.
  public func pushAll() throws {
    var state = Progress(received: 0, head: 0, sent: 0)
    while try push(&state, { _ in }) {}
  }

  /// Publishes a checkpoint at the last complete pull, if there is anything new to say.
  public func publishCheckpoint() throws {
    let made = try access.withVault { vault in
      (try vault.makeCheckpoint(), vault.row.incarnation, vault.row.complete)
    }
    guard let checkpoint = made.0 else { return }
    try asking { () throws(RelayError) in try api.putCheckpoint(incarnation: made.1, checkpoint) }
    try access.withVault { try $0.checkpointPublished(sequence: made.2) }
  }

  /// Fetches and verifies the chain up to at least `length` entries.
  public func followChain(to length: UInt64) throws {
    while true {
      let held = try access.withVault { $0.chain.length }
      guard held < length else { return }
      let page = try asking { () throws(RelayError) in try api.chain(from: held) }
      try access.withVault { vault in
        // Another thread may have been faster.
        guard vault.chain.length == held else { return }
        do {
          try vault.extendChain(page.entries)
        } catch let error as ChainError {
          try vault.chainForked("the relay serves a device chain that does not verify (\(error))")
        }
      }
      let clock = access.clock
      try access.withVault { vault in
        try vault.checkSyncable()
        // A record may have waited for the entry that names its author.
        try vault.mergeInbox(clock: clock, includingQuarantine: true)
      }
      guard !page.entries.isEmpty else { return }
    }
  }

  /// Runs a request. 403 `revoked` is only a claim: the chain, which stays open to a revoked device, must say it too.
  private func asking<Answer>(_ body: () throws(RelayError) -> Answer) throws -> Answer {
    do {
      return try body()
    } catch RelayError.cancelled {
      throw SyncError.cancelled
    } catch let error where error.problemCode == .revoked || error.problemCode == .notADevice {
      let held = try access.withVault { $0.chain.length }
      if let page = try? api.chain(from: held), !page.entries.isEmpty { try followChain(to: page.chainLength) }
      try access.withVault { try $0.checkSyncable() }
      throw SyncError.relay(error)
    } catch {
      throw SyncError.relay(error)
    }
  }
}

extension OpenVault {
  /// Refuses to sync where it cannot or must not.
  public func checkSyncable() throws(SyncError) {
    guard secretsC != nil else { throw .locked }
    switch row.state {
    case .active: return
    case .revoked: throw .revoked
    case .forked: throw .misbehaved(row.evidence)
    }
  }
}
