import VaultModel

/// The device whose 32 bytes are all `number`.
// swift-format-ignore: NeverForceUnwrap
func device(_ number: UInt8) -> DeviceID { DeviceID([UInt8](repeating: number, count: 32))! }

let deviceA = device(0xa)
let deviceB = device(0xb)
let deviceC = device(0xc)

func dot(_ device: DeviceID, _ counter: UInt64) -> Dot { Dot(device: device, counter: counter) }

// swift-format-ignore: NeverForceUnwrap
func vector(_ entries: [DeviceID: UInt64]) -> VersionVector {
  VersionVector(entries.sorted { $0.key < $1.key }.map { .init(device: $0.key, counter: $0.value) })!
}

/// A device that writes, for tests that read like a story: it holds one item, a counter and a clock.
struct Replica {
  let id: DeviceID
  var clock: UInt64
  var item = ItemState(itemClass: .genericPassword)
  var counter: UInt64 = 0
  var floor = VersionVector()

  init(_ id: DeviceID, clock: UInt64 = 100) {
    self.id = id
    self.clock = clock
  }

  private mutating func nextDot() -> Dot {
    counter += 1
    clock += 1
    return dot(id, counter)
  }

  mutating func add(_ values: [AttributeName: AttributeValue]) throws {
    item = try item.adding(values, dot: nextDot(), clock: clock, floor: floor)
  }

  mutating func set(_ values: [AttributeName: AttributeValue]) throws {
    item = try item.setting(values, dot: nextDot(), clock: clock)
  }

  mutating func delete() throws { item = try item.deleting(nextDot()) }

  mutating func receive(_ other: ItemState) { item = item.merging(other) }
}

/// Lets every replica see every other one's item, and says whether all then hold the same.
func exchange(_ replicas: inout [Replica]) -> Bool {
  let items = replicas.map(\.item)
  for index in replicas.indices { for item in items { replicas[index].receive(item) } }
  return replicas.allSatisfy { $0.item == replicas[0].item }
}
