internal import SealedRecords
internal import VaultCrypto
public import VaultModel
public import VaultStore

/// Writes of this device. Each is one transaction: item, dot, dirty mark and the note that the relay has not acknowledged the
/// dot become durable together, before the caller hears of success.
extension OpenVault {
  /// Adds an item, or with `replace` writes over a live one with this primary key.
  ///
  /// A vault's item and a device-only item with the same primary key are twins and both count: the caller decides.
  @discardableResult
  public func add(
    _ itemClass: ItemClass, _ values: [AttributeName: AttributeValue], scope: ItemScope, replace: Bool, clock: UInt64
  ) throws -> ItemRow {
    let accessibility = try check(values, scope)
    let slot = try slot(PrimaryKey(itemClass: itemClass, attributes: values), scope, accessibility)
    // Encryption comes before the uniqueness check: while locked, a duplicate answers "locked" (keychain.md §2.3).
    guard sealingKey(newestKeyID(scope, accessibility)) != nil else { throw VaultError.locked }
    if scope == .vault, try store.hasWaiting(vault: id, slot: slot) { throw VaultError.locked }
    return try store.transaction {
      let existing = try store.item(vault: id, scope: scope, slot: slot)
      let current = try existing.map { row throws(VaultError) in try open(row) } ?? ItemState(itemClass: itemClass)
      let dot = try takeDot(slot, scope, clock: clock)
      let written: ItemState
      if current.isDeleted {
        written = try modelled { () throws(ModelError) in
          try current.adding(values, dot: dot, clock: clock, floor: VersionVector())
        }
      } else if replace {
        var changes = values
        changes[.creationDate] = nil
        written = try modelled { () throws(ModelError) in try current.setting(changes, dot: dot, clock: clock) }
      } else {
        throw VaultError.duplicate
      }
      return try seal(written, scope: scope, slot: slot, replacing: existing, isDirty: scope == .vault)
    }
  }

  /// Changes attributes of a live item whose primary key stays.
  @discardableResult
  public func edit(_ item: ItemRow, _ changes: [AttributeName: AttributeValue], clock: UInt64) throws -> ItemRow {
    if item.scope == .vault { try checkWriter() }
    return try store.transaction {
      try checkNothingWaits(item)
      let current = try open(item)
      let accessibility = try check(changes.merging(current.visible) { change, _ in change }, item.scope)
      guard sealingKey(newestKeyID(item.scope, accessibility)) != nil else { throw VaultError.locked }
      let dot = try takeDot(item.slot, item.scope, clock: clock)
      let written = try modelled { () throws(ModelError) in try current.setting(changes, dot: dot, clock: clock) }
      // A device-only item's slot and tags hang on the index key of its class: a change between D and the others moves it.
      let slot = try slot(written.primaryKey, item.scope, accessibility)
      if slot != item.slot {
        guard try store.item(vault: id, scope: item.scope, slot: slot) == nil else { throw VaultError.duplicate }
        // It is the same item: whoever kept a reference to it finds it in its new place.
        try store.removeDeviceItem(item.id)
        return try seal(
          written, scope: item.scope, slot: slot, replacing: nil, isDirty: false, reference: item.persistentReference)
      }
      return try seal(written, scope: item.scope, slot: slot, replacing: item, isDirty: item.scope == .vault)
    }
  }

  /// Deletes a live item: one of the vault leaves a tombstone, one of this device is gone.
  public func remove(_ item: ItemRow, clock: UInt64) throws {
    if item.scope == .device {
      try store.transaction { try store.removeDeviceItem(item.id) }
      return
    }
    try checkWriter()
    try store.transaction {
      try checkNothingWaits(item)
      let current = try open(item)
      let dot = try takeDot(item.slot, .vault, clock: clock)
      let tombstone = try modelled { () throws(ModelError) in try current.deleting(dot) }
      try seal(tombstone, scope: .vault, slot: item.slot, replacing: item, isDirty: true)
    }
  }

  /// The next dot of this device. The counter is stored in the transaction of the write that takes it, so it never goes back.
  private func takeDot(_ slot: SlotID, _ scope: ItemScope, clock: UInt64) throws -> Dot {
    guard
      let counter = CounterClock.nextCounter(
        previous: row.counter, milliseconds: clock, random: Randomness.number(below: 1 << 20))
    else { throw VaultError.invalid("this device's write counter is used up") }
    try store.setCounter(counter, vault: id)
    row.counter = counter
    if scope == .vault { try store.insertUnstored(counter: counter, vault: id, slot: slot) }
    return Dot(device: row.deviceID, counter: counter)
  }

  /// A record that waits for unlock may have changed the item: nobody can say what it is now.
  private func checkNothingWaits(_ item: ItemRow) throws {
    if item.scope == .vault, try store.hasWaiting(vault: id, slot: item.slot) { throw VaultError.locked }
  }

  private func checkWriter() throws(VaultError) {
    guard mayWrite else { throw .readerOnly }
  }

  /// The accessibility of the resulting item; refuses what may not be together.
  private func check(
    _ values: [AttributeName: AttributeValue], _ scope: ItemScope
  ) throws(VaultError) -> Accessibility {
    var accessibility = Accessibility.whenUnlocked
    if let value = values[.accessible], value != .absent {
      guard case .text(let code) = value, let known = Accessibility(rawValue: code) else {
        throw .invalid("the accessibility is not one of the seven classes")
      }
      accessibility = known
    }
    if scope == .vault {
      if accessibility.isThisDeviceOnly {
        throw .invalid("an item of this accessibility stays on this device: it cannot be synchronizable")
      }
      try checkWriter()
    }
    if accessibility.protection == .passcode, classKeys[.passcodeSet] == nil {
      throw classKeys.isUnlocked ? .passphraseNeeded : .locked
    }
    return accessibility
  }

  private func modelled(_ body: () throws(ModelError) -> ItemState) throws(VaultError) -> ItemState {
    do {
      return try body()
    } catch {
      switch error {
      case .secretTooLarge: throw .invalid("the secret is larger than 1 MiB")
      case .attributeTooLarge: throw .invalid("an attribute is too large")
      case .tooManyAttributes: throw .invalid("the item has too many attributes")
      case .primaryKeyChanged: throw .invalid("the change would make it another item")
      case .itemExists: throw .duplicate
      case .itemIsDeleted: throw .notFound
      default: throw .invalid("the item breaks a limit of the format")
      }
    }
  }
}
