internal import CSodium
internal import Glibc
internal import Synchronization

/// The cost of Argon2id (Docs/Formats.md §8).
public struct PasswordHashParameters: Sendable, Equatable {
  /// Passes over the memory.
  public let operations: UInt64
  /// Memory in KiB.
  public let memoryKiB: UInt64

  /// What is read from a keybag must lie in here: less would be guessable, more would be an attack on this machine.
  public static let operationsRange: ClosedRange<UInt64> = 1...16
  /// The same for memory: 8 MiB to 4 GiB.
  public static let memoryRange: ClosedRange<UInt64> = (8 * 1024)...(4 * 1024 * 1024)
  /// The least that a new keybag gets.
  public static let minimum = PasswordHashParameters(uncheckedOperations: 3, memoryKiB: 64 * 1024)

  private init(uncheckedOperations operations: UInt64, memoryKiB: UInt64) {
    self.operations = operations
    self.memoryKiB = memoryKiB
  }

  /// Parameters inside floors and ceilings.
  public init(operations: UInt64, memoryKiB: UInt64) throws(CryptoError) {
    guard Self.operationsRange.contains(operations), Self.memoryRange.contains(memoryKiB) else {
      throw .parametersOutOfRange
    }
    self.init(uncheckedOperations: operations, memoryKiB: memoryKiB)
  }

  /// At least `minimum`, with as much memory (up to 1 GiB) as makes three passes take about half a second on this machine.
  public static func calibrated() -> PasswordHashParameters {
    var best = minimum
    for factor in [2, 4, 8, 16] as [UInt64] {
      let started = clockMilliseconds()
      guard (try? PasswordHash.derive([0x70], salt: [UInt8](repeating: 0, count: 16), best)) != nil else { break }
      let elapsed = clockMilliseconds() - started
      if elapsed * 2 > 600 { break }
      best = PasswordHashParameters(uncheckedOperations: 3, memoryKiB: 64 * 1024 * factor)
    }
    return best
  }

  private static func clockMilliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}

/// Argon2id, version 1.3, one lane.
public enum PasswordHash {
  /// The length of a salt.
  public static let saltLength = 16
  /// One at a time: the memory is large, and guessing must not go faster for asking twice.
  private static let oneAtATime = Mutex(())

  /// 32 bytes from `passphrase`.
  public static func derive(
    _ passphrase: [UInt8], salt: [UInt8], _ parameters: PasswordHashParameters
  ) throws(CryptoError) -> SymmetricKey<PassphraseRole> {
    guard salt.count == saltLength, Sodium.ready else { throw .malformed }
    var output = [UInt8](repeating: 0, count: 32)
    // One byte longer than the passphrase, so that an empty passphrase has an address too.
    var terminated = passphrase.map { CChar(bitPattern: $0) } + [0]
    let status = oneAtATime.withLock { _ in
      crypto_pwhash(
        &output, 32, terminated, UInt64(passphrase.count), salt, parameters.operations,
        Int(parameters.memoryKiB) * 1024, crypto_pwhash_ALG_ARGON2ID13)
    }
    terminated.withUnsafeMutableBytes { buffer in
      if let base = buffer.baseAddress { sodium_memzero(base, buffer.count) }
    }
    guard status == 0 else { throw .outOfMemory }
    return try SymmetricKey(consuming: &output)
  }
}
