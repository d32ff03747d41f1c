internal import AgentWire
internal import SealedRecords
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// Finds the items that a query means, and tells what cannot be read apart from what is not there.
struct ItemMatch {
  /// An item whose attributes match.
  struct Found {
    let row: ItemRow
    let attributes: ItemAttributes
    /// Both parts, where they were opened at once.
    let opened: ItemState?
  }

  /// The items that match.
  var found: [Found] = []
  /// How many more may match and cannot be read now.
  var lockedCount = 0

  /// With `withSecret`, an item that is named by its whole primary key is opened once, both parts together: it will match.
  init(_ query: ItemQuery, withSecret: Bool = false, in vault: OpenVault) throws {
    guard vault.classKeys.wasUnlocked else {
      try beforeFirstUnlock(query, vault)
      return
    }
    let waits = try vault.store.hasWaiting(vault: vault.id)
    if let key = Self.primaryKey(query) {
      try exact(query, key, vault, waits: waits, withSecret: withSecret)
    } else {
      try vault.forEachCandidate(query.itemClass, query.match) { row in
        // A record that waits for unlock may have changed it: nobody can say what it is now.
        if waits, row.scope == .vault, try vault.store.hasWaiting(vault: vault.id, slot: row.slot) { return }
        try consider(row, query, vault)
      }
      if waits, query.twins != .thisDeviceOnly { lockedCount += try vault.store.waitingSlots(vault: vault.id) }
    }
  }

  /// The access group of what the CLI and every program without entitlements adds.
  static let defaultAccessGroup = "lockstep"

  /// The primary key, if the query names all of it: one probe per twin answers, in a vault of any size.
  private static func primaryKey(_ query: ItemQuery) -> PrimaryKey? {
    guard let itemClass = query.itemClass else { return nil }
    var attributes = query.match
    if attributes[.accessGroup] == nil { attributes[.accessGroup] = .text(defaultAccessGroup) }
    guard PrimaryKey.attributes(of: itemClass).allSatisfy({ attributes[$0] != nil }) else { return nil }
    return PrimaryKey(itemClass: itemClass, attributes: attributes)
  }

  private mutating func exact(
    _ query: ItemQuery, _ key: PrimaryKey, _ vault: OpenVault, waits: Bool, withSecret: Bool
  ) throws {
    for (scope, slot) in try vault.slots(key) {
      if waits, scope == .vault, try vault.store.hasWaiting(vault: vault.id, slot: slot) {
        if query.twins != .thisDeviceOnly { lockedCount += 1 }
        continue
      }
      if let row = try vault.store.item(vault: vault.id, scope: scope, slot: slot), !row.isDeleted {
        try consider(row, query, vault, withSecret: withSecret)
      }
    }
  }

  /// Before the first unlock only class D can be searched; whatever else is here may match.
  private mutating func beforeFirstUnlock(_ query: ItemQuery, _ vault: OpenVault) throws {
    try vault.forEachLiveItem { row in
      guard Self.isMeant(row, query) else { return }
      if row.protection == .always { try consider(row, query, vault) } else { lockedCount += 1 }
    }
  }

  private static func isMeant(_ row: ItemRow, _ query: ItemQuery) -> Bool {
    if let itemClass = query.itemClass, itemClass != row.itemClass { return false }
    switch query.twins {
    case .any: return true
    case .synchronizable: return row.scope == .vault
    case .thisDeviceOnly: return row.scope == .device
    }
  }

  private mutating func consider(
    _ row: ItemRow, _ query: ItemQuery, _ vault: OpenVault, withSecret: Bool = false
  ) throws {
    guard Self.isMeant(row, query) else { return }
    do {
      let opened = withSecret ? try vault.open(row) : nil
      let attributes = try opened.map { ItemAttributes(of: $0) } ?? vault.openAttributes(row)
      guard Self.matches(attributes, query.match) else { return }
      found.append(Found(row: row, attributes: attributes, opened: opened))
    } catch VaultError.locked {
      lockedCount += 1
    }
  }

  /// Every attribute of `match` has that value; text and bytes are compared by their bytes (keychain.md §1.2).
  private static func matches(_ item: ItemAttributes, _ match: [AttributeName: AttributeValue]) -> Bool {
    match.allSatisfy { name, wanted in
      let value = item.registers[name]?.shown.value ?? .absent
      return value == wanted || normalized(value) == normalized(wanted)
    }
  }

  private static func normalized(_ value: AttributeValue) -> AttributeValue {
    switch value {
    case .text(let text): .bytes(Array(text.utf8))
    case .bool(let bool): .number(bool ? 1 : 0)
    case .absent: .bytes([])
    default: value
    }
  }
}
