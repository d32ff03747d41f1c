extension ItemState {
  /// What a device knows that has received both states (Docs/Sync.md, "Merge").
  ///
  /// Pure, commutative, associative, idempotent; needs no common ancestor, makes no dot, reads no clock, and prunes
  /// nothing but history. Equal vectors mean equal items: what a state holds follows from the set of writes that it has
  /// seen, and the vector names that set.
  public func merging(_ other: ItemState) -> ItemState {
    switch vector.compared(to: other.vector) {
    case .dominating: self
    case .dominated: other
    case .equal: self == other ? self : joining(other, keepingAll: true)
    case .concurrent: joining(other, keepingAll: false)
    }
  }

  /// The join of two states of which neither dominates. A write stays open if both sides hold it, or if one holds it and
  /// its dot lies outside the other's vector: what the other one has seen and holds no more, it has superseded.
  ///
  /// The rest is for what no honest run reaches but a store that was copied and went on writing with the same counters
  /// does. With equal vectors and unequal contents (`keepingAll`) each vector covers the other's writes, and all of them
  /// would fall out: so all stay, and a person sees a conflict. Of two writes that claim one dot the greater stays, since
  /// a register holds no dot twice; the other one, if it is a secret, is in the history.
  private func joining(_ other: ItemState, keepingAll: Bool) -> ItemState {
    var registers = self.registers
    var superseded = history + other.history
    for name in Set(registers.keys).union(other.registers.keys) {
      let ours = self.registers[name]?.writes ?? []
      let theirs = other.registers[name]?.writes ?? []
      if ours == theirs { continue }
      let kept =
        ours.filter { keepingAll || !other.vector.contains($0.dot) || theirs.holds($0.dot) }
        + theirs.filter { keepingAll || !vector.contains($0.dot) || ours.holds($0.dot) }
      registers[name] = Register(kept.greatestOfEachDot)
      if name == .secret { superseded += ours + theirs }
    }
    return ItemState(
      itemClass: itemClass.rawValue <= other.itemClass.rawValue ? itemClass : other.itemClass,
      vector: vector.joined(with: other.vector), registers: registers,
      deleteContext: deleteContext.joined(with: other.deleteContext),
      history: Self.boundedHistory(superseded, open: registers[.secret]))
  }
}
