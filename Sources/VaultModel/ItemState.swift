/// Everything that one slot of a vault knows about its item (Docs/Sync.md). A value: merging and writing make new ones.
public struct ItemState: Hashable, Sendable {
  /// The class; part of the primary key, so all states of one slot have the same.
  public let itemClass: ItemClass
  /// Every write that this state has seen.
  public let vector: VersionVector
  /// The open writes by attribute. A tombstone keeps its registers until it is purged.
  public let registers: [AttributeName: Register]
  /// What the newest delete had seen, its own dot included; empty if the item was never deleted.
  public let deleteContext: VersionVector
  /// Superseded values of the secret, in ascending order: the newest `Limits.historyEntries` of those that are not larger
  /// than `Limits.historyValueBytes`.
  ///
  /// Both bounds are chosen so that merging stays associative: the greatest ten of a union can be found from the greatest
  /// ten of its parts, and whether a value is too large depends on nothing but itself. A bound on the sum of the sizes
  /// would depend on values that another device has already dropped.
  public let history: [Write]

  /// The state of a slot that never held anything.
  public init(itemClass: ItemClass) {
    self.init(itemClass: itemClass, vector: .init(), registers: [:], deleteContext: .init(), history: [])
  }

  /// A state that was stored or received. Call `check()` before it is used.
  public init(
    itemClass: ItemClass, vector: VersionVector, registers: [AttributeName: Register], deleteContext: VersionVector,
    history: [Write]
  ) {
    self.itemClass = itemClass
    self.vector = vector
    self.registers = registers
    self.deleteContext = deleteContext
    self.history = history
  }

  /// Refuses what no honest device writes: such a state would break the laws of merging for every other device.
  public func check() throws(ModelError) {
    if vector.entries.count > Limits.vectorEntries { throw .vectorTooLong }
    if registers.keys.count(where: { !$0.isSecret }) > Limits.attributes { throw .tooManyAttributes }
    if !vector.dominatesOrEquals(deleteContext) { throw .outsideVector }
    for (name, register) in registers {
      var dots: Set<Dot> = []
      for write in register.writes {
        if !vector.contains(write.dot) { throw .outsideVector }
        if !dots.insert(write.dot).inserted { throw .dotRepeated }
        if name.isSecret, write.value.byteCount > Limits.secretBytes { throw .secretTooLarge }
      }
    }
    try checkHistory()
  }

  private func checkHistory() throws(ModelError) {
    if history != Self.boundedHistory(history, open: registers[.secret]) { throw .historyInvalid }
    for write in history where !vector.contains(write.dot) { throw .outsideVector }
  }

  /// The writes of `superseded` that a history keeps beside these open writes of the secret.
  static func boundedHistory(_ superseded: [Write], open: Register?) -> [Write] {
    if superseded.isEmpty { return [] }
    let kept = superseded.filter { write in
      write.value != .absent && write.value.byteCount <= Limits.historyValueBytes
        && !(open?.writes.contains(write) ?? false)
    }
    return Array(Write.canonical(kept).greatestOfEachDot.suffix(Limits.historyEntries))
  }
}
