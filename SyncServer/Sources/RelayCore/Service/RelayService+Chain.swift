internal import CBOR
internal import DeviceChain
internal import RelayWire

extension RelayService {
  /// GET V/chain; open to devices that are not active any more, since the chain is what tells them.
  func chain(_ vault: [UInt8], _ call: Call, _ request: ServerRequest) throws(Problem) -> Reply {
    _ = try caller(request, of: vault)
    let from = try call.number("from") ?? 0
    let page = try stored { () throws(RelayStorageError) in try storage.chain(of: vault, from: from) }
    guard let page else { throw Self.noVault }
    return Reply(page)
  }

  /// POST V/chain.
  func append(_ vault: [UInt8], _ request: ServerRequest) throws(Problem) -> Reply {
    let message = try decode(AppendEntryRequest.self, request)
    guard let entry = try? ChainEntry(decoding: message.entry) else {
      throw Problem(.malformed, "The entry does not have the form described.")
    }
    try checkAppender(request, vault, entry)
    let answer = Reply(AppendEntryAnswer(number: entry.content.number))
    for _ in 0..<8 {
      let (_, state) = try vaultState(vault)
      if try isAppended(entry, vault, state) { return answer }
      guard state.head == message.expectedHead else {
        throw Problem(.chainMoved, "The chain has another head; read it and try again.")
      }
      let next = try Self.apply(entry, to: state)
      let new = NewEntry(
        entry: message.entry, keyrings: try Self.keyrings(message.keyrings, in: next),
        locators: Self.locators(of: next), departed: Self.departed(from: state, to: next))
      let guarded = positionGuard(entry, state, isRepair: message.isRepair)
      switch try stored({ () throws(RelayStorageError) in try storage.append(new, to: vault, guarded) }) {
      case .done:
        chains.keep(next, of: vault)
        waiters.notify(vault)
        configuration.log("chain-appended", "type=\(entry.content.body.type)")
        return answer
      case .missing: throw Self.noVault
      case .incarnation: throw Problem(.incarnation, "The entry speaks of another incarnation of this vault.")
      case .feedMoved: throw Problem(.feedMoved, "The feed has moved on; pull and try again.")
      case .quota: throw Problem(.quota, "The vault's quota is full; nothing was stored.")
      case .chainMoved: continue
      }
    }
    throw Problem(.busy, "The chain of this vault is changing.", retryAfter: 1)
  }

  /// The signer is an active device, or the one that the entry brings in: a recovered or replaced device is in no earlier entry.
  private func checkAppender(_ request: ServerRequest, _ vault: [UInt8], _ entry: ChainEntry) throws(Problem) {
    let (device, signature) = try verifier.parse(request)
    let (_, state) = try vaultState(vault)
    if let known = state.device(device) {
      try verifier.verify(signature, of: device, key: known.keys.pushSigning, now: configuration.now())
      try Self.requireActive(device, state)
      return
    }
    let joining: DevicePublicKeys? =
      switch entry.content.body {
      case .addDevice(let body): body.device
      case .replaceDevice(let body): body.device
      default: nil
      }
    guard let joining, ChainHash.deviceID(joining) == device else {
      throw Problem(.notADevice, "The signing key belongs to no device of this vault.")
    }
    try verifier.verify(signature, of: device, key: joining.pushSigning, now: configuration.now())
  }

  /// True if this very entry stands in the chain: its answer was lost.
  private func isAppended(_ entry: ChainEntry, _ vault: [UInt8], _ state: ChainState) throws(Problem) -> Bool {
    guard entry.content.number < state.length else { return false }
    let page = try stored { () throws(RelayStorageError) in try storage.chain(of: vault, from: entry.content.number) }
    guard let bytes = page?.entries.first, let held = try? ChainEntry(decoding: bytes) else { return false }
    return held.contentBytes == entry.contentBytes
  }

  private static func apply(_ entry: ChainEntry, to state: ChainState) throws(Problem) -> ChainState {
    do throws(ChainError) {
      return try state.applying(entry)
    } catch {
      switch error {
      case .signerNotAdmin: throw Problem(.role, "Only an admin's signature makes this entry valid.")
      default: throw Problem(.malformed, "The entry is not valid after this head: \(error).")
      }
    }
  }

  private func positionGuard(_ entry: ChainEntry, _ state: ChainState, isRepair: Bool) -> WriteGuard {
    let position: FeedPosition? =
      switch entry.content.body {
      case .revoke(let body): isRepair ? nil : body.position
      case .setRole(let body): isRepair ? nil : body.position
      default: nil
      }
    return WriteGuard(
      incarnation: position?.incarnation, head: position?.sequence, chainLength: state.length,
      quota: configuration.vaultQuota)
  }

  private static func departed(from state: ChainState, to next: ChainState) -> [[UInt8]] {
    state.activeDevices.map(\.id).filter { next.activeDevice($0) == nil }
  }
}
