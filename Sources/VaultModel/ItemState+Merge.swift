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

  /// The join of two states of which neither dominates.
  ///
  /// `keepingAll` is for equal vectors with unequal contents, which no honest run reaches; a store that was copied and went
  /// on writing with the same counters does. By the rule for concurrent states, writes of both sides would fall out, since
  /// each vector covers the other's dots. So all stay open, and a person sees a conflict. Of two writes that claim one dot
  /// the greater stays, since a register holds no dot twice; the other one, if it is a secret, is in the history.
  private func joining(_ other: ItemState, keepingAll: Bool) -> ItemState {
    var registers = self.registers
    var superseded = history + other.history
    for (name, theirs) in other.registers where registers[name] == nil {
      registers[name] = Register(theirs.writes.filter { keepingAll || !vector.contains($0.dot) })
      if name == .secret { superseded += theirs.writes }
    }
    for (name, ours) in self.registers {
      let theirs = other.registers[name]
      if ours == theirs { continue }
      let theirWrites = theirs?.writes ?? []
      var kept = ours.writes.filter {
        keepingAll || theirWrites.contains($0) || !other.vector.contains($0.dot)
      }
      for write in theirWrites where keepingAll || !vector.contains(write.dot) { kept.append(write) }
      registers[name] = Register(keepingAll ? Self.greatestOfEachDot(kept) : kept)
      if name == .secret { superseded += ours.writes + theirWrites }
    }
    return ItemState(
      itemClass: itemClass.rawValue <= other.itemClass.rawValue ? itemClass : other.itemClass,
      vector: vector.joined(with: other.vector), registers: registers,
      deleteContext: deleteContext.joined(with: other.deleteContext),
      history: Self.boundedHistory(superseded, open: registers[.secret]))
  }

  private static func greatestOfEachDot(_ writes: [Write]) -> [Write] {
    writes.filter { write in !writes.contains { $0.dot == write.dot && write.precedes($0) } }
  }
}
