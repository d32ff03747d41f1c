internal import CSodium
internal import Synchronization

/// The memory that every key lives in: pages from `sodium_malloc` (guard pages around, never dumped, locked into memory).
///
/// `sodium_malloc` costs a locked page per allocation and goes on silently without the lock once RLIMIT_MEMLOCK is used up
/// (design/swift.md), so keys share one arena of 64-byte slots and `start` checks that it is locked. A slot is wiped when its key ends.
enum LockedArena {
  static let slotSize = 64
  private static let slotsPerBlock = 1024

  private struct State {
    var free: [UInt] = []
    var blocks = 0
  }
  private static let state = Mutex(State())

  /// Makes the first block; false if it cannot be locked into memory.
  static func start() -> Bool {
    state.withLock { state in
      if state.blocks > 0 { return true }
      return grow(&state)
    }
  }

  /// A wiped slot of `slotSize` bytes. Ends the process if there is no memory left: a key that cannot be kept safely must not be kept.
  static func allocate() -> UnsafeMutableRawPointer {
    state.withLock { state in
      if state.free.isEmpty && !grow(&state) && state.free.isEmpty {
        fatalError("no lockable memory is left for keys")
      }
      let address = state.free.removeLast()
      guard let slot = UnsafeMutableRawPointer(bitPattern: address) else {
        fatalError("the key arena holds a null slot")
      }
      return slot
    }
  }

  static func free(_ slot: UnsafeMutableRawPointer) {
    sodium_memzero(slot, slotSize)
    state.withLock { $0.free.append(UInt(bitPattern: slot)) }
  }

  /// Adds a block. False if it could not be allocated or locked; an allocated block is used all the same, since the agent's
  /// start already refused to run where locking does not work at all.
  private static func grow(_ state: inout State) -> Bool {
    // sodium_malloc needs the page size that sodium_init finds out; beside a running sodium_init it aborts the process.
    guard Sodium.ready, let block = sodium_malloc(slotSize * slotsPerBlock) else { return false }
    let locked = sodium_mlock(block, slotSize * slotsPerBlock) == 0
    sodium_memzero(block, slotSize * slotsPerBlock)
    for index in (0..<slotsPerBlock).reversed() {
      state.free.append(UInt(bitPattern: block + index * slotSize))
    }
    state.blocks += 1
    return locked
  }
}
