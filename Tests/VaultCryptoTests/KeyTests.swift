import Testing

@testable import VaultCrypto

struct KeyTests {
  @Test("A key takes over bytes of 16 to 64 and wipes them, refused or not")
  func consuming() throws {
    for count in [16, 32, 64] {
      var contents = [UInt8](repeating: 7, count: count)
      let taken = try SymmetricKey<SlotRole>(consuming: &contents)
      #expect(contents.isEmpty)
      #expect(taken.count == count)
      #expect(taken.exportBytes() == [UInt8](repeating: 7, count: count))
    }
    for count in [0, 15, 65] {
      var contents = [UInt8](repeating: 7, count: count)
      #expect(throws: CryptoError.malformed) { _ = try SymmetricKey<SlotRole>(consuming: &contents) }
      #expect(contents.isEmpty)
    }
  }

  @Test("A slot of the arena is wiped when its key ends")
  func wipedAtEnd() {
    let slot = LockedArena.allocate()
    slot.storeBytes(of: 0xDEAD_BEEF, as: UInt32.self)
    LockedArena.free(slot)
    // sodium_malloc's memory stays mapped, so looking is allowed; another test may hold the slot now, with a key in it.
    #expect(slot.load(as: UInt32.self) != 0xDEAD_BEEF)
  }

  @Test("A duplicate has the same bytes and a life of its own")
  func duplicate() {
    var copy: SharedKey<SlotRole>?
    let contents: [UInt8]
    do {
      let original = SymmetricKey<SlotRole>.random()
      contents = original.exportBytes()
      copy = SharedKey(original.duplicate())
    }
    #expect(copy?.key.exportBytes() == contents)
    copy = nil
  }

  @Test("More keys than one block of the arena holds exist at once and do not overlap")
  func manyKeys() {
    let keys = (0..<3000).map { _ in SharedKey(SymmetricKey<SlotRole>.random(count: 64)) }
    #expect(Set(keys.map { $0.key.exportBytes() }).count == 3000)
  }

  @Test("Programs can start: libsodium and locked memory are there")
  func start() throws {
    try Sodium.start()
    try Sodium.start()
  }

  @Test("Random bytes differ and have the length asked for; random numbers stay below their bound")
  func randomness() {
    #expect(Randomness.bytes(0).isEmpty)
    #expect(Randomness.bytes(33).count == 33)
    #expect(Randomness.bytes(32) != Randomness.bytes(32))
    for _ in 0..<100 { #expect(Randomness.number(below: 3) < 3) }
  }

  @Test("Wiping empties, and comparing looks at lengths and contents")
  func helpers() {
    var contents: [UInt8] = [1, 2, 3]
    wipe(&contents)
    #expect(contents.isEmpty)
    #expect(constantTimeEqual([], []))
    #expect(constantTimeEqual([1, 2], [1, 2]))
    #expect(!constantTimeEqual([1, 2], [1, 3]))
    #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
  }
}
