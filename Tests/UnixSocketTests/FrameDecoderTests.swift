import Testing

@testable import UnixSocket

@Suite struct FrameDecoderTests {
  static let frames: [[UInt8]] = [[], [0x01], Array(repeating: 0xAB, count: 300), [], Array(0...255)]

  static func append(_ bytes: [UInt8], to decoder: inout FrameDecoder) {
    bytes.withUnsafeBytes { decoder.append($0) }
  }

  static func stream() throws -> [UInt8] {
    try frames.flatMap { try #require(FrameDecoder.encode($0, limit: 1_000)) }
  }

  @Test(arguments: [1, 2, 3, 5, 7, 304, 100_000])
  func `Frames come out whole however the stream is cut`(_ step: Int) throws {
    let stream = try Self.stream()
    var decoder = FrameDecoder(limit: 1_000)
    var decoded: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: step) {
      Self.append(Array(stream[start..<min(start + step, stream.count)]), to: &decoder)
      while let frame = try decoder.next() { decoded.append(frame) }
    }
    #expect(decoded == Self.frames)
    #expect(!decoder.isPartial)
  }

  @Test func `A frame that has begun is known to be partial`() throws {
    var decoder = FrameDecoder(limit: 1_000)
    #expect(!decoder.isPartial)
    Self.append([0], to: &decoder)
    #expect(decoder.isPartial)
    #expect(try decoder.next() == nil)
  }

  @Test(arguments: [[0, 0, 3, 0xE9], [0xFF, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0]] as [[UInt8]])
  func `A length above the limit is refused before its bytes come`(_ head: [UInt8]) {
    var decoder = FrameDecoder(limit: 1_000)
    Self.append(head, to: &decoder)
    #expect(throws: SocketError.frameTooLarge(limit: 1_000)) { _ = try decoder.next() }
  }

  @Test func `A payload above the limit is not encoded`() {
    #expect(FrameDecoder.encode(Array(repeating: 0, count: 1_000), limit: 1_000)?.count == 1_004)
    #expect(FrameDecoder.encode(Array(repeating: 0, count: 1_001), limit: 1_000) == nil)
  }
}
