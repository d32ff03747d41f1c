internal import DeviceChain
internal import RelayWire

/// A device whose request signature was verified, and the vault as it was then.
struct Caller: Sendable {
  let device: [UInt8]
  let state: ChainState
  let status: VaultStatus
}

extension RelayService {
  /// Verifies the signature of a request by a device of `vault`, whether active or not.
  func caller(_ request: ServerRequest, of vault: [UInt8]) throws(Problem) -> Caller {
    let (device, signature) = try verifier.parse(request)
    let (status, state) = try vaultState(vault)
    guard let key = state.pushSigningKey(of: device) else {
      throw Problem(.notADevice, "The signing key belongs to no device of this vault.")
    }
    try verifier.verify(signature, of: device, key: key, now: configuration.now())
    return Caller(device: device, state: state, status: status)
  }

  /// Verifies the signature of a request by an active device of `vault`.
  func activeCaller(_ request: ServerRequest, of vault: [UInt8]) throws(Problem) -> Caller {
    let caller = try caller(request, of: vault)
    try Self.requireActive(caller.device, caller.state)
    return caller
  }

  /// A device that was replaced gets `revoked` too: either way it goes on by reading the chain.
  static func requireActive(_ device: [UInt8], _ state: ChainState) throws(Problem) {
    guard state.activeDevice(device) != nil else {
      throw Problem(.revoked, "This device is not active in the vault's chain any more.")
    }
  }

  /// The vault's status and a chain that is at least as long.
  func vaultState(_ vault: [UInt8]) throws(Problem) -> (VaultStatus, ChainState) {
    let status = try stored { () throws(RelayStorageError) in try storage.status(of: vault) }
    guard let status else { throw Self.noVault }
    return (status, try chains.state(of: vault, length: status.chainLength))
  }

  static let noVault = Problem(.notFound, "There is no such vault here.")

  /// Runs a write that was decided on a state of the chain; decides and runs again if the chain grew in between.
  func guarded<Value>(
    _ vault: [UInt8], _ caller: Caller,
    _ body: (ChainState) throws(Problem) -> WriteOutcome<Value>
  ) throws(Problem) -> Value {
    var state = caller.state
    for _ in 0..<8 {
      try Self.requireActive(caller.device, state)
      switch try body(state) {
      case .done(let value): return value
      case .missing: throw Self.noVault
      case .incarnation: throw Problem(.incarnation, "The relay's incarnation of this vault is another.")
      case .feedMoved: throw Problem(.feedMoved, "The feed has moved on; pull and try again.")
      case .quota: throw Problem(.quota, "The vault's quota is full; nothing was stored.")
      case .chainMoved: state = try vaultState(vault).1
      }
    }
    throw Problem(.busy, "The chain of this vault is changing.", retryAfter: 1)
  }
}
