public import CBOR
internal import CSodium

/// An Ed25519 key pair with one role; the secret half lives in locked memory.
public struct SigningKey<Role: KeyRole>: ~Copyable, Sendable {
  private let secret: SymmetricKey<Role>
  /// The public half, 32 bytes.
  public let publicKey: [UInt8]

  /// A fresh key pair.
  public static func random() -> SigningKey {
    SigningKey(seed: SymmetricKey<Role>.random())
  }

  /// The key pair of a 32-byte seed.
  public init(seed: consuming SymmetricKey<Role>) {
    precondition(seed.count == 32)
    var publicKey = [UInt8](repeating: 0, count: 32)
    var expanded = [UInt8](repeating: 0, count: 64)
    seed.withBytes { bytes in
      _ = crypto_sign_seed_keypair(&publicKey, &expanded, bytes)
    }
    self.publicKey = publicKey
    do {
      self.secret = try SymmetricKey<Role>(consuming: &expanded)
    } catch {
      fatalError("an Ed25519 secret key has 64 bytes")
    }
  }

  /// S of Docs/Formats.md §1.
  public func sign(_ context: String, _ inputs: [CBORValue]) -> [UInt8] {
    sign(message: contextBytes(context, inputs))
  }

  /// A signature over bytes whose form another standard fixes (RFC 9421's signature base, which is text and so never CBOR of ours).
  public func sign(message: [UInt8]) -> [UInt8] {
    secret.withBytes { key in
      [UInt8](unsafeUninitializedCapacity: 64) { buffer, initialized in
        if let base = buffer.baseAddress {
          crypto_sign_detached(
            base, nil, message, UInt64(message.count), key)
        }
        initialized = 64
      }
    }
  }

  /// The seed, to be wrapped; the caller wipes it.
  public func exportSeed() -> [UInt8] {
    secret.withBytes { Array(UnsafeBufferPointer(start: $0, count: 32)) }
  }
}

/// A signing key that several owners hold; wiped when the last of them lets go.
public final class SharedSigningKey<Role: KeyRole>: Sendable {
  /// The key pair.
  public let key: SigningKey<Role>

  /// Takes the key pair over.
  public init(_ key: consuming SigningKey<Role>) {
    self.key = key
  }
}

/// Checks signatures.
public enum Signature {
  /// The length of a signature.
  public static let length = 64

  /// Checks S of Docs/Formats.md §1.
  public static func isValid(
    _ signature: [UInt8], by publicKey: [UInt8], _ context: String, _ inputs: [CBORValue]
  ) -> Bool {
    isValid(signature, by: publicKey, message: contextBytes(context, inputs))
  }

  /// Checks a signature over plain bytes. libsodium refuses small-order keys and non-canonical signatures.
  public static func isValid(_ signature: [UInt8], by publicKey: [UInt8], message: [UInt8]) -> Bool {
    signature.count == length && publicKey.count == 32
      && crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
  }
}
