import Testing
import VaultModel

@Suite struct VersionVectorTests {
  @Test func `The empty vector has seen nothing and is dominated by all`() {
    let empty = VersionVector()
    #expect(empty.isEmpty)
    #expect(empty[deviceA] == 0)
    #expect(!empty.contains(dot(deviceA, 1)))
    #expect(empty.compared(to: empty) == .equal)
    #expect(empty.compared(to: vector([deviceA: 1])) == .dominated)
    #expect(vector([deviceA: 1]).dominatesOrEquals(empty))
    #expect(empty.joined(with: vector([deviceA: 1])) == vector([deviceA: 1]))
  }

  @Test func `Entries must ascend and count from one`() {
    func entries(_ list: [(DeviceID, UInt64)]) -> [VersionVector.Entry] {
      list.map { VersionVector.Entry(device: $0.0, counter: $0.1) }
    }
    #expect(VersionVector(entries([])) == VersionVector())
    #expect(VersionVector(entries([(deviceA, 1), (deviceB, .max)])) != nil)
    #expect(VersionVector(entries([(deviceA, 0)])) == nil)
    #expect(VersionVector(entries([(deviceB, 1), (deviceA, 1)])) == nil)
    #expect(VersionVector(entries([(deviceA, 1), (deviceA, 2)])) == nil)
  }

  @Test func `Advancing never goes back and keeps the order`() {
    var seen = VersionVector().advanced(to: dot(deviceC, 5)).advanced(to: dot(deviceA, 2)).advanced(to: dot(deviceB, 9))
    #expect(seen.entries.map(\.device) == [deviceA, deviceB, deviceC])
    seen = seen.advanced(to: dot(deviceC, 3)).advanced(to: dot(deviceA, 0)).advanced(to: dot(device(1), 0))
    #expect(seen == vector([deviceA: 2, deviceB: 9, deviceC: 5]))
  }

  @Test func `Comparing and joining agree with their definition`() {
    var random = SplitMix64(seed: 4)
    for _ in 0..<3_000 {
      var maps: [[DeviceID: UInt64]] = [[:], [:]]
      for side in 0..<2 {
        for number in 0..<random.below(5) { maps[side][device(UInt8(number))] = UInt64(random.below(3)) }
      }
      maps = maps.map { $0.filter { $0.value > 0 } }
      let (left, right) = (vector(maps[0]), vector(maps[1]))
      let covers = maps[1].allSatisfy { maps[0][$0.key, default: 0] >= $0.value }
      let isCovered = maps[0].allSatisfy { maps[1][$0.key, default: 0] >= $0.value }
      let expected: VersionVector.Comparison =
        covers ? (isCovered ? .equal : .dominating) : (isCovered ? .dominated : .concurrent)
      #expect(left.compared(to: right) == expected)
      #expect(left.dominatesOrEquals(right) == covers)
      #expect(left.joined(with: right) == vector(maps[0].merging(maps[1]) { max($0, $1) }))
      for number in UInt8(0)..<6 { #expect(left[device(number)] == maps[0][device(number), default: 0]) }
    }
  }
}
