import CBOR
import Testing
import TextCoding
import VaultModel

@testable import SealedRecords

struct ItemCodingTests {
  private func roundTrip(_ item: ItemState) throws -> ItemState {
    let attributes = try ItemCoding.attributes(of: item)
    let secret = try ItemCoding.secret(of: item)
    let decoded = try ItemCoding.decodeItem(ItemCoding.decodeAttributes(attributes), secret: secret)
    #expect(try ItemCoding.attributes(of: decoded) == attributes)
    #expect(try ItemCoding.secret(of: decoded) == secret)
    return decoded
  }

  @Test("Every kind of value, conflict and history comes back, and gives the same bytes again")
  func roundTrips() throws {
    let contested = try contestedItem()
    #expect(contested.history.count == 2)
    #expect(contested.registers[.secret]?.writes.count == 2)
    let deleted = try contested.deleting(dot(device(3), 1))
    for item in [contested, deleted, try item(), ItemState(itemClass: .internetPassword)] {
      #expect(try roundTrip(item) == item)
    }
  }

  @Test("The attributes part alone tells what the whole item tells")
  func views() throws {
    let base = try item()
    // Deleted on one device while the other wrote the secret and nothing else: alive, and only the vector shows it.
    let revived = try base.deleting(dot(device(2), 1)).merging(
      base.setting([.secret: .bytes([7])], dot: dot(device(1), 2), clock: 0))
    let items = [
      base, try contestedItem(), try base.deleting(dot(device(2), 1)), revived,
      try revived.deleting(dot(device(1), 3)), ItemState(itemClass: .key),
    ]
    for item in items {
      let attributes = try ItemCoding.decodeAttributes(ItemCoding.attributes(of: item))
      #expect(attributes == ItemAttributes(of: item))
      #expect(attributes.itemClass == item.itemClass)
      #expect(attributes.vector == item.vector)
      #expect(attributes.deleteContext == item.deleteContext)
      #expect(attributes.isDeleted == item.isDeleted)
      #expect(attributes.modificationTime == item.modificationTime)
      #expect(attributes.primaryKey == item.primaryKey)
      #expect(attributes.strictestAccessibility == item.strictestAccessibility)
      #expect(attributes.visible == item.visible.filter { !$0.key.isSecret })
      #expect(attributes.conflicts == item.conflicts.filter { !$0.key.isSecret })
      #expect(attributes.registers.keys.allSatisfy { !$0.isSecret })
    }
    #expect(!revived.isDeleted)
    #expect(ItemAttributes(of: try contestedItem()).secretInConflict)
    #expect(!ItemAttributes(of: base).secretInConflict)
  }

  @Test("The bytes are those that the page describes")
  func knownBytes() throws {
    let device = device(0x11)
    func write(_ value: AttributeValue, _ time: UInt64) -> [Write] {
      [Write(value: value, dot: dot(device, 5), time: time)]
    }
    let item = ItemState(
      itemClass: .genericPassword, vector: vector([device: 5]),
      registers: [
        .account: Register(write(.text("a"), 3)), .secret: Register(write(.bytes([1]), 4)),
        name("z"): Register(write(.date(milliseconds: -2), 2)),
      ].compactMapValues { $0 },
      deleteContext: VersionVector(), history: [])
    let id = String(repeating: "11", count: 32)
    #expect(
      Hex.encode(try ItemCoding.attributes(of: item))
        // Map keys: the shorter first.
        == "860101" + "81825820\(id)05" + "80" + "a2" + "617a" + "8184" + "820021" + "000502" + "6461636374" + "8184"
        + "6161" + "000503" + "8204f4")
    #expect(
      Hex.encode(try ItemCoding.secret(of: item)) == "8301" + "a1" + "66765f44617461" + "8184" + "4101" + "000504"
        + "80")
  }

  @Test("Random items come back")
  func randomItems() throws {
    var generator = SystemRandomNumberGenerator()
    let names: [AttributeName] = [
      .account, .service, .label, .secret, .secretExtraN, .comment, name("a"), name("longer-than-eight"), name("\u{0}"),
    ]
    for _ in 0..<200 {
      var item = ItemState(itemClass: ItemClass.allCases.randomElement(using: &generator) ?? .key)
      var replicas = [item, item, item]
      var counter: UInt64 = 0
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let index = Int.random(in: 0..<3, using: &generator)
        counter += 1
        let write = dot(device(UInt8(index + 1)), counter)
        var values: [AttributeName: AttributeValue] = [:]
        for name in names where name != .account && name != .service && Bool.random(using: &generator) {
          values[name] = .bytes((0..<Int.random(in: 0...40, using: &generator)).map { UInt8($0) })
        }
        let replica = replicas[index]
        if replica.isDeleted {
          replicas[index] = try replica.adding(values, dot: write, clock: counter, floor: VersionVector())
        } else if Int.random(in: 0..<4, using: &generator) == 0 {
          replicas[index] = try replica.deleting(write)
        } else {
          values = values.filter { $0.key != .label || true }
          replicas[index] = try replica.setting(values, dot: write, clock: counter)
        }
        if Bool.random(using: &generator) {
          replicas[index] = replicas[index].merging(replicas[Int.random(in: 0..<3, using: &generator)])
        }
      }
      for replica in replicas {
        item = item.merging(replica)
        #expect(try roundTrip(replica) == replica)
        #expect(ItemAttributes(of: replica).isDeleted == replica.isDeleted)
      }
      #expect(try roundTrip(item) == item)
    }
  }
}
