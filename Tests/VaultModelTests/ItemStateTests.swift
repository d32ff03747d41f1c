import Testing
import VaultModel

@Suite struct ItemStateTests {
  let added: Replica

  init() throws {
    var replica = Replica(deviceA)
    try replica.add([.account: .text("me"), .service: .text("mail"), .secret: .bytes([1]), .accessible: .text("ck")])
    added = replica
  }

  @Test func `An added item shows its values and a creation date`() {
    let item = added.item
    #expect(!item.isDeleted)
    #expect(item.visible[.account] == .text("me"))
    #expect(item.visible[.creationDate] == .date(milliseconds: 101))
    #expect(item.modificationTime == 101)
    #expect(item.conflicts.isEmpty)
    #expect(item.history.isEmpty)
  }

  @Test func `An explicit creation date is kept`() throws {
    let item = try ItemState(itemClass: .genericPassword).adding(
      [.creationDate: .date(milliseconds: -5)], dot: dot(deviceA, 1), clock: 9, floor: .init())
    #expect(item.visible[.creationDate] == .date(milliseconds: -5))
  }

  @Test func `A write is later than everything the item has seen even if the clock is behind`() throws {
    let item = try added.item.setting([.label: .text("x")], dot: dot(deviceB, 1), clock: 3)
    #expect(item.modificationTime == 102)
    let last = try item.setting([.label: .text("y")], dot: dot(deviceB, 2), clock: .max)
    #expect(try last.setting([.label: .text("z")], dot: dot(deviceB, 3), clock: 0).modificationTime == .max)
  }

  @Test func `Setting nothing only advances the modification time`() throws {
    let item = try added.item.setting([:], dot: dot(deviceA, 9), clock: 500)
    #expect(item.visible == added.item.visible)
    #expect(item.modificationTime == 500)
  }

  @Test func `A removed attribute is not shown`() throws {
    var replica = added
    try replica.set([.label: .text("x")])
    try replica.set([.label: .absent])
    #expect(replica.item.visible[.label] == nil)
    #expect(replica.item.registers[.label] != nil)
  }

  @Test func `A deleted item shows nothing and keeps its primary key`() throws {
    var replica = added
    try replica.delete()
    #expect(replica.item.isDeleted)
    #expect(replica.item.visible.isEmpty)
    #expect(replica.item.primaryKey == added.item.primaryKey)
    #expect(replica.item.primaryKey.values == [.bytes(Array("me".utf8)), .bytes(Array("mail".utf8)), .bytes([])])
    #expect(replica.item.strictestAccessibility == .afterFirstUnlock)
  }

  @Test func `Writes that make no sense are refused`() throws {
    var deleted = added
    try deleted.delete()
    let fresh = dot(deviceA, 99)
    #expect(throws: ModelError.itemExists) { try added.item.adding([:], dot: fresh, clock: 1, floor: .init()) }
    #expect(throws: ModelError.itemIsDeleted) { try deleted.item.setting([:], dot: fresh, clock: 1) }
    #expect(throws: ModelError.itemIsDeleted) { try deleted.item.deleting(fresh) }
    #expect(throws: ModelError.dotAlreadySeen) { try added.item.setting([:], dot: dot(deviceA, 1), clock: 1) }
    #expect(throws: ModelError.dotAlreadySeen) { try added.item.deleting(dot(deviceA, 1)) }
    #expect(throws: ModelError.dotAlreadySeen) { try added.item.deleting(dot(deviceB, 0)) }
    #expect(throws: ModelError.dotAlreadySeen) {
      try ItemState(itemClass: .key).adding([:], dot: dot(deviceA, 7), clock: 1, floor: vector([deviceA: 7]))
    }
    #expect(throws: ModelError.primaryKeyChanged) {
      try added.item.setting([.account: .text("you")], dot: fresh, clock: 1)
    }
    #expect(throws: ModelError.primaryKeyChanged) {
      try deleted.item.adding([.account: .text("you")], dot: fresh, clock: 1, floor: .init())
    }
  }

  @Test func `Sizes are bounded when they are written and the largest fits`() throws {
    let fresh = dot(deviceA, 99)
    let largest = [UInt8](repeating: 1, count: Limits.secretBytes)
    #expect(
      try added.item.setting([.secret: .bytes(largest)], dot: fresh, clock: 1).visible[.secret] == .bytes(largest))
    for name in [AttributeName.secret, .secretExtra2] {
      #expect(throws: ModelError.secretTooLarge) {
        try added.item.setting([name: .bytes(largest + [1])], dot: fresh, clock: 1)
      }
    }
    #expect(throws: ModelError.attributeTooLarge) {
      try added.item.setting([.label: .bytes(Array(largest.prefix(65_537)))], dot: fresh, clock: 1)
    }
    var many: [AttributeName: AttributeValue] = [:]
    for number in 0..<125 { many[try #require(AttributeName("x\(number)"))] = .absent }
    #expect(throws: ModelError.tooManyAttributes) {
      try added.item.setting(many.merging([.label: .text("l")]) { $1 }, dot: fresh, clock: 1)
    }
    // 125 new ones are more than fit beside acct, svce, pdmn and cdat; 124 are not.
    many.removeValue(forKey: try #require(AttributeName("x0")))
    #expect(try added.item.setting(many, dot: fresh, clock: 1).registers.count == 129)
  }

  @Test func `A full vector takes no further device but writes of those in it`() throws {
    var entries: [VersionVector.Entry] = []
    for number in 0..<Limits.vectorEntries {
      let bytes = [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 30)
      entries.append(.init(device: try #require(DeviceID(bytes)), counter: 1))
    }
    let floor = try #require(VersionVector(entries))
    let empty = ItemState(itemClass: .genericPassword)
    #expect(throws: ModelError.vectorTooLong) {
      try empty.adding([:], dot: dot(device(0xff), 1), clock: 1, floor: floor)
    }
    let item = try empty.adding([:], dot: Dot(device: entries[7].device, counter: 2), clock: 1, floor: floor)
    try item.check()
  }

  @Test func `History leaves out what is absent or large and keeps ten`() throws {
    var replica = added
    try replica.set([.secret: .absent])
    try replica.set([.secret: .bytes([UInt8](repeating: 1, count: Limits.historyValueBytes + 1))])
    try replica.set([.secret: .bytes([UInt8](repeating: 2, count: Limits.historyValueBytes))])
    try replica.set([.secret: .bytes([3])])
    #expect(replica.item.history.map(\.value.byteCount) == [1, Limits.historyValueBytes])
    for number in 0..<20 { try replica.set([.secret: .number(Int64(number))]) }
    #expect(replica.item.history.map(\.value) == (9..<19).map { .number($0) })
    try replica.set([.secretExtra1: .text("x")])
    try replica.set([.secretExtra1: .text("y")])
    #expect(replica.item.history.count == 10)
    #expect(replica.item.history.last?.value == .number(18))
  }

  @Test func `The strictest open accessibility decides, and an unknown one is not lax`() throws {
    var (a, b) = (added, Replica(deviceB, clock: 500))
    b.receive(a.item)
    try a.set([.accessible: .text("ak")])
    try b.set([.accessible: .text("dk")])
    a.receive(b.item)
    #expect(a.item.visible[.accessible] == .text("dk"))
    #expect(a.item.strictestAccessibility == .whenUnlocked)
    #expect(a.item.conflicts[.accessible]?.map(\.value) == [.text("dk"), .text("ak")])
    try a.set([.accessible: .text("dk")])
    #expect(a.item.strictestAccessibility == .always)
    try a.set([.accessible: .text("zz")])
    #expect(a.item.strictestAccessibility == .whenUnlocked)
    try a.set([.accessible: .absent])
    #expect(a.item.strictestAccessibility == .whenUnlocked)
  }

  @Test func `Differing creation dates are no conflict`() throws {
    var (a, b) = (Replica(deviceA), Replica(deviceB, clock: 700))
    try a.add([.secret: .text("x")])
    try b.add([.secret: .text("x")])
    a.receive(b.item)
    #expect(a.item.registers[.creationDate]?.writes.count == 2)
    #expect(a.item.conflicts.isEmpty)
  }

  @Test func `Registers of unknown attributes travel on`() throws {
    let unknown = try #require(AttributeName("from a newer version"))
    var replica = added
    try replica.set([unknown: .bytes([9])])
    var other = Replica(deviceB)
    other.receive(replica.item)
    try other.set([.label: .text("x")])
    #expect(other.item.visible[unknown] == .bytes([9]))
  }
}
