internal import DeviceChain
public import RelayWire
internal import VaultModel
internal import VaultStore

/// Brings one vault and its relay together: pull, merge, push, checkpoint. Every step can be repeated or cut short at any point
/// without losing anything; a lost answer is found again by the next pull (Docs/Sync.md, "The cycle").
public struct SyncEngine: Sendable {
  let access: any VaultAccess
  let api: RelayAPI
  /// Pages of one pull, more than the greatest honest vault has: a relay whose feed never ends is cut short.
  private let mostPages: Int

  /// For the vault behind `access`, at the relay behind `api`.
  public init(access: any VaultAccess, api: RelayAPI) {
    self.init(access: access, api: api, mostPages: 10_000)
  }

  init(access: any VaultAccess, api: RelayAPI, mostPages: Int) {
    self.access = access
    self.api = api
    self.mostPages = mostPages
  }

  /// How far a cycle has come.
  public struct Progress: Sendable {
    /// Records received so far.
    public var received: UInt64 = 0
    /// The relay's greatest sequence.
    public var head: UInt64 = 0
    /// Records sent so far.
    public var sent: Int = 0
    /// How often everything was pulled from the start.
    var restarts = 0
    /// The page after the one that is taken in.
    var ahead: PageAhead?
  }

  /// An honest relay makes one cycle start over once or twice: one pull meets the loss, one receives everything.
  private static let mostRestarts = 5
  /// Rounds of pushes in a row after which nothing was settled. One can happen when a pull was faster than an answer.
  private static let mostIdleRounds = 4
  /// Rounds of pushes of one cycle; what is left then is for the next one.
  private static let mostRounds = 1_000

  /// One full cycle: pulls to the end, pushes until the relay holds everything, and publishes a checkpoint. An alarm does not
  /// fail it: what was reported was repaired as far as can be, and `OpenVault.alarm` says it.
  public func cycle(progress: (Progress) -> Void = { _ in }) throws {
    var state = Progress()
    try access.withVault { vault in
      try vault.checkSyncable()
      try vault.retryRefused()
    }
    try pullAll(&state, progress)
    try pushAll(&state, progress)
    try publishCheckpoint()
    let clock = access.clock
    try access.withVault { try $0.cycleSucceeded(clock: clock) }
  }

  /// Pushes what there is, until nothing is left.
  public func pushAll() throws {
    var state = Progress()
    try pushAll(&state) { _ in }
  }

  /// Waits for news with a long poll and takes them in. `ticket` is the transport's, from before the caller decided to wait.
  public func wait(seconds: UInt32, ticket: UInt64) throws -> PullOutcome {
    var state = Progress()
    let outcome = try pull(&state, wait: seconds, ticket: ticket) { _ in }
    if outcome == .restarted || outcome == .more { try pullAll(&state) { _ in } }
    return outcome
  }

  private func pullAll(_ state: inout Progress, _ progress: (Progress) -> Void) throws {
    for _ in 0..<mostPages {
      switch try pull(&state, wait: 0, ticket: nil, progress) {
      case .complete: return
      case .more, .stale: continue
      case .restarted:
        state.restarts += 1
        guard state.restarts < Self.mostRestarts else {
          throw SyncError.misbehaved("its answers make every pull start over")
        }
      }
    }
    throw SyncError.misbehaved("its feed does not end")
  }

  private func pull(
    _ state: inout Progress, wait: UInt32, ticket: UInt64?, _ progress: (Progress) -> Void
  ) throws -> PullOutcome {
    var point = try access.withVault { vault in
      try vault.checkSyncable()
      return vault.syncPoint
    }
    let page: ChangesPage
    let opening: PageOpening?
    let ahead = state.ahead.take()
    if let ahead, ahead.follows(point) {
      // The relay may have given more since then, in answers to pushes: what it must not fall behind is what was known at the time.
      point = ahead.point
      (page, opening) = try asking { () throws(RelayError) in try ahead.page() }
    } else {
      let isWaiting = wait > 0
      page = try asking { () throws(RelayError) in
        try api.changes(
          since: point.cursor, wait: wait, chain: isWaiting ? point.chainLength : nil,
          checkpoints: isWaiting ? point.checkpoints : nil, ticket: ticket)
      }
      opening = nil
    }
    defer { opening?.end() }
    try follow(page, from: point)
    let outcome = try takeIn(page, opening, at: &point, &state)
    state.received += UInt64(page.changes.count)
    state.head = page.head
    progress(state)
    return outcome
  }

  /// Takes a page in, part by part: the agent's lock is free in between.
  private func takeIn(
    _ page: ChangesPage, _ opened: PageOpening?, at point: inout SyncPoint, _ state: inout Progress
  ) throws -> PullOutcome {
    let clock = access.clock
    let (outcome, keys) = try access.withVault { [point] in (try $0.begin(page, at: point), $0.openingKeys) }
    if let outcome { return outcome }
    if page.more, let last = page.changes.last {
      var next = point
      next.cursor = last.sequence
      state.ahead = PageAhead(api, from: next, with: keys)
    }
    let opening = opened ?? PageOpening(page.changes, with: keys)
    defer { opening.end() }
    while let changes = opening.next(OpenVault.recordsPerTransaction) {
      let next = try access.withVault { [point] vault -> SyncPoint? in
        var point = point
        return try vault.take(changes, at: &point, clock: clock) ? point : nil
      }
      guard let next else { return .stale }
      point = next
    }
    return try access.withVault { [point] vault in
      let outcome = try vault.finish(page, at: point, clock: clock)
      try vault.checkSyncable()
      return outcome
    }
  }

  /// Pushes batch after batch, with a pull after each: it brings what others pushed meanwhile and the own records' place in the feed.
  private func pushAll(_ state: inout Progress, _ progress: (Progress) -> Void) throws {
    var idleRounds = 0
    var repeats = RepeatedPushes()
    for _ in 0..<Self.mostRounds {
      guard let result = try push(&state, &repeats, progress) else { return }
      idleRounds = result.settled > 0 ? 0 : idleRounds + 1
      guard idleRounds < Self.mostIdleRounds else {
        throw SyncError.misbehaved("its answers to pushes lead nowhere")
      }
      try pullAll(&state, progress)
    }
  }

  /// Pushes one batch; nil if there was nothing to push.
  private func push(
    _ state: inout Progress, _ repeats: inout RepeatedPushes, _ progress: (Progress) -> Void
  ) throws -> PushResult? {
    let batch = try access.withVault { vault in
      try vault.checkSyncable()
      return try vault.nextBatch()
    }
    guard !batch.records.isEmpty else { return nil }
    try repeats.note(batch.records)
    let items = batch.records.map { PushItem(slot: $0.slot.bytes, base: $0.base, content: .record($0.bytes)) }
    let answers: [PushAnswer]
    do {
      answers = try asking { () throws(RelayError) in try api.push(incarnation: batch.incarnation, items) }
    } catch SyncError.relay(let error) where error.problemCode == .incarnation {
      // The next pull meets the new incarnation and starts over.
      return PushResult(settled: 0, needsPull: true)
    }
    let clock = access.clock
    let result = try access.withVault { try $0.apply(answers, to: batch, clock: clock) }
    state.sent += result.settled
    progress(state)
    return result
  }

  /// Publishes a checkpoint at the last complete pull, if there is anything new to say.
  public func publishCheckpoint() throws {
    let made = try access.withVault { vault in
      (checkpoint: try vault.makeCheckpoint(), vault.row.incarnation, vault.row.complete, point: vault.syncPoint)
    }
    guard let checkpoint = made.checkpoint else { return }
    do {
      try asking { () throws(RelayError) in try api.putCheckpoint(incarnation: made.1, checkpoint) }
    } catch SyncError.relay(let error) where error.problemCode == .quota {
      // A full relay takes no checkpoint either; the refused items say so, and everything else goes on.
      return
    }
    try access.withVault { try $0.checkpointPublished(at: made.point, sequence: made.2) }
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
