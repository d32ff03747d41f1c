import Testing
import VaultModel

@Suite struct NewDeviceTests {
  @Test func `A copy's unpushed writes meet those of its twin as a conflict`() throws {
    var original = Replica(deviceA)
    try original.add([.secret: .text("p0"), .label: .text("l0")])
    var copy = original
    try original.set([.secret: .text("on the original")])
    try copy.set([.secret: .text("on the copy")])
    try copy.set([.label: .text("l on the copy")])
    let moved = copy.item.movingWrites(from: deviceA, to: deviceC, counters: [2: 2, 3: 3], stored: 1)
    try moved.check()
    #expect(moved.vector == vector([deviceA: 1, deviceC: 3]))
    #expect(moved.visible == copy.item.visible)
    #expect(moved.modificationTime == copy.item.modificationTime)
    let merged = moved.merging(original.item)
    #expect(merged == original.item.merging(moved))
    #expect(merged.vector == vector([deviceA: 2, deviceC: 3]))
    #expect(Set(merged.conflicts[.secret]?.map(\.value) ?? []) == [.text("on the original"), .text("on the copy")])
    #expect(merged.visible[.label] == .text("l on the copy"))
    #expect(merged.history.map(\.value) == [.text("p0")])
  }

  @Test func `A delete and a whole item that were never pushed move too`() throws {
    var replica = Replica(deviceA)
    try replica.add([.secret: .text("p1")])
    try replica.set([.secret: .text("p2")])
    try replica.delete()
    let moved = replica.item.movingWrites(from: deviceA, to: deviceB, counters: [1: 11, 2: 12, 3: 13], stored: 0)
    try moved.check()
    #expect(moved.isDeleted)
    #expect(moved.vector == vector([deviceB: 13]))
    #expect(moved.deleteContext == moved.vector)
    #expect(moved.history.map(\.dot) == [dot(deviceB, 11)])
  }

  @Test func `A delete that saw only stored writes is not changed by later ones`() throws {
    var replica = Replica(deviceA)
    try replica.add([.secret: .text("p1")])
    try replica.delete()
    let context = replica.item.deleteContext
    try replica.add([.secret: .text("p3")])
    let moved = replica.item.movingWrites(from: deviceA, to: deviceB, counters: [3: 3], stored: 2)
    #expect(moved.deleteContext == context)
    #expect(!moved.isDeleted)
    try moved.check()
  }

  @Test func `Writes of others and an item without unpushed writes stay as they are`() throws {
    var replica = Replica(deviceB)
    try replica.add([.secret: .text("p1")])
    let item = replica.item
    #expect(item.movingWrites(from: deviceA, to: deviceC, counters: [1: 1], stored: 0) == item)
    #expect(item.movingWrites(from: deviceB, to: deviceC, counters: [:], stored: 1) == item)
  }

  @Test func `A device may move its writes to fresh counters of its own`() throws {
    var replica = Replica(deviceA)
    try replica.add([.secret: .text("p1")])
    try replica.set([.secret: .text("p2")])
    let moved = replica.item.movingWrites(from: deviceA, to: deviceA, counters: [2: 9], stored: 1)
    #expect(moved.vector == vector([deviceA: 9]))
    #expect(moved.registers[.secret]?.shown.dot == dot(deviceA, 9))
    try moved.check()
  }
}
