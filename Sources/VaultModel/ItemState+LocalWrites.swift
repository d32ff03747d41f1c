/// Writes of this device: each takes a fresh dot and supersedes every open write of the attributes that it sets. A change
/// of the primary key is refused: it is a delete in the old slot and an add in the new one.
extension ItemState {
  /// The item added to a slot that holds none or a deleted one.
  ///
  /// Every attribute of an earlier life that `values` does not set becomes absent, so that the new item is what was added
  /// and nothing else. An empty slot starts from `floor`, the join of the vectors of all purged tombstones: so the add is
  /// no concurrent version of an item that was deleted and purged. Unless `values` says otherwise, the creation date is
  /// the time of this write.
  public func adding(
    _ values: [AttributeName: AttributeValue], dot: Dot, clock: UInt64, floor: VersionVector
  ) throws(ModelError) -> ItemState {
    guard isDeleted else { throw .itemExists }
    var values = values
    for name in registers.keys where values[name] == nil { values[name] = .absent }
    if values[.creationDate] ?? .absent == .absent {
      values[.creationDate] = .date(milliseconds: Int64(clamping: writeTime(clock)))
    }
    return try writing(values, dot: dot, clock: clock, onto: vector.isEmpty ? floor : vector)
  }

  /// The item with some attributes changed; a value of `absent` removes one, and closing a conflict is an ordinary change
  /// of that attribute. With no values at all only the modification time advances, as the Keychain does it.
  public func setting(
    _ values: [AttributeName: AttributeValue], dot: Dot, clock: UInt64
  ) throws(ModelError) -> ItemState {
    guard !isDeleted else { throw .itemIsDeleted }
    var values = values
    if values.isEmpty { values[.creationDate] = registers[.creationDate]?.shown.value ?? .absent }
    return try writing(values, dot: dot, clock: clock, onto: vector)
  }

  /// The item deleted: a tombstone that has seen everything seen here. Registers and history stay, so that a concurrent
  /// edit brings the whole item back.
  public func deleting(_ dot: Dot) throws(ModelError) -> ItemState {
    guard !isDeleted else { throw .itemIsDeleted }
    let vector = try vectorAfter(dot, self.vector)
    return ItemState(
      itemClass: itemClass, vector: vector, registers: registers, deleteContext: vector, history: history)
  }

  private func writing(
    _ values: [AttributeName: AttributeValue], dot: Dot, clock: UInt64, onto seen: VersionVector
  ) throws(ModelError) -> ItemState {
    let time = writeTime(clock)
    var registers = self.registers
    var superseded = history
    for (name, value) in values {
      if name.isSecret {
        if value.byteCount > Limits.secretBytes { throw .secretTooLarge }
      } else if value.byteCount > Limits.attributeBytes {
        throw .attributeTooLarge
      }
      if name == .secret { superseded += registers[name]?.writes ?? [] }
      registers[name] = Register(Write(value: value, dot: dot, time: time))
    }
    if registers.keys.count(where: { !$0.isSecret }) > Limits.attributes { throw .tooManyAttributes }
    let written = ItemState(
      itemClass: itemClass, vector: try vectorAfter(dot, seen), registers: registers, deleteContext: deleteContext,
      history: Self.boundedHistory(superseded, open: registers[.secret]))
    guard self.registers.isEmpty || written.primaryKey == primaryKey else { throw .primaryKeyChanged }
    return written
  }

  private func vectorAfter(_ dot: Dot, _ seen: VersionVector) throws(ModelError) -> VersionVector {
    guard !seen.contains(dot) else { throw .dotAlreadySeen }
    let vector = seen.advanced(to: dot)
    guard vector.entries.count <= Limits.vectorEntries else { throw .vectorTooLong }
    return vector
  }

  /// max(clock, 1 + greatest time in this item), so that a write is greater than all that it supersedes even if this
  /// device's clock is behind. Times of other items do not matter: one wrong clock must not spread through the vault.
  private func writeTime(_ clock: UInt64) -> UInt64 {
    var greatest: UInt64 = history.last?.time ?? 0
    for register in registers.values { greatest = max(greatest, register.shown.time) }
    return max(clock, greatest == .max ? greatest : greatest + 1)
  }
}
