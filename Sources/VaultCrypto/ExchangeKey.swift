internal import CSodium

/// An X25519 key pair with one role, for `crypto_box_seal`.
public struct ExchangeKey<Role: KeyRole>: ~Copyable, Sendable {
  private let seed: SymmetricKey<Role>
  private let secret: SymmetricKey<Role>
  /// The public half, 32 bytes.
  public let publicKey: [UInt8]

  /// A fresh key pair.
  public static func random() -> ExchangeKey {
    ExchangeKey(seed: SymmetricKey<Role>.random())
  }

  /// The key pair of a 32-byte seed (`crypto_box_seed_keypair`).
  public init(seed: consuming SymmetricKey<Role>) {
    precondition(seed.count == 32)
    var publicKey = [UInt8](repeating: 0, count: 32)
    var secret = [UInt8](repeating: 0, count: 32)
    seed.withBytes { bytes in
      _ = crypto_box_seed_keypair(&publicKey, &secret, bytes)
    }
    self.publicKey = publicKey
    self.seed = seed
    do {
      self.secret = try SymmetricKey<Role>(consuming: &secret)
    } catch {
      fatalError("an X25519 secret key has 32 bytes")
    }
  }

  /// Opens a sealed box. Anyone can make one: authenticity comes from elsewhere (Docs/Formats.md §3).
  public func openSealed(_ box: [UInt8]) throws(CryptoError) -> [UInt8] {
    let overhead = Int(crypto_box_sealbytes())
    guard box.count >= overhead else { throw .malformed }
    let length = box.count - overhead
    var opened = false
    let contents = secret.withBytes { key in
      [UInt8](unsafeUninitializedCapacity: max(length, 1)) { buffer, initialized in
        if let base = buffer.baseAddress {
          opened =
            crypto_box_seal_open(
              base, box, UInt64(box.count), publicKey, key) == 0
        }
        initialized = opened ? length : 0
      }
    }
    guard opened else { throw .notAuthentic }
    return contents
  }

  /// The seed, to be wrapped; the caller wipes it.
  public func exportSeed() -> [UInt8] { seed.exportBytes() }
}

/// Seals to a public key.
public enum SealedBox {
  /// `seal` of Docs/Formats.md §1; `malformed` if the public key is not usable.
  public static func seal(_ contents: [UInt8], to publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard publicKey.count == 32, Sodium.ready else { throw .malformed }
    let length = contents.count + Int(crypto_box_sealbytes())
    var sealed = false
    let box = [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      if let base = buffer.baseAddress {
        sealed = crypto_box_seal(base, contents, UInt64(contents.count), publicKey) == 0
      }
      initialized = sealed ? length : 0
    }
    guard sealed else { throw .malformed }
    return box
  }
}
