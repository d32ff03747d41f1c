internal import CBOR

/// Reads all of `bytes` with `body`: whatever the reader or `body` refuses, and a byte too many, is `malformed`.
func decodingStrictly<Value>(
  _ bytes: [UInt8], atMost limit: Int, _ body: (inout CBORReader) throws -> Value
) throws(RecordError) -> Value {
  guard bytes.count <= limit else { throw .tooLarge }
  do {
    var reader = CBORReader(bytes)
    let value = try body(&reader)
    try reader.end()
    return value
  } catch let error as RecordError {
    throw error
  } catch {
    throw .malformed
  }
}

extension CBORReader {
  /// The head of a message: an array whose first element is version 1 and that has `count` elements. The version is looked
  /// at before the count, since another version may have another count.
  mutating func message(_ count: Int) throws {
    let elements = try array()
    guard elements > 0 else { throw RecordError.malformed }
    guard try unsigned() == 1 else { throw RecordError.unsupportedVersion }
    guard elements == count else { throw RecordError.malformed }
  }
}
