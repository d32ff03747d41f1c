internal import RelayWire
internal import Threading
internal import VaultModel

/// A change of the feed, opened as far as the keys allow.
struct OpenedChange: Sendable {
  let sequence: UInt64
  /// nil: what the relay sent is no slot.
  let slot: SlotID?
  /// nil: the slot's record was purged.
  let opening: RecordOpening?

  init(_ change: Change, with keys: OpeningKeys) {
    sequence = change.sequence
    slot = SlotID(change.slot)
    if case .record(let bytes) = change.content, let slot {
      opening = keys.open(bytes, slot: slot)
    } else {
      opening = nil
    }
  }
}

/// The records of a page, opened on all processors while the first of them are merged already. Verifying and decrypting costs about as
/// much as everything that follows, and needs no lock.
final class PageOpening: Sendable {
  /// How many changes a thread opens at a time: enough that handing over costs nothing, few enough that nobody waits for the last.
  private static let portion = 50

  private struct State: Sendable {
    /// The first portion that nobody opens yet.
    var unclaimed = 0
    var opened: [Int: [OpenedChange]] = [:]
    /// The first portion that was not handed out.
    var next = 0
  }

  private enum Step {
    case ready([OpenedChange])
    case claimed(Int)
  }

  private let changes: [Change]
  private let keys: OpeningKeys
  private let state = Monitor(State())

  /// Begins to open `changes` on `threads` threads beside the caller's, and on fewer where there is little to do.
  init(_ changes: [Change], with keys: OpeningKeys, threads: Int = Processors.count - 1) {
    self.changes = changes
    self.keys = keys
    // A thread that cannot be had is not missed: whoever asks for a portion that nobody opens, opens it.
    for _ in 0..<max(0, min(threads, portions - 1)) { _ = WorkerThread { [self] in help() } }
  }

  private var portions: Int { (changes.count + Self.portion - 1) / Self.portion }

  /// The next changes in their order, about `count` of them; nil after the last.
  func next(_ count: Int) -> [OpenedChange]? {
    var result: [OpenedChange] = []
    var portion = state.quietly { $0.next }
    while portion < portions, result.count < count {
      result += opened(portion)
      portion += 1
    }
    state.quietly { [portion] in $0.next = portion }
    return result.isEmpty ? nil : result
  }

  /// Nothing more will be asked for: lets go of what was opened, and lets the threads end.
  func end() {
    state.change {
      $0.unclaimed = portions
      $0.opened = [:]
    }
  }

  private func opened(_ portion: Int) -> [OpenedChange] {
    while true {
      let step: Step? = state.wait { state in
        if let opened = state.opened.removeValue(forKey: portion) { return .ready(opened) }
        return state.unclaimed <= portion ? .claimed(Self.claim(&state)) : nil
      }
      switch step {
      case .ready(let opened): return opened
      case .claimed(let claimed): open(claimed)
      case nil: return []
      }
    }
  }

  private func help() {
    while let claimed = state.quietly({ $0.unclaimed < portions ? Self.claim(&$0) : nil }) { open(claimed) }
  }

  private static func claim(_ state: inout State) -> Int {
    defer { state.unclaimed += 1 }
    return state.unclaimed
  }

  private func open(_ portion: Int) {
    let range = portion * Self.portion..<min((portion + 1) * Self.portion, changes.count)
    let opened = changes[range].map { OpenedChange($0, with: keys) }
    state.change { $0.opened[portion] = opened }
  }
}
