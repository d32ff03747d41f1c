internal import DeviceChain
internal import RelayWire
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// An entry of the verified chain that the relay does not have any more.
struct LostEntry: Sendable {
  /// The head that it follows.
  let head: [UInt8]
  /// The entry.
  let entry: [UInt8]
  /// Keyrings that were stored together with it, and are again: a new epoch without its keys would help nobody.
  var keyrings: [[UInt8]] = []
}

/// The device chain, followed entry by entry. Each is verified before it is stored; what does not verify changes nothing.
extension OpenVault {
  /// Takes in entries that follow the newest one. Throws `ChainError` if they do not continue the chain.
  public func extendChain(_ entries: [[UInt8]]) throws {
    guard !entries.isEmpty else { return }
    var state = chain
    for bytes in entries { state = try state.applying(bytes) }
    try changing {
      for (offset, bytes) in entries.enumerated() {
        try store.appendChain(bytes, number: chain.number + 1 + UInt64(offset), vault: id)
      }
      if state.isRevoked(row.deviceID.bytes) {
        row.state = .revoked
        row.evidence = "this device was revoked by an admin of the vault"
      }
    }
    chain = state
  }

  /// The relay serves `served`, a whole chain, which does not continue the verified one. Two valid successors of one head are a
  /// fork; anything else proves nothing against anybody but the relay.
  func judgeChain(_ served: [[UInt8]]) throws {
    switch ChainFork.compare(held: try store.chain(vault: id), served: served, vaultID: row.vaultID.bytes) {
    case .fork(let fork):
      try stop(
        "two device chains are signed that part after entry \(fork.number - 1), and the relay serves the other one")
    case .invalid(let error):
      throw SyncError.misbehaved("it serves a device chain that does not verify (\(error))")
    case .same, .behind, .extends: break
    }
  }

  /// The relay serves a shorter chain than the verified one: it lost entries.
  func reportLostEntries(_ length: UInt64) {
    report(
      "the relay lost entries of the device chain: it has \(length), \(chain.length) are known (an old backup, or a relay that hides them); they are given to it again"
    )
  }

  /// The entries from number `number` on, as they are given back to a relay.
  func lostEntries(from number: UInt64) throws -> [LostEntry] {
    let keyrings = try store.keyrings(vault: id)
    return try store.chain(vault: id, from: max(number, 1)).map { bytes in
      let content = try ChainEntry(decoding: bytes).content
      var lost = LostEntry(head: content.previous, entry: bytes)
      if case .revoke(let body) = content.body {
        let recipients = Set(body.recipients + body.recoveryRecipients)
        lost.keyrings = keyrings.filter { $0.epoch == body.epoch && recipients.contains($0.recipient) }.map(\.bytes)
      }
      return lost
    }
  }

  /// All keyrings that the relay can take.
  func currentKeyrings() throws -> [[UInt8]] {
    let keyrings = try store.keyrings(vault: id).filter { keyring in
      chain.activeDevice(keyring.recipient) != nil || chain.activeRecoveryKey(keyring.recipient) != nil
    }
    return keyrings.map(\.bytes)
  }

  /// When the last full cycle succeeded.
  func cycleSucceeded(clock: UInt64) throws {
    row.lastSuccess = clock
    try store.setLastSuccess(clock, vault: id)
  }

  /// The person decided: what was reported is forgotten, and everything is pulled again.
  public func acceptRelayState() throws {
    try changing {
      row.state = .active
      row.evidence = ""
    }
    _ = takeAlarm()
    disagreements = [:]
    try startOver(incarnation: row.incarnation)
  }
}
