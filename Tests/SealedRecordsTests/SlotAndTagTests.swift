import SealedRecords
import Testing
import TextCoding
import VaultCrypto
import VaultModel

/// The answers were computed with Python's hashlib and cbor2.
struct SlotAndTagTests {
  private func slotHex(_ itemClass: ItemClass, _ attributes: [AttributeName: AttributeValue]) throws -> String {
    let shared: SharedKey<SlotRole> = try key(0..<32)
    return Hex.encode(
      Slot.derive(PrimaryKey(itemClass: itemClass, attributes: attributes), key: shared.key).bytes)
  }

  @Test("The slot of each class is the keyed hash of its primary key in the page's order")
  func slots() throws {
    #expect(
      try slotHex(
        .genericPassword,
        [.account: .text("seal"), .service: .text("äöü"), .accessGroup: .text("main"), .label: .text("no matter")])
        == "bf9221c8c6ae495a94dd81ae92afa89d4b170621e623906814083dbf6eae8ecd")
    #expect(
      try slotHex(
        .internetPassword,
        [
          .account: .text("a"), .securityDomain: .text("b"), .server: .text("c"), .networkProtocol: .number(1752),
          .authenticationType: .text("form"), .port: .number(443), .path: .text("/p"), .accessGroup: .text("g"),
        ]) == "d54c86af29d0b5eee69177486eb4be9957df7fcf118f2c899f412c775569f09f")
    #expect(
      try slotHex(
        .certificate,
        [
          .certificateType: .number(1), .issuer: .bytes(Array("iss".utf8)), .serialNumber: .bytes([1, 2]),
          .accessGroup: .text("g"),
        ]) == "59a00a528594754f7052010e786347be03efe9d7d063facb88b86b33092c7f48")
    #expect(
      try slotHex(
        .key,
        [
          .keyClass: .bool(true), .type: .number(42), .creator: .number(-1), .keySizeInBits: .number(256),
          .effectiveKeySize: .number(256), .applicationLabel: .bytes(Array("lbl".utf8)),
          .applicationTag: .text("tag"), .startDate: .date(milliseconds: 1_700_000_000_000), .accessGroup: .text("g"),
        ]) == "00c320cfb33c48fab6af5fddc2a8b36211096362e441a04166d759a1ec63f500")
  }

  @Test("Absent attributes are empty bytes or 0, and text is its bytes")
  func defaults() throws {
    let empty = "cffcf6ff16423a141a31271758579affad9d158d3e790fa7ebcbd0c08d7a1799"
    #expect(try slotHex(.genericPassword, [:]) == empty)
    #expect(try slotHex(.genericPassword, [.account: .text(""), .service: .absent, .accessGroup: .bytes([])]) == empty)
    #expect(
      try slotHex(.internetPassword, [:]) == "f35594f4e0ac746d218b563024a4ce984130a254f279e66a4d1bb118e9e7bf12")
    #expect(
      try slotHex(.genericPassword, [.account: .text("a")]) == slotHex(.genericPassword, [.account: .bytes([0x61])]))
    #expect(try slotHex(.genericPassword, [.account: .text("a")]) != empty)
    #expect(
      try slotHex(.genericPassword, [.account: .text("a")]) != slotHex(.genericPassword, [.service: .text("a")]))
  }

  @Test("Tags and device-only slots come from the index key of the class key")
  func tags() throws {
    let classKey: SharedKey<SealingRole> = try key(0..<32)
    let index = SharedKey(IndexTag.key(from: classKey.key))
    #expect(
      Hex.encode(index.key.exportBytes()) == "da53287c1554a967ff069218667409bab2ec179dbd114ddf901ada5c0401bf9f")
    #expect(
      Hex.encode(
        Slot.derive(PrimaryKey(itemClass: .genericPassword, attributes: [:]), indexKey: index.key).bytes)
        == "ca6b30b0a20f473431d4e36cbd78e641b71d0a5a196e393721130121f197c3cf")
    for (name, value, expected) in [
      (.account, .text("seal"), "149067d07922c0f009cf5802d984a000"),
      (.account, .bytes(Array("seal".utf8)), "149067d07922c0f009cf5802d984a000"),
      (.port, .number(443), "25c6d7fa9f1d7e0554804554a3c81c62"),
      (.creationDate, .date(milliseconds: -5), "acf301e49f2c68075b00655d6c674f4c"),
      (.isInvisible, .bool(true), "480667c097cc78bb5ef3b7d1ae874daf"),
      (.isInvisible, .number(1), "480667c097cc78bb5ef3b7d1ae874daf"),
      (.isInvisible, .bool(false), "29c7cb26ceb4294629489b0469c10b86"),
    ] as [(AttributeName, AttributeValue, String)] {
      let tag =
        IndexTag.make(vault: vault(1), itemClass: .internetPassword, name: name, value: value, key: index.key) ?? []
      #expect(tag.count == IndexTag.length)
      #expect(Hex.encode(tag) == expected)
    }
    let absent = IndexTag.make(vault: vault(1), itemClass: .key, name: .account, value: .absent, key: index.key)
    #expect(absent == nil)
  }

  @Test("A tag is another one in another vault, class or attribute")
  func tagSeparation() throws {
    let index = SharedKey(SymmetricKey<IndexRole>.random())
    func tag(_ vault: VaultID, _ itemClass: ItemClass, _ name: AttributeName) -> [UInt8]? {
      IndexTag.make(vault: vault, itemClass: itemClass, name: name, value: .text("x"), key: index.key)
    }
    let tags = [
      tag(vault(1), .key, .label), tag(vault(2), .key, .label), tag(vault(1), .certificate, .label),
      tag(vault(1), .key, .account),
    ]
    #expect(Set(tags).count == 4)
  }

  @Test("Items of A, P and C are looked up under class C, those of D under class D")
  func indexClasses() {
    for protectionClass in ProtectionClass.allCases {
      #expect(
        IndexTag.keyClass(for: protectionClass) == (protectionClass == .always ? .always : .afterFirstUnlock))
    }
  }
}
