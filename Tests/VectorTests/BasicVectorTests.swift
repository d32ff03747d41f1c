import CBOR
import DeviceChain
import RelayWire
import SealedRecords
import Testing
import TextCoding
import VaultModel

@testable import Membership
@testable import VaultCrypto

/// cbor.json, padding.json and hashes.json.
struct BasicVectorTests {
  static let cbor = VectorFile.load("cbor")
  static let padding = VectorFile.load("padding")
  static let hashes = VectorFile.load("hashes")

  @Test("The files hold vectors")
  func notEmpty() {
    for (file, name) in [(Self.cbor, "cbor"), (Self.padding, "padding"), (Self.hashes, "hashes")] {
      #expect(file.format == name && file.version == 1)
      #expect(file.positive.count > 10 && file.negative.count > 5)
    }
  }

  @Test("CBOR is read and written as expected", arguments: cbor.positive)
  func cborAccepted(vector: Vector) throws {
    let encoded = try vector.bytes("encoded")
    let value = try vector.field("value").value
    #expect(try CBORValue(decoding: encoded) == value)
    #expect(value.encoded == encoded)
  }

  @Test("CBOR that is not deterministic or not ours is refused", arguments: cbor.negative)
  func cborRefused(vector: Vector) throws {
    let encoded = try vector.bytes("encoded")
    #expect(throws: CBORError.self) { try CBORValue(decoding: encoded) }
  }

  @Test("Padding is as expected", arguments: padding.positive)
  func paddingAccepted(vector: Vector) throws {
    switch try vector.text("kind") {
    case "pad":
      let (plain, padded) = (try vector.bytes("plain"), try vector.bytes("padded"))
      #expect(Padding.pad(plain) == padded)
      #expect(try Padding.unpad(padded) == plain)
    case "padme":
      #expect(try Padding.padme(Int(vector.number("length"))) == Int(vector.number("padded_length")))
    case "padded-length":
      let plain = [UInt8](repeating: 7, count: Int(try vector.number("length")))
      #expect(Padding.pad(plain).count == Int(try vector.number("padded_length")))
    case let kind: Issue.record("unknown kind \(kind)")
    }
  }

  @Test("Padding that nobody would have made is refused", arguments: padding.negative)
  func paddingRefused(vector: Vector) throws {
    let padded = try vector.bytes("padded")
    #expect(throws: CryptoError.malformed) { try Padding.unpad(padded) }
  }

  private func elements(_ vector: Vector) throws -> [CBORValue] { try vector.array("elements").map { try $0.value } }

  @Test("Hashes, keyed hashes, signatures, slots, tags and digests are as expected", arguments: hashes.positive)
  func hashed(vector: Vector) throws {
    switch try vector.text("kind") {
    case "H":
      #expect(try Digest.hash(vector.text("context"), elements(vector)) == vector.bytes("hash"))
    case "K":
      let key = try vector.key("key", SealingRole.self)
      #expect(try key.key.authenticate(vector.text("context"), elements(vector)) == vector.bytes("hash"))
    case "S":
      var seed = try vector.bytes("seed")
      let signer = PushSigner(SigningKey(seed: try SymmetricKey(consuming: &seed)))
      #expect(try signer.key.publicKey == vector.bytes("public_key"))
      #expect(try signer.key.sign(vector.text("context"), elements(vector)) == vector.bytes("signature"))
      #expect(
        try Signature.isValid(
          vector.bytes("signature"), by: vector.bytes("public_key"), vector.text("context"), elements(vector)))
    case "slot": try slot(vector)
    case "index-tag", "index-key": try index(vector)
    case "set-hash", "listing": try digest(vector)
    case "record-hash":
      #expect(
        try Digest.hash("lockstep/record-hash/1", [.bytes(vector.bytes("record"))]) == vector.bytes("hash"))
    default: try membership(vector)
    }
  }

  private func slot(_ vector: Vector) throws {
    let itemClass = try #require(ItemClass(rawValue: UInt8(vector.number("item_class"))))
    var attributes: [AttributeName: AttributeValue] = [:]
    for (name, field) in try vector.object("values").fields {
      attributes[try #require(AttributeName(name))] = try field.attributeValue
    }
    let primaryKey = PrimaryKey(itemClass: itemClass, attributes: attributes)
    let slotKey = try vector.key("slot_key", SlotRole.self)
    #expect(try Slot.derive(primaryKey, key: slotKey.key) == vector.slot())
    let indexKey = try vector.key("slot_key", IndexRole.self)
    #expect(try Slot.derive(primaryKey, indexKey: indexKey.key) == vector.slot())
  }

  private func index(_ vector: Vector) throws {
    if try vector.text("kind") == "index-key" {
      let classKey = try vector.key("class_key", SealingRole.self)
      #expect(try IndexTag.key(from: classKey.key).exportBytes() == vector.bytes("hash"))
      return
    }
    let key = try vector.key("index_key", IndexRole.self)
    let tag = IndexTag.make(
      vault: try vector.vault(), itemClass: try #require(ItemClass(rawValue: UInt8(vector.number("item_class")))),
      name: try #require(AttributeName(vector.text("attribute"))), value: try vector.field("value").attributeValue,
      key: key.key)
    #expect(try tag == vector.bytes("tag"))
  }

  private func digest(_ vector: Vector) throws {
    if try vector.text("kind") == "listing" {
      var digest = ListingDigest()
      for pair in try vector.array("slots").map({ try $0.array }) {
        digest.insert(slot: try pair[0].bytes, sequence: try pair[1].number)
      }
      #expect(try digest.bytes == vector.bytes("digest"))
      return
    }
    let key = try vector.key("set_hash_key", SetHashRole.self)
    var hash = SetHash()
    for pair in try vector.array("records").map({ try $0.array }) {
      hash.insert(slot: try pair[0].bytes, recordHash: try pair[1].bytes, key.key)
    }
    #expect(try hash.digest == vector.bytes("hash"))
  }

  private func membership(_ vector: Vector) throws {
    switch try vector.text("kind") {
    case "device-id":
      let keys = try vector.array("keys").map { try $0.bytes }
      let device = DeviceID(
        of: DevicePublicKeys(chainSigning: keys[0], exchangeA: keys[1], pushSigning: keys[2], exchangeC: keys[3]))
      #expect(try device.bytes == vector.bytes("hash"))
      #expect(try Fingerprint.text(device) == vector.text("fingerprint"))
    case "recovery-id":
      let keys = try vector.array("keys").map { try $0.bytes }
      #expect(try ChainHash.recoveryID(signing: keys[0], sealing: keys[1]) == vector.bytes("hash"))
    case "name-commitment":
      #expect(
        try SealedName.commitment(vector.text("text"), salt: vector.bytes("salt")) == vector.bytes("hash"))
    case "key-commitment":
      #expect(try keyCommitment(vector) == vector.bytes("hash"))
    case let kind: Issue.record("unknown kind \(kind)")
    }
  }

  private func keyCommitment(_ vector: Vector) throws -> [UInt8] {
    let salt = try vector.bytes("salt")
    let epoch = try vector.number("epoch")
    switch try vector.text("key_kind") {
    case "A": return KeyCommitment.a(try vector.key("key"), salt: salt, epoch: epoch)
    case "C": return KeyCommitment.c(try vector.key("key"), salt: salt, epoch: epoch)
    case "slot": return KeyCommitment.slot(try vector.key("key"), salt: salt)
    case "set-hash": return KeyCommitment.setHash(try vector.key("key"), salt: salt)
    default: return KeyCommitment.recovery(try vector.key("key"), salt: salt)
    }
  }

  @Test("Keys of the wrong length and signatures that do not hold are refused", arguments: hashes.negative)
  func refused(vector: Vector) throws {
    switch try vector.text("kind") {
    case "K": #expect(throws: CryptoError.malformed) { _ = try vector.key("key", SealingRole.self) }
    case "S":
      #expect(
        try !Signature.isValid(
          vector.bytes("signature"), by: vector.bytes("public_key"), vector.text("context"), elements(vector)))
    case let kind: Issue.record("unknown kind \(kind)")
    }
  }
}
