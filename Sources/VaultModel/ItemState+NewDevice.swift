extension ItemState {
  /// The item after this device's unpushed writes were moved to another dot each (Docs/Sync.md, "A new device id"): a
  /// store that turned out to be a restored backup or a copy takes a new id, so that its dots and those that its twin has
  /// pushed stay apart. Values and times stay as they are.
  ///
  /// `counters` maps each unpushed counter of `old` in this item to its counter under `new`; the same numbers will do for a
  /// new id. `stored` is the greatest counter of `old` in this item that is not among them, 0 if there is none.
  public func movingWrites(
    from old: DeviceID, to new: DeviceID, counters: [UInt64: UInt64], stored: UInt64
  ) -> ItemState {
    func moved(_ writes: [Write]) -> [Write] {
      writes.map { write in
        guard write.dot.device == old, let counter = counters[write.dot.counter] else { return write }
        return Write(value: write.value, dot: Dot(device: new, counter: counter), time: write.time)
      }
    }
    func moved(_ vector: VersionVector) -> VersionVector {
      let seen = vector[old]
      let reached = counters.lazy.filter { $0.key <= seen }.map(\.value).max()
      guard let reached else { return vector }
      return vector.setting(old, to: min(seen, stored)).advanced(to: Dot(device: new, counter: reached))
    }
    return ItemState(
      itemClass: itemClass, vector: moved(vector),
      registers: registers.compactMapValues { Register(moved($0.writes)) }, deleteContext: moved(deleteContext),
      history: Write.canonical(moved(history)))
  }
}
