internal import CCurl

/// Takes what libcurl receives for one request, within limits.
final class AnswerReceiver {
  /// A relay's answer has few header fields; what is more is refused before it is kept anywhere.
  static let headerLimit = 64 << 10

  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private var headerBytes = 0
  private let bodyLimit: Int

  init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

  /// True if there was room; false makes libcurl end the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= bodyLimit - body.count else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Header fields are only counted: the two facts that matter, libcurl reports itself.
  func takeHeader(_ count: Int) -> Bool {
    headerBytes += count
    isTooLarge = isTooLarge || headerBytes > Self.headerLimit
    return !isTooLarge
  }

  /// The receiver behind the pointer that libcurl was given. It outlives the transfer: `CurlConnection.perform` holds it.
  private static func behind(_ context: UnsafeMutableRawPointer) -> AnswerReceiver {
    Unmanaged<AnswerReceiver>.fromOpaque(context).takeUnretainedValue()
  }

  /// CURLOPT_WRITEFUNCTION; "size is always 1" (its manual).
  static let onBody: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    data, _, count, context in
    guard let data, let context else { return 0 }
    return behind(context).takeBody(UnsafeRawBufferPointer(start: data, count: count)) ? count : 0
  }

  /// CURLOPT_HEADERFUNCTION.
  static let onHeader: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    _, _, count, context in
    guard let context else { return 0 }
    return behind(context).takeHeader(count) ? count : 0
  }
}
