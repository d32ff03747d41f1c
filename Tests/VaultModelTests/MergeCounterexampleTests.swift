import Testing
import VaultModel

/// The smallest histories in which an earlier wording of the merge failed (model of the design), as tests of this one.
@Suite struct MergeCounterexampleTests {
  func secret(_ text: String) -> [AttributeName: AttributeValue] { [.secret: .text(text)] }

  func openSecrets(_ item: ItemState) -> [AttributeValue] { item.registers[.secret]?.writes.map(\.value) ?? [] }

  @Test func `A value that one side superseded is not revived by the other side's conflict`() throws {
    var b = Replica(deviceB, clock: 70)
    var c = Replica(deviceC, clock: 150)
    try b.add(secret("p1"))
    let first = b.item
    try b.set(secret("p2"))
    try c.add([.secret: .text("p3"), .label: .text("l3")])
    // C meets B's first state, then the second; or the second alone. Both ways must give the same.
    let long = c.item.merging(first).merging(b.item)
    #expect(long == c.item.merging(b.item))
    #expect(openSecrets(long) == [.text("p2"), .text("p3")])
    #expect(long.history.map(\.value) == [.text("p1")])
  }

  @Test func `Merging a tombstone first or last gives the same`() throws {
    var b = Replica(deviceB)
    var c = Replica(deviceC, clock: 150)
    try b.add([.secret: .text("p1"), .label: .text("l1")])
    try b.delete()
    let tombstone = b.item
    try c.add(secret("p3"))
    try b.add([.secret: .text("p4"), .label: .text("l4")])
    let left = tombstone.merging(c.item).merging(b.item)
    let right = tombstone.merging(c.item.merging(b.item))
    #expect(left == right)
    #expect(openSecrets(left) == [.text("p4"), .text("p3")])
    #expect(left.history.map(\.value) == [.text("p1")])
  }

  @Test func `A tombstone keeps its registers so the delete of a merged value is known`() throws {
    var a = Replica(deviceA, clock: 50)
    var c = Replica(deviceC, clock: 149)
    try c.add(secret("p1"))
    let added = c.item
    try c.delete()
    #expect(c.item.isDeleted)
    #expect(openSecrets(c.item) == [.text("p1")])
    try a.add([.secret: .text("p3"), .label: .text("l3")])
    #expect(a.item.merging(added).merging(c.item) == a.item.merging(c.item))
  }

  @Test func `Equal values keep both dots and are no conflict`() throws {
    var a = Replica(deviceA, clock: 149)
    var c = Replica(deviceC, clock: 100)
    try a.add(secret("x"))
    let firstOfA = a.item
    try c.add(secret("x"))
    let both = firstOfA.merging(c.item)
    #expect(both.registers[.secret]?.writes.count == 2)
    #expect(both.conflicts.isEmpty)
    #expect(both.visible[.secret] == .text("x"))
    try a.set(secret("y"))
    #expect(both.merging(a.item) == firstOfA.merging(c.item.merging(a.item)))
    #expect(openSecrets(both.merging(a.item)) == [.text("x"), .text("y")])
  }

  @Test func `A new item in the slot of a deleted one has nothing of the old one`() throws {
    var a = Replica(deviceA)
    try a.add([.secret: .text("p1"), .label: .text("l2"), .comment: .text("c")])
    try a.delete()
    try a.add(secret("p4"))
    #expect(a.item.visible.keys.sorted() == [.creationDate, .secret].sorted())
    #expect(a.item.visible[.secret] == .text("p4"))
  }

  @Test func `Attributes removed by an add stay removed against a replica that still has them`() throws {
    var a = Replica(deviceA)
    try a.add([.secret: .text("p1"), .label: .text("l2")])
    var b = Replica(deviceB)
    b.receive(a.item)
    try b.set(secret("edited while apart"))
    try a.delete()
    try a.add(secret("p4"))
    var replicas = [a, b]
    #expect(exchange(&replicas))
    #expect(replicas[0].item.visible[.label] == nil)
    #expect(openSecrets(replicas[0].item).count == 2)
  }

  @Test func `An add after a purge starts from the floor and is no conflict with the purged item`() throws {
    var a = Replica(deviceA)
    try a.add([.secret: .text("p1"), .label: .text("l2")])
    try a.delete()
    let tombstone = a.item
    // B has purged: the tombstone is gone there and its vector is in the floor.
    var b = Replica(deviceB)
    b.floor = tombstone.vector
    try b.add(secret("p4"))
    #expect(b.item.vector.dominatesOrEquals(tombstone.vector))
    #expect(b.item.merging(tombstone) == b.item)
    #expect(b.item.conflicts.isEmpty)
    #expect(b.item.visible[.label] == nil)
  }

  @Test func `A superseded value of a device whose clock is behind is still the newest in history`() throws {
    var a = Replica(deviceA, clock: 1_000_000)
    try a.add(secret("p1"))
    for number in 2...12 { try a.set(secret("p\(number)")) }
    var b = Replica(deviceB, clock: 100)
    b.receive(a.item)
    try b.set(secret("q1"))
    try b.set(secret("q2"))
    #expect(b.item.history.count == 10)
    #expect(b.item.history.last?.value == .text("q1"))
    #expect(b.item.visible[.secret] == .text("q2"))
    #expect(b.item.merging(a.item) == b.item)
  }

  @Test func `An edit wins over a concurrent delete and brings the whole item back`() throws {
    var a = Replica(deviceA)
    try a.add([.secret: .text("p1"), .label: .text("l1")])
    var b = Replica(deviceB)
    b.receive(a.item)
    try a.delete()
    try b.set([.label: .text("l2")])
    var replicas = [a, b]
    #expect(exchange(&replicas))
    #expect(replicas[0].item.visible[.secret] == .text("p1"))
    #expect(replicas[0].item.visible[.label] == .text("l2"))
    // A delete that has seen the edit deletes it.
    try replicas[0].delete()
    #expect(exchange(&replicas))
    #expect(replicas[1].item.isDeleted)
  }

  @Test func `A conflict closes by an ordinary write of that attribute alone`() throws {
    var a = Replica(deviceA)
    try a.add([.secret: .text("p0"), .label: .text("l0")])
    var b = Replica(deviceB, clock: 50)
    b.receive(a.item)
    try a.set([.secret: .text("pA"), .label: .text("lA")])
    try b.set([.secret: .text("pB"), .label: .text("lB")])
    var replicas = [a, b]
    #expect(exchange(&replicas))
    #expect(replicas[0].item.conflicts.keys.sorted() == [.label, .secret].sorted())
    try replicas[1].set(secret("chosen"))
    #expect(exchange(&replicas))
    #expect(Array(replicas[0].item.conflicts.keys) == [.label])
    #expect(openSecrets(replicas[0].item) == [.text("chosen")])
    #expect(replicas[0].item.history.map(\.value) == [.text("p0"), .text("pA"), .text("pB")])
  }

  @Test func `A copied store that wrote with the same counters loses no secret`() throws {
    var a = Replica(deviceA)
    try a.add([.secret: .text("p0"), .label: .text("l0")])
    var copy = a
    try a.set(secret("on the original"))
    try copy.set([.label: .text("on the copy")])
    #expect(a.item.vector == copy.item.vector)
    let merged = a.item.merging(copy.item)
    #expect(merged == copy.item.merging(a.item))
    #expect(Set(openSecrets(merged)) == [.text("on the original"), .text("p0")])
    #expect(merged.visible[.label] == .text("on the copy"))
    #expect(merged.merging(a.item) == merged)
    #expect(merged.merging(copy.item) == merged)
    try merged.check()
  }

  @Test func `Of two secrets under one dot one stays open and the other is in the history`() throws {
    var a = Replica(deviceA)
    try a.add(secret("p0"))
    var copy = a
    try a.set(secret("on the original"))
    copy.clock += 7
    try copy.set(secret("on the copy"))
    let merged = a.item.merging(copy.item)
    #expect(merged == copy.item.merging(a.item))
    #expect(openSecrets(merged) == [.text("on the copy")])
    #expect(merged.history.map(\.value) == [.text("p0"), .text("on the original")])
    #expect(merged.merging(a.item) == merged)
    #expect(merged.merging(copy.item) == merged)
    try merged.check()
  }

  @Test func `Writes under one dot that meet inside concurrent states do not both fall out`() throws {
    var a = Replica(deviceA)
    try a.add(secret("p0"))
    var copy = a
    try a.set(secret("on the original"))
    try copy.set(secret("on the copy"))
    var (b, c) = (Replica(deviceB), Replica(deviceC))
    b.receive(a.item)
    c.receive(copy.item)
    try b.set([.label: .text("b")])
    try c.set([.label: .text("c")])
    let merged = b.item.merging(c.item)
    #expect(merged == c.item.merging(b.item))
    #expect(openSecrets(merged).count == 1)
    #expect(Set(openSecrets(merged) + merged.history.map(\.value)).count == 3)
    try merged.check()
  }

  @Test func `A history never holds two writes of one dot`() throws {
    var a = Replica(deviceA)
    try a.add(secret("p0"))
    var copy = a
    for text in ["a1", "a2"] { try a.set(secret(text)) }
    for text in ["c1", "c2"] { try copy.set(secret(text)) }
    let merged = a.item.merging(copy.item)
    #expect(merged == copy.item.merging(a.item))
    #expect(merged.merging(a.item) == merged)
    try merged.check()
  }
}
