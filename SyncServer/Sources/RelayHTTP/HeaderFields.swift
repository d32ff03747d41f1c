internal import CMicroHTTPD
internal import RelayWire

/// The header fields that matter. A field of these that comes twice is a request that two readers could understand differently: refused.
struct HeaderFields {
  private static let names: Set<String> = [
    "host", "content-type", "content-length", "transfer-encoding", "content-digest", "signature-input", "signature",
  ]

  private var values: [String: String] = [:]
  private var isAmbiguous = false

  /// Reads the fields of a connection's request.
  init(_ connection: OpaquePointer) {
    withUnsafeMutablePointer(to: &self) { fields in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let fields = context?.assumingMemoryBound(to: HeaderFields.self), let name else { return .YES }
          fields.pointee.take(String(cString: name).lowercased(), value.flatMap { String(validatingCString: $0) })
          return .YES
        }, fields)
    }
  }

  private mutating func take(_ name: String, _ value: String?) {
    guard Self.names.contains(name) else { return }
    guard let value, values[name] == nil else {
      isAmbiguous = true
      return
    }
    values[name] = value
  }

  subscript(_ name: String) -> String? { values[name] }

  /// The announced length of the body; 0 without one.
  func bodyLength() throws(Problem) -> Int {
    guard !isAmbiguous else { throw Problem(.malformed, "A header field stands twice or is not text.") }
    guard values["transfer-encoding"] == nil else { throw Problem(.malformed, "The body needs a Content-Length.") }
    guard let text = values["content-length"] else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      throw Problem(.malformed, "The Content-Length is not a number.")
    }
    return Int(text) ?? .max
  }

  /// The fields that sign a request; nil unless all are there.
  var signature: RequestSignature? {
    guard let digest = values["content-digest"], let input = values["signature-input"], let bytes = values["signature"]
    else { return nil }
    return RequestSignature(contentDigest: digest, signatureInput: input, signature: bytes)
  }
}
