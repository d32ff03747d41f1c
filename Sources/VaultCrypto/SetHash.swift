internal import CBOR
internal import CSodium

/// LtHash over the records of a vault (Docs/Formats.md §7): equal sets of records, equal hash, kept up to date in constant time.
public struct SetHash: Sendable, Equatable {
  /// How many 16-bit lanes there are.
  public static let laneCount = 1024
  private var lanes: [UInt16]

  /// The hash of no records.
  public init() {
    lanes = [UInt16](repeating: 0, count: Self.laneCount)
  }

  /// From the 2,048 bytes that `bytes` gave.
  public init(bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count == Self.laneCount * 2 else { throw .malformed }
    lanes = (0..<Self.laneCount).map { UInt16(bytes[$0 * 2]) | UInt16(bytes[$0 * 2 + 1]) << 8 }
  }

  /// The lanes, little-endian, to be stored.
  public var bytes: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(Self.laneCount * 2)
    for lane in lanes {
      result.append(UInt8(truncatingIfNeeded: lane))
      result.append(UInt8(truncatingIfNeeded: lane >> 8))
    }
    return result
  }

  /// The 32 bytes that checkpoints carry.
  public var digest: [UInt8] { Digest.hash("lockstep/set-hash/1", [.bytes(bytes)]) }

  /// Adds a record that the relay serves.
  public mutating func insert(slot: [UInt8], recordHash: [UInt8], _ key: borrowing SymmetricKey<SetHashRole>) {
    combine(Self.element(slot, recordHash, key), adding: true)
  }

  /// Takes a record out.
  public mutating func remove(slot: [UInt8], recordHash: [UInt8], _ key: borrowing SymmetricKey<SetHashRole>) {
    combine(Self.element(slot, recordHash, key), adding: false)
  }

  private mutating func combine(_ element: [UInt8], adding: Bool) {
    for index in 0..<Self.laneCount {
      let value = UInt16(element[index * 2]) | UInt16(element[index * 2 + 1]) << 8
      lanes[index] = adding ? lanes[index] &+ value : lanes[index] &- value
    }
  }

  private static func element(
    _ slot: [UInt8], _ recordHash: [UInt8], _ key: borrowing SymmetricKey<SetHashRole>
  ) -> [UInt8] {
    let stream = key.derive(
      EncryptionRole.self, "lockstep/set-hash-element/1", [.bytes(slot), .bytes(recordHash)])
    let nonce = [UInt8](repeating: 0, count: 24)
    return stream.withBytes { bytes in
      [UInt8](unsafeUninitializedCapacity: laneCount * 2) { buffer, initialized in
        if let base = buffer.baseAddress {
          crypto_stream_xchacha20(
            base, UInt64(laneCount * 2), nonce, bytes)
        }
        initialized = laneCount * 2
      }
    }
  }
}

/// The relay's listing digest (Docs/Formats.md §7): finds accidents, proves nothing.
public struct ListingDigest: Sendable, Equatable {
  /// 32 bytes, little-endian.
  public private(set) var bytes: [UInt8]

  /// The digest of an empty listing.
  public init() {
    bytes = [UInt8](repeating: 0, count: 32)
  }

  /// From stored bytes.
  public init(bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count == 32 else { throw .malformed }
    self.bytes = bytes
  }

  /// Adds a slot at a sequence.
  public mutating func insert(slot: [UInt8], sequence: UInt64) {
    add(Self.element(slot, sequence), complement: false)
  }

  /// Takes a slot at a sequence out.
  public mutating func remove(slot: [UInt8], sequence: UInt64) {
    add(Self.element(slot, sequence), complement: true)
  }

  private static func element(_ slot: [UInt8], _ sequence: UInt64) -> [UInt8] {
    Digest.hash("lockstep/listing/1", [.bytes(slot), .unsigned(sequence)])
  }

  /// Addition mod 2²⁵⁶; with `complement`, of the two's complement, which is subtraction.
  private mutating func add(_ other: [UInt8], complement: Bool) {
    var carry = complement ? 1 : 0
    for index in 0..<32 {
      let byte = complement ? ~other[index] : other[index]
      let sum = Int(bytes[index]) + Int(byte) + carry
      bytes[index] = UInt8(truncatingIfNeeded: sum)
      carry = sum >> 8
    }
  }
}
