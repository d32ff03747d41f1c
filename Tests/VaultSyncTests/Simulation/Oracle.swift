import VaultModel

/// What the items must be in the end, told from the acknowledged writes alone: no merging, no vectors joined but those of deletes.
struct Oracle {
  /// One acknowledged local write.
  private struct Note {
    let dot: Dot
    /// What its author had seen of the item before.
    let context: VersionVector
    let values: [AttributeName: AttributeValue]
    let isDelete: Bool
  }

  private var notes: [String: [Note]] = [:]

  /// The write that led from `before` to `after`.
  mutating func note(_ account: String, by device: DeviceID, before: ItemState?, after: ItemState) {
    let dot = Dot(device: device, counter: after.vector[device])
    var values: [AttributeName: AttributeValue] = [:]
    for (name, register) in after.registers {
      for write in register.writes where write.dot == dot { values[name] = write.value }
    }
    notes[account, default: []].append(
      Note(dot: dot, context: before?.vector ?? VersionVector(), values: values, isDelete: values.isEmpty))
  }

  var accounts: [String] { notes.keys.sorted() }
  var writeCount: Int { notes.values.reduce(0) { $0 + $1.count } }

  /// The writes of an attribute that nobody who wrote it later had seen.
  private func open(_ account: String, _ name: AttributeName) -> [Dot: AttributeValue] {
    let writes = (notes[account] ?? []).compactMap { note in note.values[name].map { (note, $0) } }
    var open: [Dot: AttributeValue] = [:]
    for (note, value) in writes where !writes.contains(where: { $0.0.context.contains(note.dot) }) {
      open[note.dot] = value
    }
    return open
  }

  /// What is wrong with `item`; nil if it is what the writes say.
  func fault(_ account: String, _ item: ItemState?) -> String? {
    guard let item else { return "\(account) is missing" }
    let all = notes[account] ?? []
    for note in all where !item.vector.contains(note.dot) {
      return "\(account) lost a write of \(note.isDelete ? "delete" : note.values.keys.map(\.text).joined())"
    }
    for name in Set(all.flatMap(\.values.keys)) {
      let expected = open(account, name)
      let found = Dictionary(uniqueKeysWithValues: (item.registers[name]?.writes ?? []).map { ($0.dot, $0.value) })
      if expected != found { return "\(account): \(name.text) has \(found.count) open writes, not \(expected.count)" }
    }
    var deletes = VersionVector()
    for note in all where note.isDelete {
      deletes = deletes.joined(with: note.context.advanced(to: note.dot))
    }
    let names = Set(all.flatMap(\.values.keys))
    let isDeleted = names.allSatisfy { name in open(account, name).keys.allSatisfy { deletes.contains($0) } }
    return isDeleted == item.isDeleted ? nil : "\(account) is \(item.isDeleted ? "deleted" : "live") and should not be"
  }
}
