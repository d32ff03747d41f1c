import Testing
import TextCoding
import VaultCrypto

/// The answers were computed with Python's hashlib and libsodium's crypto_stream_xchacha20.
struct SetHashTests {
  private let slots = (1...5).map { [UInt8](repeating: $0, count: 32) }
  private let hashes = (3...7).map { [UInt8](repeating: $0, count: 32) }

  @Test("The set hash gives the frozen answers")
  func knownAnswers() throws {
    let shared: SharedKey<SetHashRole> = try key(0..<32)
    var hash = SetHash()
    #expect(Hex.encode(hash.digest) == "83c640c35dbb2829e71e5f56843f661d616ea31d5af75c378b1f15f867a2f532")
    hash.insert(slot: slots[0], recordHash: hashes[0], shared.key)
    #expect(Hex.encode(hash.digest) == "141e9cc7728f469aa235fffe14552749f75b8d93d0b0ac1bbe8fbf76436efd2f")
    hash.insert(slot: slots[1], recordHash: hashes[1], shared.key)
    #expect(Hex.encode(hash.digest) == "2995e142361da29fd5369b932d73509a8b51d87c3fe1578099e784c9249a682b")
  }

  @Test("The order of records does not matter, and taking out undoes putting in")
  func algebra() throws {
    let shared = SharedKey(SymmetricKey<SetHashRole>.random())
    let other = SharedKey(SymmetricKey<SetHashRole>.random())
    var forwards = SetHash()
    var backwards = SetHash()
    for index in 0..<5 { forwards.insert(slot: slots[index], recordHash: hashes[index], shared.key) }
    for index in (0..<5).reversed() { backwards.insert(slot: slots[index], recordHash: hashes[index], shared.key) }
    #expect(forwards == backwards && forwards.digest == backwards.digest)
    #expect(try SetHash(bytes: forwards.bytes) == forwards)

    var swapped = SetHash()
    for index in 0..<5 { swapped.insert(slot: slots[index], recordHash: hashes[4 - index], shared.key) }
    #expect(swapped != forwards)
    var keyed = SetHash()
    for index in 0..<5 { keyed.insert(slot: slots[index], recordHash: hashes[index], other.key) }
    #expect(keyed != forwards)
    // Twice the same record is not the same as once or none: a sum, no exclusive or.
    var twice = SetHash()
    for _ in 0..<2 { twice.insert(slot: slots[0], recordHash: hashes[0], shared.key) }
    #expect(twice != SetHash())

    for index in [2, 0, 4, 1, 3] { forwards.remove(slot: slots[index], recordHash: hashes[index], shared.key) }
    #expect(forwards == SetHash())
  }

  @Test("Stored lanes of another length are refused")
  func length() {
    for count in [0, 2047, 2049] {
      #expect(throws: CryptoError.malformed) { try SetHash(bytes: [UInt8](repeating: 0, count: count)) }
    }
  }

  @Test("The listing digest gives the frozen answers, commutes and is undone")
  func listing() throws {
    var digest = ListingDigest()
    digest.insert(slot: slots[0], sequence: 1)
    #expect(Hex.encode(digest.bytes) == "c64def58f8d21963f0dfadddb2b5f3e95c70130c93208be0c2757b43c855735d")
    digest.insert(slot: slots[1], sequence: 1 << 40)
    #expect(Hex.encode(digest.bytes) == "f0273647402377f5a31e80e3647523d2b95d132630e7f363c072297fed88b0f1")
    var other = ListingDigest()
    other.insert(slot: slots[1], sequence: 1 << 40)
    other.insert(slot: slots[0], sequence: 1)
    #expect(other == digest)
    #expect(try ListingDigest(bytes: digest.bytes) == digest)
    other.remove(slot: slots[1], sequence: 1 << 40)
    other.remove(slot: slots[0], sequence: 1)
    #expect(other == ListingDigest())
    // Below zero and back: the arithmetic wraps.
    other.remove(slot: slots[0], sequence: 9)
    #expect(other != ListingDigest())
    other.insert(slot: slots[0], sequence: 9)
    #expect(other == ListingDigest())
    #expect(throws: CryptoError.malformed) { try ListingDigest(bytes: [1]) }
  }
}
