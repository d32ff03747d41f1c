import Testing
import VaultModel

@Suite struct ValueTests {
  @Test func `Identifiers are exactly 32 bytes and ordered by them`() {
    #expect(DeviceID([]) == nil)
    #expect(VaultID([UInt8](repeating: 1, count: 31)) == nil)
    #expect(SlotID([UInt8](repeating: 1, count: 33)) == nil)
    let bytes = [UInt8](0..<32)
    #expect(DeviceID(bytes)?.bytes == bytes)
    var random = SplitMix64(seed: 1)
    var all: [[UInt8]] = []
    for index in 0..<64 {
      var next = bytes
      next[index / 2] = UInt8(random.below(256))
      all.append(next)
    }
    let sorted = all.compactMap { SlotID($0) }.sorted().map(\.bytes)
    #expect(sorted == all.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `Attribute names are 1 to 64 bytes and come back as they were`() {
    #expect(AttributeName("") == nil)
    #expect(AttributeName(String(repeating: "x", count: 65)) == nil)
    #expect(AttributeName(String(repeating: "ä", count: 33)) == nil)
    for text in ["a", "acct", "v_Data", "12345678", "123456789", "a\0", "größe", String(repeating: "x", count: 64)] {
      #expect(AttributeName(text)?.text == text)
    }
    #expect(AttributeName("acct") == .account)
    #expect(AttributeName("v_Data")?.isSecret == true)
    #expect(["binn", "bini", "bin0", "bin1", "bin2", "bin3"].allSatisfy { AttributeName($0)?.isSecret == true })
    #expect(["bin4", "v_data", "acct", "v_Data\0"].allSatisfy { AttributeName($0)?.isSecret == false })
  }

  @Test func `Names and text are equal only if their bytes are`() {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    #expect(composed == decomposed)
    #expect(AttributeName(composed) != AttributeName(decomposed))
    #expect(AttributeName("a") != AttributeName("a\0"))
    #expect(AttributeName("abcdefgh") != AttributeName("abcdefgh\0"))
    #expect(AttributeValue.text(composed) != .text(decomposed))
    #expect(AttributeValue.text("a") != .bytes(Array("a".utf8)))
    #expect(AttributeValue.number(1) != .bool(true))
    #expect(AttributeValue.number(1) != .date(milliseconds: 1))
    #expect(Set<AttributeValue>([.text(composed), .text(decomposed), .text(composed), .absent]).count == 3)
  }

  @Test func `No description of an item shows a value`() throws {
    let item = try ItemState(itemClass: .genericPassword).adding(
      [.secret: .text("hunter2"), .label: .bytes([222, 173]), .port: .number(31_337)], dot: dot(deviceA, 1), clock: 1,
      floor: .init())
    var dumped = ""
    dump(item, to: &dumped)
    for text in [dumped, "\(item)", String(reflecting: item), String(reflecting: item.visible)] {
      #expect(!text.contains("hunter2") && !text.contains("222") && !text.contains("31337"))
    }
  }

  @Test func `Names are ordered by their bytes`() {
    let texts = [
      "a", "a\0", "aa", "abcdefg", "abcdefgh", "abcdefgh\0", "abcdefgha", "abcdefghab", "abcdefghb", "b", "ä",
    ]
    for (index, left) in texts.enumerated() {
      for (other, right) in texts.enumerated() {
        guard let left = AttributeName(left), let right = AttributeName(right) else { continue }
        #expect((left < right) == (index < other), "\(texts[index].debugDescription) \(texts[other].debugDescription)")
      }
    }
  }

  @Test func `Accessibility classes are known by their codes and ordered by strictness`() {
    #expect(
      Accessibility.allCases.map(\.rawValue).sorted() == ["ak", "aku", "akpu", "ck", "cku", "dk", "dku"].sorted())
    let ordered = Accessibility.allCases.sorted { $0.strictness < $1.strictness }.map(\.rawValue)
    #expect(ordered == ["dk", "dku", "ck", "cku", "ak", "aku", "akpu"])
    for accessibility in Accessibility.allCases {
      #expect(!accessibility.synchronizableForm.isThisDeviceOnly)
      #expect(accessibility.isThisDeviceOnly || accessibility.synchronizableForm == accessibility)
      #expect(accessibility.synchronizableForm.protection == min(accessibility.protection, .whenUnlocked))
    }
  }

  @Test func `Primary keys name the Keychain's attributes and compare bytes`() {
    func codes(_ itemClass: ItemClass) -> String {
      PrimaryKey.attributes(of: itemClass).map(\.text).joined(separator: " ")
    }
    #expect(codes(.genericPassword) == "acct svce agrp")
    #expect(codes(.internetPassword) == "acct sdmn srvr ptcl atyp port path agrp")
    #expect(codes(.certificate) == "ctyp issr slnr agrp")
    #expect(codes(.key) == "kcls type crtr bsiz esiz klbl atag sdat edat agrp")
    let text = PrimaryKey(itemClass: .genericPassword, attributes: [.account: .text("ä"), .label: .text("x")])
    #expect(text == PrimaryKey(itemClass: .genericPassword, attributes: [.account: .bytes([0xc3, 0xa4])]))
    #expect(text.values == [.bytes([0xc3, 0xa4]), .bytes([]), .bytes([])])
    #expect(
      PrimaryKey(itemClass: .key, attributes: [.startDate: .date(milliseconds: 7), .keyClass: .bool(true)]).values
        == [1, 0, 0, 0, 0].map(AttributeValue.number) + [.bytes([]), .bytes([]), .number(7), .number(0), .bytes([])])
  }

  @Test func `Counters grow, follow the clock and never trap`() {
    #expect(CounterClock.nextCounter(previous: 0, milliseconds: 0, random: 0) == 1)
    #expect(CounterClock.nextCounter(previous: 5, milliseconds: 0, random: 3) == 6)
    #expect(CounterClock.nextCounter(previous: 5, milliseconds: 1, random: .max) == 0x1f_ffff)
    #expect(CounterClock.nextCounter(previous: 0x1f_ffff, milliseconds: 1, random: .max) == 0x20_0000)
    #expect(CounterClock.nextCounter(previous: 5, milliseconds: (1 << 44) - 1, random: .max) == .max)
    #expect(CounterClock.nextCounter(previous: 5, milliseconds: 1 << 44, random: .max) == 6)
    #expect(CounterClock.nextCounter(previous: 5, milliseconds: .max, random: .max) == 6)
    #expect(CounterClock.nextCounter(previous: .max - 1, milliseconds: 0, random: 0) == .max)
    #expect(CounterClock.nextCounter(previous: .max, milliseconds: .max, random: 0) == nil)
  }
}
