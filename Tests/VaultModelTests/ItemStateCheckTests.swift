import Testing
import VaultModel

/// States that no honest device makes: a reader quarantines their records.
@Suite struct ItemStateCheckTests {
  func write(_ device: DeviceID, _ counter: UInt64, _ value: AttributeValue = .number(1), time: UInt64 = 1) -> Write {
    Write(value: value, dot: dot(device, counter), time: time)
  }

  func state(
    _ vector: VersionVector, _ registers: [AttributeName: [Write]] = [:], context: VersionVector = .init(),
    history: [Write] = []
  ) -> ItemState {
    ItemState(
      itemClass: .genericPassword, vector: vector, registers: registers.compactMapValues { Register($0) },
      deleteContext: context, history: history)
  }

  @Test func `Writes and contexts outside the vector are refused`() {
    let seen = vector([deviceA: 5])
    #expect(throws: Never.self) { try state(seen, [.label: [write(deviceA, 5)]], context: seen).check() }
    #expect(throws: ModelError.outsideVector) { try state(seen, [.label: [write(deviceA, 6)]]).check() }
    #expect(throws: ModelError.outsideVector) { try state(seen, [.label: [write(deviceB, 1)]]).check() }
    #expect(throws: ModelError.outsideVector) { try state(seen, context: vector([deviceA: 6])).check() }
    #expect(throws: ModelError.outsideVector) { try state(seen, history: [write(deviceB, 1)]).check() }
  }

  @Test func `A dot twice in one register is refused`() {
    let twins = [write(deviceA, 1, .number(1)), write(deviceA, 1, .number(2))]
    #expect(throws: ModelError.dotRepeated) { try state(vector([deviceA: 1]), [.label: twins]).check() }
  }

  @Test func `Too much of anything is refused`() throws {
    let seen = vector([deviceA: 50])
    var many: [AttributeName: [Write]] = [:]
    for number in 0..<128 { many[try #require(AttributeName("x\(number)"))] = [write(deviceA, 1)] }
    many[.secret] = [write(deviceA, 1)]
    #expect(throws: Never.self) { try state(seen, many).check() }
    many[.label] = [write(deviceA, 1)]
    #expect(throws: ModelError.tooManyAttributes) { try state(seen, many).check() }
    let large = AttributeValue.bytes([UInt8](repeating: 0, count: Limits.secretBytes + 1))
    #expect(throws: ModelError.secretTooLarge) { try state(seen, [.secretExtra3: [write(deviceA, 1, large)]]).check() }
  }

  @Test func `A history out of order, too long, too large or still open is refused`() {
    let seen = vector([deviceA: 50])
    let eleven = (1...11).map { write(deviceA, $0, .number(1), time: $0) }
    #expect(throws: Never.self) { try state(seen, history: Array(eleven.prefix(10))).check() }
    let large = AttributeValue.bytes([UInt8](repeating: 0, count: Limits.historyValueBytes + 1))
    let refused: [[Write]] = [
      eleven, [eleven[1], eleven[0]], [eleven[0], eleven[0]], [write(deviceA, 1, large)], [write(deviceA, 1, .absent)],
    ]
    for history in refused {
      #expect(throws: ModelError.historyInvalid) { try state(seen, history: history).check() }
    }
    #expect(throws: ModelError.historyInvalid) {
      try state(seen, [.secret: [eleven[0]]], history: [eleven[0]]).check()
    }
  }

  @Test func `Registers sort their writes and are never empty`() {
    let writes = [write(deviceB, 1, time: 2), write(deviceA, 9, time: 2), write(deviceC, 1, time: 1)]
    let register = Register(writes + writes)
    #expect(register?.writes == [writes[2], writes[1], writes[0]])
    #expect(register?.shown == writes[0])
    #expect(register?.distinct == [writes[0]])
    #expect(Register([]) == nil)
  }
}
