internal import DeviceChain
internal import RelayWire
internal import Synchronization

/// The verified chains of the vaults that were asked for last. A chain is verified again when it is loaded, and only grown after that.
final class ChainCache: Sendable {
  private static let limit = 512

  private let storage: any RelayStorage
  private let states = Mutex<[[UInt8]: ChainState]>([:])

  init(storage: any RelayStorage) { self.storage = storage }

  /// The chain of a vault, at least as long as `length`.
  func state(of vault: [UInt8], length: UInt64) throws(Problem) -> ChainState {
    if let state = states.withLock({ $0[vault] }), state.length >= length { return state }
    let state: ChainState
    if let held = states.withLock({ $0[vault] }) {
      state = try grow(held, vault, to: length)
    } else {
      state = try load(vault, length)
    }
    keep(state, of: vault)
    return state
  }

  /// Remembers a state that was just appended to.
  func keep(_ state: ChainState, of vault: [UInt8]) {
    states.withLock { states in
      if let held = states[vault], held.length >= state.length { return }
      if states.count >= Self.limit, states[vault] == nil, let other = states.keys.first { states[other] = nil }
      states[vault] = state
    }
  }

  private func load(_ vault: [UInt8], _ length: UInt64) throws(Problem) -> ChainState {
    let entries = try entries(of: vault, from: 0, to: length)
    do throws(ChainError) { return try ChainState(verifying: entries, vaultID: vault) } catch { throw Self.damaged }
  }

  private func grow(_ state: ChainState, _ vault: [UInt8], to length: UInt64) throws(Problem) -> ChainState {
    var state = state
    for entry in try entries(of: vault, from: state.length, to: length) {
      do throws(ChainError) { state = try state.applying(entry) } catch { throw Self.damaged }
    }
    return state
  }

  private func entries(of vault: [UInt8], from: UInt64, to length: UInt64) throws(Problem) -> [[UInt8]] {
    var entries: [[UInt8]] = []
    while from + UInt64(entries.count) < length {
      let next = from + UInt64(entries.count)
      let page = try stored { () throws(RelayStorageError) in try storage.chain(of: vault, from: next) }
      guard let page, !page.entries.isEmpty else { throw Self.damaged }
      entries += page.entries
    }
    return entries
  }

  private static let damaged = Problem(.unavailable, "The stored chain of this vault is damaged.")
}

/// Runs a call of the storage and says its errors as problems.
func stored<Result>(_ body: () throws(RelayStorageError) -> Result) throws(Problem) -> Result {
  do throws(RelayStorageError) {
    return try body()
  } catch {
    switch error {
    case .full: throw Problem(.storage, "The relay's disk is full; nothing was stored.")
    case .busy: throw Problem(.busy, "The relay is busy.", retryAfter: 1)
    case .unavailable: throw Problem(.unavailable, "The relay's storage does not answer.", retryAfter: 5)
    }
  }
}
