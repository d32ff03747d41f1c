import CBOR
import Testing
import VaultCrypto
import VaultModel

@testable import SealedRecords

struct RecordTests {
  private let key = SharedKey(SymmetricKey<SealingRole>.random())

  @Test("A vault's record opens to the item that was sealed, and its header says who sealed it")
  func vaultRecord() throws {
    let author = makeAuthor()
    for item in [try item(), try contestedItem(), ItemState(itemClass: .certificate)] {
      let sealed = try RecordSealer.seal(
        item, vault: vault(1), slot: slot(2), keyID: .vault(epoch: 3, .whenUnlocked), key: key.key, author: author)
      let record = try SealedRecord(decoding: sealed.bytes)
      #expect(record == sealed)
      #expect(record.header.keyID == .vault(epoch: 3, .whenUnlocked))
      #expect(record.header.author == author.device)
      #expect(record.header.head == author.head)
      #expect(try RecordHeader.peek(record.bytes) == record.header)
      #expect(record.recordHash == Digest.hash("lockstep/record-hash/1", [.bytes(record.bytes)]))
      try RecordOpener.verifySignature(
        record, vault: vault(1), slot: slot(2), pushSigningKey: author.signer.key.publicKey)
      #expect(try RecordOpener.open(record, vault: vault(1), slot: slot(2), key: key.key) == item)
      #expect(
        try RecordOpener.openAttributes(record, vault: vault(1), slot: slot(2), key: key.key)
          == ItemAttributes(of: item))
    }
  }

  @Test("A record of this device has neither author nor signature", arguments: ProtectionClass.allCases)
  func deviceRecord(protectionClass: ProtectionClass) throws {
    let item = try item()
    let sealed = try RecordSealer.seal(
      item, vault: vault(1), slot: slot(2), keyID: .device(protectionClass), key: key.key, author: nil)
    let record = try SealedRecord(decoding: sealed.bytes)
    #expect(record.header.keyID == .device(protectionClass))
    #expect(record.header.author == nil)
    #expect(record.header.head == [])
    #expect(record.signature == [])
    #expect(try RecordOpener.open(record, vault: vault(1), slot: slot(2), key: key.key) == item)
    #expect(throws: RecordError.wrongSignature) {
      try RecordOpener.verifySignature(record, vault: vault(1), slot: slot(2), pushSigningKey: bytes32(1))
    }
  }

  @Test("What a reader would refuse is not sealed")
  func sealingRefusals() throws {
    let item = try item()
    let author = makeAuthor()
    func seal(_ keyID: SealingKeyID, _ author: RecordAuthor?, _ item: ItemState) throws {
      _ = try RecordSealer.seal(item, vault: vault(1), slot: slot(1), keyID: keyID, key: key.key, author: author)
    }
    #expect(throws: RecordError.malformed) { try seal(.vault(epoch: 1, .whenUnlocked), nil, item) }
    #expect(throws: RecordError.malformed) { try seal(.device(.whenUnlocked), author, item) }
    #expect(throws: RecordError.malformed) { try seal(.vault(epoch: 0, .whenUnlocked), author, item) }
    #expect(throws: RecordError.malformed) { try seal(.vault(epoch: 1, .passcodeSet), author, item) }
    #expect(throws: RecordError.malformed) { try seal(.vault(epoch: 1, .always), author, item) }
    let headless = RecordAuthor(device: author.device, head: [], signer: author.signer)
    #expect(throws: RecordError.malformed) { try seal(.vault(epoch: 1, .whenUnlocked), headless, item) }
    let outside = ItemState(
      itemClass: .key, vector: vector([device(1): 1]),
      registers: [.label: Register([Write(value: .bool(true), dot: dot(device(1), 2), time: 1)])].compactMapValues {
        $0
      },
      deleteContext: VersionVector(), history: [])
    #expect(throws: RecordError.malformed) { try seal(.vault(epoch: 1, .whenUnlocked), author, outside) }
  }

  @Test("A secret of 1 MiB is sealed, a larger one and a record beyond 16 MiB are not")
  func sizes() throws {
    func seal(_ item: ItemState) throws -> SealedRecord {
      try RecordSealer.seal(
        item, vault: vault(1), slot: slot(1), keyID: .device(.whenUnlocked), key: key.key, author: nil)
    }
    let largest = try item(secret: [UInt8](repeating: 7, count: Limits.secretBytes))
    #expect(try RecordOpener.open(seal(largest), vault: vault(1), slot: slot(1), key: key.key) == largest)

    func secretOf(_ bytes: Int, from devices: Range<UInt8>) -> ItemState {
      let writes = devices.map {
        Write(value: .bytes([UInt8](repeating: $0, count: bytes)), dot: dot(device($0), 1), time: 1)
      }
      return ItemState(
        itemClass: .genericPassword,
        vector: vector(Dictionary(uniqueKeysWithValues: devices.map { (device($0), UInt64(1)) })),
        registers: [.secret: Register(writes)].compactMapValues { $0 }, deleteContext: VersionVector(), history: [])
    }
    #expect(throws: RecordError.tooLarge) { try seal(secretOf(Limits.secretBytes + 1, from: 1..<2)) }
    #expect(throws: RecordError.tooLarge) { try seal(secretOf(Limits.secretBytes, from: 1..<18)) }
    #expect(throws: RecordError.tooLarge) {
      try SealedRecord(decoding: [UInt8](repeating: 0, count: SealedRecord.maximumLength + 1))
    }
    #expect(throws: RecordError.tooLarge) {
      try RecordHeader.peek([UInt8](repeating: 0, count: SealedRecord.maximumLength + 1))
    }
  }

  @Test("Secrets of 1 and of 200 bytes give records of one size")
  func hiddenSize() throws {
    let records = try [1, 2, 50, 200].map { length in
      try RecordSealer.seal(
        try item(secret: [UInt8](repeating: 1, count: length)), vault: vault(1), slot: slot(1),
        keyID: .vault(epoch: 1, .whenUnlocked), key: key.key, author: makeAuthor())
    }
    #expect(Set(records.map(\.bytes.count)).count == 1)
  }

  @Test("One item sealed twice shares no ciphertext, nonce or commitment")
  func fresh() throws {
    let item = try item()
    let author = makeAuthor()
    let records = try (0..<2).map { _ in
      try RecordSealer.seal(
        item, vault: vault(1), slot: slot(1), keyID: .vault(epoch: 1, .whenUnlocked), key: key.key, author: author)
    }
    #expect(records[0].header.nonce != records[1].header.nonce)
    #expect(records[0].header.commitment != records[1].header.commitment)
    func windows(_ record: SealedRecord) -> Set<ArraySlice<UInt8>> {
      let ciphertext = record.attributesPart + record.secretPart
      return Set((0..<(ciphertext.count - 7)).map { ciphertext[$0..<($0 + 8)] })
    }
    #expect(windows(records[0]).isDisjoint(with: windows(records[1])))
  }

  @Test("Each accessibility has its class, in a vault and on this device")
  func classes() {
    let expected: [Accessibility: (ProtectionClass, ProtectionClass)] = [
      .whenUnlocked: (.whenUnlocked, .whenUnlocked), .afterFirstUnlock: (.afterFirstUnlock, .afterFirstUnlock),
      .always: (.afterFirstUnlock, .always), .whenUnlockedThisDeviceOnly: (.whenUnlocked, .whenUnlocked),
      .whenPasscodeSetThisDeviceOnly: (.whenUnlocked, .passcodeSet),
      .afterFirstUnlockThisDeviceOnly: (.afterFirstUnlock, .afterFirstUnlock),
      .alwaysThisDeviceOnly: (.afterFirstUnlock, .always),
    ]
    for accessibility in Accessibility.allCases {
      let (inVault, onDevice) = expected[accessibility] ?? (.always, .passcodeSet)
      #expect(ProtectionClass(ofVaultItem: accessibility) == inVault)
      #expect(ProtectionClass(ofDeviceItem: accessibility) == onDevice)
      #expect(SealingKeyID.vault(epoch: 1, inVault).suits(accessibility))
      #expect(SealingKeyID.device(onDevice).suits(accessibility))
      let other: ProtectionClass = inVault == .whenUnlocked ? .afterFirstUnlock : .whenUnlocked
      #expect(!SealingKeyID.vault(epoch: 1, other).suits(accessibility))
    }
  }
}
