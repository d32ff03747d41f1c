internal import DeviceChain
internal import RelayWire
internal import VaultModel
internal import VaultStore

/// The device chain, followed entry by entry. Each is verified before it is stored; what does not verify changes nothing.
extension OpenVault {
  /// Takes in entries that follow the newest one. Refuses a page that does not continue the chain: two valid successors of one
  /// head are a fork, and both are evidence.
  public func extendChain(_ entries: [[UInt8]]) throws {
    guard !entries.isEmpty else { return }
    var state = chain
    var heads: [[UInt8]] = []
    for bytes in entries {
      state = try state.applying(bytes)
      heads.append(state.head)
    }
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
    knownHeads.formUnion(heads)
  }

  /// The relay serves a chain that does not continue the verified one.
  func chainForked(_ reason: String) throws {
    try changing {
      row.state = .forked
      row.evidence = reason
    }
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
    alarm = nil
    try startOver(incarnation: row.incarnation)
  }
}
