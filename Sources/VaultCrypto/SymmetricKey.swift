public import CBOR
internal import CSodium

/// 16 to 64 secret bytes with one role, in locked memory, wiped when it ends; it cannot be copied, compared or printed.
public struct SymmetricKey<Role: KeyRole>: ~Copyable, Sendable {
  private let address: UInt
  /// How many bytes it has.
  public let count: Int

  private init(count: Int) {
    self.address = UInt(bitPattern: LockedArena.allocate())
    self.count = count
  }

  deinit {
    if let slot = UnsafeMutableRawPointer(bitPattern: address) { LockedArena.free(slot) }
  }

  /// A fresh random key.
  public static func random(count: Int = 32) -> SymmetricKey {
    precondition(Sodium.ready && (16...64).contains(count))
    let key = SymmetricKey(count: count)
    key.withMutable { randombytes_buf($0, count) }
    return key
  }

  /// A key from bytes that were unwrapped or typed; `bytes` are wiped.
  public init(consuming bytes: inout [UInt8]) throws(CryptoError) {
    guard (16...64).contains(bytes.count) else {
      wipe(&bytes)
      throw .malformed
    }
    self.init(count: bytes.count)
    withMutable { $0.update(from: bytes, count: bytes.count) }
    wipe(&bytes)
  }

  /// K of Docs/Formats.md §1 as a key of another role. The result never leaves locked memory.
  public func derive<Other: KeyRole>(
    _ role: Other.Type = Other.self, _ context: String, _ inputs: [CBORValue] = []
  ) -> SymmetricKey<Other> {
    let derived = SymmetricKey<Other>(count: 32)
    let message = contextBytes(context, inputs)
    withBytes { key in
      derived.withMutable { output in
        _ = crypto_generichash(output, 32, message, UInt64(message.count), key, count)
      }
    }
    return derived
  }

  /// K of Docs/Formats.md §1 with another key's bytes as the last input; no copy of them is left behind.
  public func derive<Other: KeyRole, Secret: KeyRole>(
    _ role: Other.Type = Other.self, _ context: String, _ inputs: [CBORValue], secret: borrowing SymmetricKey<Secret>
  ) -> SymmetricKey<Other> {
    var exported = secret.exportBytes()
    var message = contextBytes(context, inputs, secret: exported)
    wipe(&exported)
    let derived = SymmetricKey<Other>(count: 32)
    withBytes { key in
      derived.withMutable { output in
        _ = crypto_generichash(output, 32, message, UInt64(message.count), key, count)
      }
    }
    wipe(&message)
    return derived
  }

  /// K of Docs/Formats.md §1 as public bytes: a commitment, a slot, a tag, a locator.
  public func authenticate(_ context: String, _ inputs: [CBORValue]) -> [UInt8] {
    let message = contextBytes(context, inputs)
    return withBytes { blake2b(message, key: UnsafeRawBufferPointer(start: $0, count: count), length: 32) }
  }

  /// A copy of the bytes, to be wrapped or shown; the caller wipes it.
  public func exportBytes() -> [UInt8] {
    withBytes { Array(UnsafeBufferPointer(start: $0, count: count)) }
  }

  /// A second key with the same bytes.
  public func duplicate() -> SymmetricKey {
    let other = SymmetricKey(count: count)
    withBytes { source in
      other.withMutable { $0.update(from: source, count: count) }
    }
    return other
  }

  func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    body(UnsafePointer(pointer))
  }

  private func withMutable(_ body: (UnsafeMutablePointer<UInt8>) -> Void) {
    body(pointer)
  }

  /// The arena never hands out a null slot, so this always succeeds; an address is kept because pointers are not Sendable.
  private var pointer: UnsafeMutablePointer<UInt8> {
    guard let pointer = UnsafeMutablePointer<UInt8>(bitPattern: address) else { fatalError("a key without memory") }
    return pointer
  }
}
/// A key that several owners hold; wiped when the last of them lets go.
public final class SharedKey<Role: KeyRole>: Sendable {
  /// The key.
  public let key: SymmetricKey<Role>

  /// Takes the key over.
  public init(_ key: consuming SymmetricKey<Role>) {
    self.key = key
  }
}
