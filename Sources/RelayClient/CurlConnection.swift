internal import CCurl
internal import RelayWire
internal import Synchronization

/// A libcurl handle with the connections that it keeps alive; used by one thread at a time.
///
/// The easy handle is driven through a multi handle of its own, because `curl_multi_poll` can be woken from another thread:
/// a progress callback would notice a cancellation only after up to a second.
///
/// @unchecked: `easy` and `multi` are touched by the one thread that took the connection out of the pool, except by `curl_multi_wakeup`, which
/// libcurl allows from any thread; `CurlTransport` calls `cancel` only on connections in its own list, so never after `deinit`.
final class CurlConnection: @unchecked Sendable {
  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  private let isCancelled = Atomic(false)

  init?() {
    guard CurlLibrary.isReady, let easy = curl_easy_init() else { return nil }
    guard let multi = curl_multi_init() else {
      curl_easy_cleanup(easy)
      return nil
    }
    self.easy = easy
    self.multi = multi
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_multi_cleanup(multi)
  }

  /// Ends the transfer that is under way; from any thread.
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    curl_multi_wakeup(multi)
  }

  /// Makes the connection ready for its next request: a cancellation belongs to the one before.
  func prepare() { isCancelled.store(false, ordering: .releasing) }

  /// Sends a request with `headers` and returns the answer.
  func perform(
    _ request: RelayRequest, headers: [String], certificateFile: String?
  ) throws(RelayError) -> RelayResponse {
    curl_easy_reset(easy)
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    for header in headers {
      guard let longer = curl_slist_append(list, header) else {
        throw .unreachable("there is not enough memory for a request")
      }
      list = longer
    }
    let receiver = AnswerReceiver(bodyLimit: RelayLimits.bodyBytes)
    let result = request.body.withUnsafeBytes { body in
      withExtendedLifetime(receiver) {
        // curl keeps pointers to the list, the body and the receiver. All three outlive `run`, and the next request resets them.
        configure(request, list, body, certificateFile)
        limit(request, receiver)
        return run()
      }
    }
    guard let result else { throw .cancelled }
    guard result == CURLE_OK else {
      if receiver.isTooLarge { throw .malformedAnswer }
      throw .unreachable(String(cString: curl_easy_strerror(result)))
    }
    return answer(receiver.body)
  }

  private func configure(
    _ request: RelayRequest, _ headers: UnsafeMutablePointer<curl_slist>?, _ body: UnsafeRawBufferPointer,
    _ certificateFile: String?
  ) {
    set(CURLOPT_URL, request.target)
    // The signature covers the target as it is.
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_USERAGENT, "lockstep")
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // Beside this file the system's certificate directory stays in force (CURLOPT_CAPATH's default).
    if let certificateFile { set(CURLOPT_CAINFO, certificateFile) }
    // Proxies come from the environment as curl reads it (http_proxy, https_proxy, no_proxy), but none stands between a device and its
    // own host.
    if Self.isLoopback(request.address) { set(CURLOPT_PROXY, "") }
    lockstep_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headers)
    switch request.method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .post, .put:
      set(CURLOPT_POST, 1)
      lockstep_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      // An empty array may have no address, and a null pointer would make curl ask a read callback for the body.
      if let base = body.baseAddress, !body.isEmpty {
        lockstep_curl_set_pointer(easy, CURLOPT_POSTFIELDS, base)
      } else {
        set(CURLOPT_COPYPOSTFIELDS, "")
      }
      if request.method == .put { set(CURLOPT_CUSTOMREQUEST, "PUT") }
    case .delete: set(CURLOPT_CUSTOMREQUEST, "DELETE")
    }
  }

  /// Bounds on time and size, so that a slow, silent or endless relay holds nobody up.
  private func limit(_ request: RelayRequest, _ receiver: AnswerReceiver) {
    set(CURLOPT_CONNECTTIMEOUT, 10)
    set(CURLOPT_TIMEOUT, Int(request.timeoutSeconds))
    if request.ticket == nil {
      set(CURLOPT_LOW_SPEED_LIMIT, 64)
      set(CURLOPT_LOW_SPEED_TIME, 20)
    }
    lockstep_curl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(RelayLimits.bodyBytes))
    let context = Unmanaged.passUnretained(receiver).toOpaque()
    lockstep_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION, AnswerReceiver.onBody)
    lockstep_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    lockstep_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION, AnswerReceiver.onHeader)
    lockstep_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
  }

  /// Drives the transfer to its end; nil if it was cancelled.
  private func run() -> CURLcode? {
    guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_FAILED_INIT }
    defer { curl_multi_remove_handle(multi, easy) }
    while true {
      if isCancelled.load(ordering: .acquiring) { return nil }
      var running: Int32 = 0
      guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
      if running == 0 { return result() }
      guard curl_multi_poll(multi, nil, 0, 1_000, nil) == CURLM_OK else { return CURLE_FAILED_INIT }
    }
  }

  private func result() -> CURLcode {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left), message.pointee.msg == CURLMSG_DONE {
      return lockstep_curl_result(message)
    }
    return CURLE_FAILED_INIT
  }

  private func answer(_ body: [UInt8]) -> RelayResponse {
    var status = 0
    var seconds: curl_off_t = 0
    lockstep_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
    lockstep_curl_get_offset(easy, CURLINFO_RETRY_AFTER, &seconds)
    return RelayResponse(status: status, body: body, retryAfter: seconds > 0 ? UInt32(clamping: seconds) : nil)
  }

  private func set(_ option: CURLoption, _ value: Int) { lockstep_curl_set_long(easy, option, value) }

  private func set(_ option: CURLoption, _ value: String) { lockstep_curl_set_string(easy, option, value) }

  private static func isLoopback(_ address: RelayAddress) -> Bool {
    let authority = address.text.dropFirst(address.isEncrypted ? 8 : 7)
    for host in ["127.0.0.1", "localhost", "[::1]"] where authority.hasPrefix(host) {
      let after = authority.dropFirst(host.count).first
      if after == nil || after == ":" || after == "/" { return true }
    }
    return false
  }
}

/// libcurl's global state, set up once and before any handle.
enum CurlLibrary {
  static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK
}
