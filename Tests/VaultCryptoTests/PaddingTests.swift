import Testing

@testable import VaultCrypto

struct PaddingTests {
  @Test(
    "Padmé rounds as Docs/Formats.md §1 says",
    arguments: [
      (1, 1), (2, 2), (3, 3), (8, 8), (9, 10), (255, 256), (256, 256), (257, 272), (272, 272), (273, 288), (500, 512),
      (513, 544), (1000, 1024), (1025, 1088), (10_000, 10_240), (65_537, 67_584), (1 << 20, 1 << 20),
      ((1 << 20) + 1, (1 << 20) + 32_768), ((16 << 20) - 1, 16 << 20),
    ])
  func padme(length: Int, padded: Int) {
    #expect(Padding.padme(length) == padded)
  }

  @Test("Padmé never shrinks, never adds more than 12 %, and leaves what is padded alone")
  func padmeBounds() {
    var previous = 0
    for length in 1...20_000 {
      let padded = Padding.padme(length)
      #expect(padded >= length && padded * 100 <= length * 112)
      #expect(padded >= previous && Padding.padme(padded) == padded)
      previous = padded
    }
  }

  @Test("Padding goes both ways for every length, and short plaintexts have one size")
  func roundTrip() throws {
    for length in 0...2000 {
      // Ends in what padding itself is made of.
      let plaintext = [UInt8](repeating: length.isMultiple(of: 2) ? 0x80 : 0, count: length)
      let padded = Padding.pad(plaintext)
      #expect(padded.count == Padding.padme(max(length + 1, 256)))
      #expect(try Padding.unpad(padded) == plaintext)
      if length < 256 { #expect(padded.count == 256) }
    }
  }

  @Test("Padding that nobody would have made is refused")
  func refusals() {
    let good = Padding.pad([1, 2, 3])
    for bad: [UInt8] in [
      [], [0x80], [UInt8](repeating: 0, count: 256), Array(good.dropLast()), good + [0],
      good + [UInt8](repeating: 0, count: 16), [UInt8](repeating: 1, count: 256), good.dropLast() + [1],
      [1, 2, 3, 0x81] + [UInt8](repeating: 0, count: 252),
      // 256 bytes fit 255 of plaintext; one padded to 272 is not Padmé's.
      [1, 0x80] + [UInt8](repeating: 0, count: 270),
    ] {
      #expect(throws: CryptoError.malformed) { try Padding.unpad(bad) }
    }
  }
}
