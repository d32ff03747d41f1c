public import CBOR
internal import CSodium

/// H of Docs/Formats.md §1.
public enum Digest {
  /// BLAKE2b, 32 bytes, over CBOR [context, inputs…].
  public static func hash(_ context: String, _ inputs: [CBORValue]) -> [UInt8] {
    blake2b(contextBytes(context, inputs), key: nil, length: 32)
  }

  /// SHA-256, for the Content-Digest of RFC 9530.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      if let base = buffer.baseAddress { crypto_hash_sha256(base, bytes, UInt64(bytes.count)) }
      initialized = 32
    }
  }
}

/// CBOR [context, inputs…]: the one way anything is hashed, signed, derived or authenticated here.
func contextBytes(_ context: String, _ inputs: [CBORValue]) -> [UInt8] {
  var writer = CBORWriter(capacity: 128)
  writer.array(inputs.count + 1)
  writer.text(context)
  for input in inputs { input.write(to: &writer) }
  return writer.bytes
}

/// The same with a secret as the last input. The writer is large enough never to move, so that wiping the result wipes all.
func contextBytes(_ context: String, _ inputs: [CBORValue], secret: [UInt8]) -> [UInt8] {
  let encodedInputs = inputs.map(\.encoded)
  let length = encodedInputs.reduce(context.utf8.count + secret.count + 32) { $0 + $1.count }
  var writer = CBORWriter(capacity: length)
  writer.array(inputs.count + 2)
  writer.text(context)
  for input in encodedInputs { writer.encoded(input) }
  writer.byteString(secret)
  return writer.bytes
}

func blake2b(_ message: [UInt8], key: UnsafeRawBufferPointer?, length: Int) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
    if let base = buffer.baseAddress {
      crypto_generichash(
        base, length, message, UInt64(message.count),
        key?.baseAddress?.assumingMemoryBound(to: UInt8.self), key?.count ?? 0)
    }
    initialized = length
  }
}
