import CBOR
import Membership
import TextCoding
import VaultCrypto
import VaultModel

@testable import SealedRecords

/// Makes the vectors of Tests/Vectors/swift: random keys, and items that went through writes and merges.
enum SwiftVectors {
  private static let vault = VaultID(Randomness.bytes(32)) ?? unreachable()
  private static let devices = (0..<3).compactMap { _ in DeviceID(Randomness.bytes(32)) }
  private static let time: UInt64 = 1_750_000_000_000

  private static func unreachable<Value>() -> Value { fatalError("32 bytes are an identifier") }

  static func records() throws -> [Vector.Field] {
    let key = SharedKey(SymmetricKey<SealingRole>.random())
    let slotKey = Randomness.bytes(32)
    let seed = Randomness.bytes(32)
    func vector(_ name: String, _ item: ItemState, _ keyID: SealingKeyID) throws -> Vector.Field {
      var (slotCopy, seedCopy) = (slotKey, seed)
      let signer = PushSigner(SigningKey(seed: try SymmetricKey(consuming: &seedCopy)))
      let slot = Slot.derive(item.primaryKey, key: try SymmetricKey<SlotRole>(consuming: &slotCopy))
      let author =
        keyID.epoch == nil ? nil : RecordAuthor(device: devices[0], head: Randomness.bytes(32), signer: signer)
      let record = try RecordSealer.seal(item, vault: vault, slot: slot, keyID: keyID, key: key.key, author: author)
      return .object([
        "name": .text(name), "vault": .bytes(vault.bytes), "slot": .bytes(slot.bytes),
        "sealing_key": .bytes(key.key.exportBytes()), "slot_key": .bytes(slotKey),
        "author_push_seed": .bytes(author == nil ? [] : seed),
        "author_push_key": .bytes(author == nil ? [] : signer.key.publicKey), "record": .bytes(record.bytes),
        "expected": try expected(record, item),
      ])
    }
    return try items().map { try vector($0.name, $0.item, $0.keyID) }
  }

  private static func items() throws -> [(name: String, item: ItemState, keyID: SealingKeyID)] {
    let base = try ItemState(itemClass: .genericPassword).adding(
      [
        .account: .text("seal@example.org"), .service: .text("mail"), .accessGroup: .text("org.example"),
        .accessible: .text("ak"), .secret: .bytes([0, 0x80, 0xFF]), .isInvisible: .bool(false),
        .generic: .bytes([]), .creator: .number(.min),
      ], dot: Dot(device: devices[0], counter: 1), clock: time, floor: VersionVector())
    let left = try base.setting(
      [.secret: .text("left"), .label: .text("Links")], dot: Dot(device: devices[1], counter: 1 << 60), clock: time)
    let right = try base.setting(
      [.secret: .text("right"), .label: .text("Rechts"), .comment: .absent],
      dot: Dot(device: devices[2], counter: .max), clock: time + 500)
    let merged = left.merging(right)
    let resolved = try merged.setting([.secret: .text("both")], dot: Dot(device: devices[0], counter: 2), clock: 0)
    let deleted = try resolved.deleting(Dot(device: devices[0], counter: 3))
    let local = try ItemState(itemClass: .key).adding(
      [.accessible: .text("akpu"), .startDate: .date(milliseconds: -1), .keyClass: .number(1), .secret: .bytes([1])],
      dot: Dot(device: devices[0], counter: 9), clock: time, floor: VersionVector())
    let inA = SealingKeyID.vault(epoch: 1, .whenUnlocked)
    return [
      ("a new item", base, inA), ("two values of the secret and of the label", merged, inA),
      ("one value again, and a history", resolved, .vault(epoch: 1 << 40, .whenUnlocked)),
      ("a tombstone", deleted, inA),
      (
        "an item that came back",
        deleted.merging(try right.setting([:], dot: Dot(device: devices[1], counter: .max), clock: 0)), inA
      ),
      ("a device-only key", local, .device(.passcodeSet)),
    ] + (try otherClasses())
  }

  /// The other item classes, and every class of protection.
  private static func otherClasses() throws -> [(name: String, item: ItemState, keyID: SealingKeyID)] {
    func make(_ itemClass: ItemClass, _ values: [AttributeName: AttributeValue]) throws -> ItemState {
      try ItemState(itemClass: itemClass).adding(
        values.merging([.accessGroup: .text("g"), .secret: .bytes([7])]) { value, _ in value },
        dot: Dot(device: devices[1], counter: 3), clock: time, floor: VersionVector())
    }
    let internet = try make(
      .internetPassword,
      [
        .account: .text("alice"), .server: .text("example.org"), .networkProtocol: .text("htps"), .port: .number(443),
        .authenticationType: .text("dflt"), .path: .text("/"), .accessible: .text("ck"), .secretExtra0: .bytes([1]),
        .secretExtraN: .text("n"),
      ])
    let certificate = try make(
      .certificate,
      [
        .certificateType: .number(3), .issuer: .bytes([0x30]), .serialNumber: .bytes([1]), .accessible: .text("dk"),
        .secret: .bytes([UInt8](repeating: 0x30, count: 5_000)),
      ])
    let key = try make(
      .key,
      [
        .keyClass: .number(1), .type: .number(73), .keySizeInBits: .number(256), .applicationLabel: .bytes([1, 2]),
        .applicationTag: .bytes([3]), .startDate: .date(milliseconds: 86_400_000),
      ])
    var items: [(name: String, item: ItemState, keyID: SealingKeyID)] = [
      ("an internet password", internet, .vault(epoch: 7, .afterFirstUnlock)),
      ("a certificate", certificate, .vault(epoch: 300, .afterFirstUnlock)),
      ("a key without an accessibility", key, .vault(epoch: 1, .whenUnlocked)),
    ]
    for accessibility in Accessibility.allCases {
      let item = try make(.genericPassword, [.account: .text("local"), .accessible: .text(accessibility.rawValue)])
      items.append(
        ("device-only, \(accessibility.rawValue)", item, .device(ProtectionClass(ofDeviceItem: accessibility))))
    }
    return items
  }

  private static func expected(_ record: SealedRecord, _ item: ItemState) throws -> Vector.Field {
    let attributes = ItemAttributes(of: item)
    return .object([
      "device_only": .bool(record.header.keyID.epoch == nil), "epoch": .number(record.header.keyID.epoch ?? 0),
      "class": .number(UInt64(record.header.keyID.protectionClass.rawValue)),
      "author": .bytes(record.header.author?.bytes ?? []), "head": .bytes(record.header.head),
      "attributes": .bytes(try ItemCoding.attributes(of: item)), "secret": .bytes(try ItemCoding.secret(of: item)),
      "item_class": .number(UInt64(item.itemClass.rawValue)), "vector": field(item.vector),
      "delete_context": field(item.deleteContext), "registers": field(item.registers.filter { !$0.key.isSecret }, item),
      "secret_registers": field(item.registers.filter { $0.key.isSecret }, item),
      "history": field(item.history, item), "modification_time": .number(attributes.modificationTime),
      "secret_in_conflict": .bool(attributes.secretInConflict),
      "tombstone": .bool(item.isDeleted && !item.deleteContext.isEmpty),
    ])
  }

  private static func field(_ vector: VersionVector) -> Vector.Field {
    .array(vector.entries.map { .array([.bytes($0.device.bytes), .number($0.counter)]) })
  }

  private static func field(_ registers: [AttributeName: Register], _ item: ItemState) -> Vector.Field {
    .object(
      Dictionary(uniqueKeysWithValues: registers.map { ($0.key.text, field($0.value.writes, item)) }))
  }

  private static func field(_ writes: [Write], _ item: ItemState) -> Vector.Field {
    .array(
      writes.map { write in
        let index = item.vector.entries.firstIndex { $0.device == write.dot.device } ?? 0
        return .array([
          .tagged(write.value), .number(UInt64(index)), .number(write.dot.counter), .number(write.time),
        ])
      })
  }

  static func keybags() throws -> [Vector.Field] {
    let secret = SharedKey(SymmetricKey<DeviceSecretRole>.random())
    let (none, noneKeys) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    let phrase = "schöne Grüße 🔑"
    let (some, someKeys) = try none.changingPassphrase(
      to: Array(phrase.utf8), keys: noneKeys, deviceSecret: secret.key)
    let (gone, goneKeys) = try some.changingPassphrase(to: nil, keys: someKeys, deviceSecret: secret.key)
    return [
      try vector("without a passphrase", none, noneKeys, "", secret),
      try vector("after a first passphrase", some, someKeys, phrase, secret),
      try vector("after the passphrase was removed", gone, goneKeys, "", secret),
      try blob(LocalBlob.Purpose("notes", .always), contents: Array("anything".utf8)),
      try blob(LocalBlob.Purpose("notes", .whenUnlocked), contents: []),
    ] + (try vaultBlobs())
  }

  /// What a device keeps of a vault.
  private static func vaultBlobs() throws -> [Vector.Field] {
    let keys = DeviceKeys.random()
    let a = KeyringA.fresh(recovery: [RecoveryKey.random().identity()]).rotated()
    let c = KeyringC.fresh().rotated()
    return [
      try blob(
        .vaultA, contents: LocalSecrets.export(keys.a, a),
        [
          "signing_seed": .bytes(keys.a.chainSigning.exportSeed()),
          "exchange_seed": .bytes(keys.a.exchange.exportSeed()), "keyring_contents": .bytes(a.exportContents()),
        ]),
      try blob(
        .vaultC, contents: LocalSecrets.export(keys.c, c),
        [
          "signing_seed": .bytes(keys.c.pushSigning.exportSeed()),
          "exchange_seed": .bytes(keys.c.exchange.exportSeed()), "keyring_contents": .bytes(c.exportContents()),
        ]),
    ]
  }

  private static func vector(
    _ name: String, _ keybag: Keybag, _ keys: UnlockedKeys, _ passphrase: String, _ secret: SharedKey<DeviceSecretRole>
  ) throws -> Vector.Field {
    var classes: [String: Vector.Field] = [
      "1": .bytes(keys.whenUnlocked.key.exportBytes()), "3": .bytes(keys.afterFirstUnlock.key.exportBytes()),
      "4": .bytes(try keybag.alwaysKey(deviceSecret: secret.key).key.exportBytes()),
    ]
    if let passcodeSet = keys.passcodeSet { classes["2"] = .bytes(passcodeSet.key.exportBytes()) }
    var unlockKey = SharedKey(Keybag.unlockKey(keybag.id, secret.key))
    var cost: (UInt64, UInt64) = (0, 0)
    if case .passphrase(let operations, let memoryKiB, let salt) = keybag.protection {
      cost = (operations, memoryKiB)
      unlockKey = try Keybag.unlockKey(
        keybag.id, Array(passphrase.utf8), PasswordHashParameters(operations: operations, memoryKiB: memoryKiB),
        salt: salt, secret.key)
    }
    return .object([
      "name": .text("keybag: \(name)"), "kind": .text("keybag"), "device_secret": .bytes(secret.key.exportBytes()),
      "passphrase": .text(passphrase), "keybag": .bytes(keybag.encoded),
      "expected": .object([
        "id": .bytes(keybag.id), "protected": .bool(keybag.hasPassphrase), "root": .bytes(keys.root.key.exportBytes()),
        "operations": .number(cost.0), "memory": .number(cost.1), "classes": .object(classes),
        "unlock_key": .bytes(unlockKey.key.exportBytes()),
      ]),
    ])
  }

  private static func blob(
    _ purpose: LocalBlob.Purpose, contents: [UInt8], _ parts: [String: Vector.Field] = [:]
  ) throws -> Vector.Field {
    let key = SharedKey(SymmetricKey<SealingRole>.random())
    let blob = try LocalBlob.seal(contents, purpose, vault: vault, classKey: key.key)
    return .object([
      "name": .text("local blob: \(purpose.text), \(contents.count) bytes"), "kind": .text("local-blob"),
      "class": .number(UInt64(purpose.protectionClass.rawValue)), "class_key": .bytes(key.key.exportBytes()),
      "purpose": .text(purpose.text), "vault": .bytes(vault.bytes), "blob": .bytes(blob),
      "expected": .object(parts.merging(["contents": .bytes(contents)]) { _, new in new }),
    ])
  }

  static func checkpoints() throws -> [Vector.Field] {
    let seed = Randomness.bytes(32)
    var seedCopy = seed
    let signer = PushSigner(SigningKey(seed: try SymmetricKey(consuming: &seedCopy)))
    let key = SharedKey(SymmetricKey<SealingRole>.random())
    let signing: [String: Vector.Field] = [
      "vault": .bytes(vault.bytes), "author_push_seed": .bytes(seed), "author_push_key": .bytes(signer.key.publicKey),
    ]
    func checkpoint(_ name: String, _ contents: CheckpointContents, epoch: UInt64) throws -> Vector.Field {
      let sealed = try Checkpoint.seal(
        contents, vault: vault, epoch: epoch, key: key.key, author: devices[0], signer: signer)
      return .object(
        signing.merging([
          "name": .text("checkpoint: \(name)"), "kind": .text("checkpoint"), "c_key": .bytes(key.key.exportBytes()),
          "checkpoint": .bytes(sealed.bytes), "expected": expected(contents, author: devices[0], epoch: epoch),
        ]) { _, new in new })
    }
    let full = CheckpointContents(
      number: 3, incarnation: Randomness.bytes(16), sequence: 1 << 50, setHash: SetHash().digest,
      quarantined: (0..<20).compactMap { _ in SlotID(Randomness.bytes(32)) }, isClean: true, ownCounter: .max,
      floor: VersionVector(devices.sorted().map { .init(device: $0, counter: .max) }) ?? VersionVector(),
      greatestPurged: 9, head: Randomness.bytes(32), chainNumber: 4)
    var empty = full
    empty.quarantined = []
    empty.floor = VersionVector()
    empty.isClean = false
    let event = try PurgeEvent(
      vault: vault, slot: SlotID(Randomness.bytes(32)) ?? unreachable(), sequence: 1 << 33,
      recordHash: Randomness.bytes(32), incarnation: Randomness.bytes(16),
      author: RecordAuthor(device: devices[0], head: Randomness.bytes(32), signer: signer))
    let purge = Vector.Field.object(
      signing.merging([
        "name": .text("purge: of one record"), "kind": .text("purge"), "purge": .bytes(event.encoded),
        "expected": .object([
          "slot": .bytes(event.slot.bytes), "sequence": .number(event.sequence),
          "record_hash": .bytes(event.recordHash), "incarnation": .bytes(event.incarnation),
          "head": .bytes(event.head), "author": .bytes(event.author.bytes),
        ]),
      ]) { _, new in new })
    return [try checkpoint("full", full, epoch: 1), try checkpoint("empty", empty, epoch: 1 << 20), purge]
  }

  private static func expected(_ contents: CheckpointContents, author: DeviceID, epoch: UInt64) -> Vector.Field {
    .object([
      "author": .bytes(author.bytes), "epoch": .number(epoch), "number": .number(contents.number),
      "incarnation": .bytes(contents.incarnation), "sequence": .number(contents.sequence),
      "set_hash": .bytes(contents.setHash), "quarantined": .array(contents.quarantined.map { .bytes($0.bytes) }),
      "clean": .bool(contents.isClean), "own_counter": .number(contents.ownCounter), "floor": field(contents.floor),
      "greatest_purged": .number(contents.greatestPurged), "head": .bytes(contents.head),
      "chain_number": .number(contents.chainNumber), "contents": .bytes(contents.encoded),
    ])
  }
}

extension Vector.Field {
  static func bytes(_ bytes: [UInt8]) -> Vector.Field { .text(Hex.encode(bytes)) }

  /// A value of an attribute, tagged as the README says.
  static func tagged(_ value: AttributeValue) -> Vector.Field {
    switch value {
    case .text(let text): .object(["text": .text(text)])
    case .bytes(let bytes): .object(["bytes": .bytes(bytes)])
    case .number(let number): .object(["int": .text(String(number))])
    case .bool(let bool): .object(["bool": .bool(bool)])
    case .date(let milliseconds):
      .object(["array": .array([.object(["int": .text("0")]), .object(["int": .text(String(milliseconds))])])])
    case .absent: .object(["null": .bool(true)])
    }
  }
}
