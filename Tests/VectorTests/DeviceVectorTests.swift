import Membership
import SealedRecords
import Testing
import VaultCrypto
import VaultModel

/// keybag.json and checkpoint.json.
struct DeviceVectorTests {
  static let keybag = VectorFile.load("keybag")
  static let checkpoint = VectorFile.load("checkpoint")

  @Test("The files hold vectors")
  func notEmpty() {
    for (file, name) in [(Self.keybag, "keybag"), (Self.checkpoint, "checkpoint")] {
      #expect(file.format == name && file.version == 1)
      #expect(file.positive.count > 5 && file.negative.count > 20)
    }
  }

  private func unlock(_ vector: Vector) throws -> (Keybag, UnlockedKeys, SharedKey<SealingRole>) {
    let keybag = try Keybag(decoding: vector.bytes("keybag"))
    let secret = try vector.key("device_secret", DeviceSecretRole.self)
    let passphrase = keybag.hasPassphrase ? Array(try vector.text("passphrase").utf8) : nil
    return (
      keybag, try keybag.unlock(passphrase: passphrase, deviceSecret: secret.key),
      try keybag.alwaysKey(deviceSecret: secret.key)
    )
  }

  private func open(blob vector: Vector) throws -> [UInt8] {
    let protectionClass = try #require(ProtectionClass(rawValue: UInt8(vector.number("class"))))
    let key = try vector.key("class_key", SealingRole.self)
    return try LocalBlob.open(
      vector.bytes("blob"), .init(vector.text("purpose"), protectionClass), vault: vector.vault(), classKey: key.key)
  }

  @Test("Keybags and local blobs open to what is expected", arguments: keybag.positive)
  func keybagAccepted(vector: Vector) throws {
    let expected = try vector.object("expected")
    if try vector.text("kind") == "local-blob" {
      #expect(try open(blob: vector) == expected.bytes("contents"))
      try secretsAccepted(vector, expected)
      return
    }
    let (keybag, keys, always) = try unlock(vector)
    #expect(try keybag.id == expected.bytes("id"))
    #expect(try keybag.hasPassphrase == expected.bool("protected"))
    #expect(try keybag.encoded == vector.bytes("keybag"))
    #expect(try keys.root.key.exportBytes() == expected.bytes("root"))
    let classes = try expected.object("classes")
    #expect(try keys.whenUnlocked.key.exportBytes() == classes.bytes("1"))
    #expect(try keys.passcodeSet?.key.exportBytes() == (keybag.hasPassphrase ? classes.bytes("2") : nil))
    #expect(try keys.afterFirstUnlock.key.exportBytes() == classes.bytes("3"))
    #expect(try always.key.exportBytes() == classes.bytes("4"))
    #expect(classes.fields.count == (keybag.hasPassphrase ? 4 : 3))
  }

  private static let device = DeviceID([UInt8](repeating: 1, count: 32))

  /// What the blobs "vault A" and "vault C" hold is Membership's to read.
  private func secretsAccepted(_ vector: Vector, _ expected: Vector) throws {
    let contents = try open(blob: vector)
    let device = try #require(Self.device)
    let (signing, exchange, keyring): ([UInt8], [UInt8], [UInt8])
    switch try vector.text("purpose") {
    case "vault A":
      let secrets = try LocalSecrets.readA(contents, device: device)
      #expect(LocalSecrets.export(secrets.keys, secrets.keyring) == contents)
      (signing, exchange) = (secrets.keys.chainSigning.exportSeed(), secrets.keys.exchange.exportSeed())
      keyring = secrets.keyring.exportContents()
    case "vault C":
      let secrets = try LocalSecrets.readC(contents, device: device)
      #expect(LocalSecrets.export(secrets.keys, secrets.keyring) == contents)
      (signing, exchange) = (secrets.keys.pushSigning.exportSeed(), secrets.keys.exchange.exportSeed())
      keyring = secrets.keyring.exportContents()
    default: return
    }
    #expect(try signing == expected.bytes("signing_seed"))
    #expect(try exchange == expected.bytes("exchange_seed"))
    #expect(try keyring == expected.bytes("keyring_contents"))
  }

  @Test("Every wrong keybag and local blob is refused", arguments: keybag.negative)
  func keybagRefused(vector: Vector) throws {
    guard try vector.text("kind") == "local-blob" else {
      #expect(throws: KeybagError.self) { try unlock(vector) }
      return
    }
    if try vector.text("name").contains(" contents: ") {
      // The blob opens; what is in it is refused.
      let contents = try open(blob: vector)
      let device = try #require(Self.device)
      #expect(throws: MembershipError.self) { try LocalSecrets.readA(contents, device: device) }
    } else {
      #expect(throws: RecordError.self) { try open(blob: vector) }
    }
  }

  private func contents(_ vector: Vector) throws -> (Checkpoint, CheckpointContents) {
    let checkpoint = try Checkpoint(decoding: vector.bytes("checkpoint"))
    let key = try vector.key("c_key", SealingRole.self)
    return (
      checkpoint,
      try checkpoint.open(
        vault: vector.vault(), pushSigningKey: vector.bytes("author_push_key"), key: key.key)
    )
  }

  private func purge(_ vector: Vector) throws -> PurgeEvent {
    let event = try PurgeEvent(decoding: vector.bytes("purge"))
    try event.verifySignature(vault: vector.vault(), pushSigningKey: vector.bytes("author_push_key"))
    return event
  }

  @Test("Checkpoints and purge events open to what is expected", arguments: checkpoint.positive)
  func checkpointAccepted(vector: Vector) throws {
    let expected = try vector.object("expected")
    if try vector.text("kind") == "purge" {
      let event = try purge(vector)
      #expect(try event.encoded == vector.bytes("purge"))
      #expect(try event.slot == expected.slot())
      #expect(try event.sequence == expected.number("sequence"))
      #expect(try event.recordHash == expected.bytes("record_hash"))
      #expect(try event.incarnation == expected.bytes("incarnation"))
      #expect(try event.head == expected.bytes("head"))
      #expect(try event.author.bytes == expected.bytes("author"))
      return
    }
    let (checkpoint, contents) = try contents(vector)
    #expect(try checkpoint.author.bytes == expected.bytes("author"))
    #expect(try checkpoint.epoch == expected.number("epoch"))
    #expect(try contents.number == expected.number("number"))
    #expect(try contents.incarnation == expected.bytes("incarnation"))
    #expect(try contents.sequence == expected.number("sequence"))
    #expect(try contents.setHash == expected.bytes("set_hash"))
    #expect(try contents.quarantined.map(\.bytes) == expected.array("quarantined").map { try $0.bytes })
    #expect(try contents.isClean == expected.bool("clean"))
    #expect(try contents.ownCounter == expected.number("own_counter"))
    #expect(
      try contents.floor.entries.map(\.device.bytes) == expected.array("floor").map { try $0.array[0].bytes })
    #expect(try contents.floor.entries.map(\.counter) == expected.array("floor").map { try $0.array[1].number })
    #expect(try contents.greatestPurged == expected.number("greatest_purged"))
    #expect(try contents.head == expected.bytes("head"))
    #expect(try contents.chainNumber == expected.number("chain_number"))
  }

  @Test("Every wrong checkpoint and purge event is refused", arguments: checkpoint.negative)
  func checkpointRefused(vector: Vector) throws {
    if try vector.text("kind") == "purge" {
      #expect(throws: RecordError.self) { try purge(vector) }
    } else {
      #expect(throws: RecordError.self) { try contents(vector) }
    }
  }
}
