internal import CSodium

/// libsodium and the key arena.
public enum Sodium {
  /// Starts libsodium and checks that the memory for keys is locked. Programs call it first.
  public static func start() throws(CryptoError) {
    guard ready else { throw .unavailable }
    guard LockedArena.start() else { throw .memoryNotLocked }
  }

  /// True once `sodium_init` ran; every entry to libsodium that needs randomness goes through it.
  static let ready: Bool = sodium_init() >= 0
}

/// Random numbers of the operating system.
public enum Randomness {
  /// `count` random bytes.
  public static func bytes(_ count: Int) -> [UInt8] {
    precondition(Sodium.ready, "libsodium did not start")
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let base = buffer.baseAddress { randombytes_buf(base, count) }
      initialized = count
    }
  }

  /// A uniformly distributed number below `bound`.
  public static func number(below bound: UInt32) -> UInt32 {
    precondition(Sodium.ready, "libsodium did not start")
    return randombytes_uniform(bound)
  }
}

/// Overwrites `bytes` with zeros in a way the optimizer keeps, and empties it.
///
/// Only this copy goes: an array that is shared is copied by the write, so wipe the only reference.
public func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { buffer in
    if let base = buffer.baseAddress { sodium_memzero(base, buffer.count) }
  }
  bytes = []
}

/// Compares in constant time for equal lengths.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && sodium_memcmp(left, right, left.count) == 0
}
