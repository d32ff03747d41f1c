internal import DeviceChain
internal import RelayWire

extension RelayService {
  /// POST V/records.
  func push(_ vault: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    let caller = try activeCaller(request, of: vault)
    let message = try decode(PushRequest.self, request)
    let bytes = message.items.reduce(0) { $0 + $1.content.bytes.count }
    guard bytes <= RelayLimits.batchBytes || message.items.count == 1 else {
      throw Problem(.tooLarge, "A batch holds at most \(RelayLimits.batchBytes) bytes of records.")
    }
    let answers = try guarded(vault, caller) { state throws(Problem) in
      let steps = message.items.map { item in
        Self.refusal(of: item, by: caller.device, in: state, message.incarnation).map(PushStep.refused) ?? .put(item)
      }
      let guarded = WriteGuard(
        incarnation: message.incarnation, chainLength: state.length, quota: configuration.vaultQuota)
      return try stored { () throws(RelayStorageError) in try storage.push(steps, to: vault, guarded) }
    }
    let hasStored = answers.contains { answer in
      if case .stored = answer { true } else { false }
    }
    if hasStored { waiters.notify(vault) }
    return Reply(PushAnswers(answers: answers))
  }

  /// Why an item is refused whatever its slot holds; nil if it is not.
  private static func refusal(
    of item: PushItem, by device: [UInt8], in state: ChainState, _ incarnation: [UInt8]
  ) -> RefusalCode? {
    guard state.isWriter(device) else { return .role }
    switch item.content {
    case .record(let record):
      guard record.count <= RelayLimits.recordBytes else { return .tooLarge }
      guard let header = RecordHeader(record) else { return .malformed }
      guard header.author == device else { return .author }
      guard header.epoch == state.epoch else { return .epoch }
    case .purge(let purge):
      guard let event = PurgeEvent(purge) else { return .malformed }
      guard event.author == device else { return .author }
      guard event.slot == item.slot, event.sequence == item.base, event.incarnation == incarnation else {
        return .malformed
      }
    }
    return nil
  }

  /// GET V/changes.
  func changes(_ vault: [UInt8], _ call: Call, _ request: ServerRequest) throws(Problem) -> Outcome {
    let caller = try activeCaller(request, of: vault)
    let since = try call.number("since") ?? 0
    let limit = try call.number("limit", atMost: UInt64(RelayLimits.batchCount)) ?? UInt64(RelayLimits.batchCount)
    guard limit > 0 else { throw Problem(.malformed, "The query's \"limit\" is at least 1.") }
    let chain = try call.number("chain") ?? .max
    let checkpoints = try call.number("checkpoints") ?? .max
    let device = caller.device
    return try waiting(for: vault, owner: device, milliseconds: try call.wait() * 1_000) {
      [self] isLast throws(Problem) in
      let (status, state) = try vaultState(vault)
      try Self.requireActive(device, state)
      let hasNews = status.head > since || status.chainLength > chain || status.checkpointCount > checkpoints
      guard hasNews || isLast else { return nil }
      let page = try stored { () throws(RelayStorageError) in
        try storage.changes(of: vault, since: since, limit: Int(limit))
      }
      guard let page else { throw Self.noVault }
      return Reply(page)
    }
  }

  /// PUT V/checkpoint; every active device publishes its own, readers too.
  func putCheckpoint(_ vault: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    let caller = try activeCaller(request, of: vault)
    let message = try decode(PutCheckpointRequest.self, request)
    guard let header = CheckpointHeader(message.checkpoint), header.author == caller.device else {
      throw Problem(.malformed, "The checkpoint does not have the form described, or is another device's.")
    }
    try guarded(vault, caller) { state throws(Problem) in
      let guarded = WriteGuard(
        incarnation: message.incarnation, chainLength: state.length, quota: configuration.vaultQuota)
      return try stored { () throws(RelayStorageError) in
        try storage.put(checkpoint: message.checkpoint, of: caller.device, in: vault, guarded)
      }
    }
    waiters.notify(vault)
    return Reply(EmptyMessage())
  }
}
