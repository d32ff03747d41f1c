import CBOR
import Testing

struct ReaderTests {
  @Test("Values are read one after the other, and the kind of the next is known")
  func sequence() throws {
    var writer = CBORWriter()
    writer.array(8)
    writer.unsigned(7)
    writer.integer(-7)
    writer.byteString([1, 2])
    writer.text("text")
    writer.map(1)
    writer.bool(true)
    writer.null()
    writer.bool(false)
    writer.encoded([0x80])
    var reader = CBORReader(writer.bytes)
    #expect(try reader.peek() == .array)
    try reader.array(8)
    #expect(try reader.peek() == .unsigned)
    #expect(try reader.unsigned() == 7)
    #expect(try reader.peek() == .negative)
    #expect(try reader.integer() == -7)
    #expect(try reader.peek() == .byteString)
    #expect(try reader.byteString() == [1, 2])
    #expect(try reader.peek() == .text)
    #expect(try reader.text() == "text")
    #expect(try reader.peek() == .map)
    #expect(try reader.map() == 1)
    #expect(try reader.peek() == .bool)
    #expect(try reader.bool())
    #expect(try reader.peek() == .null)
    #expect(try reader.null())
    #expect(try reader.null() == false)
    #expect(try reader.bool() == false)
    #expect(throws: CBORError.trailingBytes) { try reader.end() }
    #expect(reader.remaining == 1)
    #expect(try reader.array() == 0)
    try reader.end()
    #expect(throws: CBORError.truncated) { try reader.peek() }
  }

  @Test("Another type than the one asked for is refused and nothing is consumed")
  func types() throws {
    let zero = CBORReader([0])
    #expect(throws: CBORError.unexpectedType) {
      var reader = zero
      _ = try reader.byteString()
    }
    #expect(throws: CBORError.unexpectedType) {
      var reader = zero
      _ = try reader.text()
    }
    #expect(throws: CBORError.unexpectedType) {
      var reader = zero
      _ = try reader.array()
    }
    #expect(throws: CBORError.unexpectedType) {
      var reader = zero
      _ = try reader.map()
    }
    var reader = zero
    #expect(throws: CBORError.unexpectedType) { try reader.bool() }
    #expect(reader.position == 0)
    #expect(throws: CBORError.unexpectedType) {
      var negative = CBORReader([0x20])
      _ = try negative.unsigned()
    }
  }

  @Test("Lengths and numbers outside what the caller allows are refused")
  func limits() throws {
    #expect(throws: CBORError.outOfRange) {
      var reader = CBORReader([0x42, 1, 2])
      _ = try reader.byteString(3)
    }
    #expect(throws: CBORError.outOfRange) {
      var reader = CBORReader([0x62, 0x61, 0x61])
      _ = try reader.text(atMost: 1)
    }
    #expect(throws: CBORError.outOfRange) {
      var reader = CBORReader([0x18, 0x64])
      _ = try reader.unsigned(atMost: 99)
    }
    #expect(throws: CBORError.outOfRange) {
      var reader = CBORReader([0x82, 0, 0])
      try reader.array(3)
    }
  }

  @Test("An encoded value and a byte string's place are found without decoding into a tree")
  func places() throws {
    var reader = CBORReader([0x83, 0x82, 0x01, 0x02, 0x43, 7, 8, 9, 0xF6])
    try reader.array(3)
    #expect(try reader.encodedValue() == [0x82, 0x01, 0x02])
    #expect(try reader.byteStringRange() == 5..<8)
    #expect(try reader.null())
    try reader.end()
    #expect(throws: CBORError.truncated) {
      var short = CBORReader([0x43, 7, 8])
      _ = try short.byteStringRange()
    }
  }

  @Test("What is read from arbitrary bytes is written back as the same bytes")
  func arbitraryBytes() {
    var generator = SystemRandomNumberGenerator()
    var accepted = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        // Mostly heads that may be valid, so that many inputs are.
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...255, using: &generator)
          : [0x00, 0x20, 0x41, 0x61, 0x81, 0xA1, 0xF6, 0x82].randomElement(using: &generator) ?? 0
      }
      guard let value = try? CBORValue(decoding: bytes) else { continue }
      accepted += 1
      #expect(value.encoded == bytes)
    }
    #expect(accepted > 100)
  }
}
