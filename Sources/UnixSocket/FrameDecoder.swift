/// Cuts a stream of bytes into frames: four bytes of length, big-endian, then as many bytes (Docs/AgentProtocol.md,
/// "Frames"). Memory grows with what has arrived, never with what a length promises.
public struct FrameDecoder: Sendable {
  private let limit: Int
  private var buffer: [UInt8] = []
  /// Where the next frame begins in `buffer`.
  private var start = 0

  /// A decoder at the start of a stream whose frames have at most `limit` bytes.
  public init(limit: Int) {
    self.limit = limit
  }

  /// Whether a frame has begun and is not complete.
  public var isPartial: Bool { start < buffer.count }

  /// Takes in what has arrived.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next complete frame, if there is one. After an error the stream is of no use.
  public mutating func next() throws(SocketError) -> [UInt8]? {
    guard buffer.count - start >= 4 else { return nil }
    var length = 0
    for index in start..<(start + 4) { length = length << 8 | Int(buffer[index]) }
    guard length <= limit else { throw .frameTooLarge(limit: limit) }
    guard buffer.count - start - 4 >= length else { return nil }
    let end = start + 4 + length
    let frame = Array(buffer[(start + 4)..<end])
    if end == buffer.count {
      // A large buffer is not kept for the small frames that follow.
      buffer.removeAll(keepingCapacity: buffer.count <= 1 << 16)
      start = 0
    } else {
      start = end
      if start > buffer.count / 2 {
        buffer.removeSubrange(..<start)
        start = 0
      }
    }
    return frame
  }

  /// `payload` with its length before it; nil if it is longer than `limit`.
  public static func encode(_ payload: [UInt8], limit: Int) -> [UInt8]? {
    guard payload.count <= limit, let length = UInt32(exactly: payload.count) else { return nil }
    var frame: [UInt8] = []
    frame.reserveCapacity(payload.count + 4)
    for shift in stride(from: UInt32(24), through: 0, by: -8) {
      frame.append(UInt8(truncatingIfNeeded: length >> shift))
    }
    frame.append(contentsOf: payload)
    return frame
  }
}
