/// What a person or a program is shown of an item.
extension ItemState {
  /// Whether the item is deleted, or the slot never held one: all open writes lie inside the delete context. Any open
  /// write outside makes the whole item live: the edit wins.
  public var isDeleted: Bool {
    for register in registers.values {
      for write in register.writes where !deleteContext.contains(write.dot) { return false }
    }
    return true
  }

  /// The attributes and their values; empty if the item is deleted.
  public var visible: [AttributeName: AttributeValue] {
    if isDeleted { return [:] }
    return registers.compactMapValues { $0.shown.value == .absent ? nil : $0.shown.value }
  }

  /// The attributes with two or more distinct open values, each with one write for each value, the shown one first.
  /// Creation dates are never listed: nobody could choose between them, and the greatest does.
  public var conflicts: [AttributeName: [Write]] {
    if isDeleted { return [:] }
    var conflicts: [AttributeName: [Write]] = [:]
    for (name, register) in registers where register.writes.count > 1 && name != .creationDate {
      let distinct = register.distinct
      if distinct.count > 1 { conflicts[name] = distinct }
    }
    return conflicts
  }

  /// The greatest time of any open write, 0 if there is none.
  public var modificationTime: UInt64 {
    var greatest: UInt64 = 0
    for register in registers.values { greatest = max(greatest, register.shown.time) }
    return greatest
  }

  /// The strictest open value of the accessibility, deleted or not: it chooses the sealing key, so that no device opens
  /// under a laxer class what another one meant to be strict. A value that this version does not know counts as
  /// `whenUnlocked`, and so does none, the Keychain's default.
  public var strictestAccessibility: Accessibility {
    var strictest: Accessibility?
    for write in registers[.accessible]?.writes ?? [] where write.value != .absent {
      var value = Accessibility.whenUnlocked
      if case .text(let code) = write.value, let known = Accessibility(rawValue: code) { value = known }
      if value.strictness > strictest?.strictness ?? -1 { strictest = value }
    }
    return strictest ?? .whenUnlocked
  }

  /// The primary key, deleted or not.
  public var primaryKey: PrimaryKey {
    PrimaryKey(itemClass: itemClass) { registers[$0]?.shown.value ?? .absent }
  }
}
