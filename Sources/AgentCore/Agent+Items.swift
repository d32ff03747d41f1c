internal import AgentWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore
internal import VaultSync

/// Adding, finding, changing and deleting items. Each request is one transaction under the agent's lock.
extension Agent {
  func add(_ arguments: AddArguments) throws -> AddResult {
    var values = arguments.attributes
    if values[.accessGroup] == nil { values[.accessGroup] = .text(ItemMatch.defaultAccessGroup) }
    if let secret = arguments.secret { values[.secret] = .bytes(secret) }
    if arguments.generate {
      values[.secret] = .bytes(try SecretGenerator.make(length: arguments.generatedLength))
    }
    guard values.keys.allSatisfy({ $0 != .creationDate }) else {
      throw AgentFailure(.invalidParameter, "the creation date is set by the store")
    }
    let scope: ItemScope = arguments.synchronizable ? .vault : .device
    let clock = clock
    let (result, vaultID) = try locked { state in
      let vault = try state.vault(arguments.vault)
      let replaced = try vault.store.transaction {
        let query = ItemQuery(itemClass: arguments.itemClass, match: Self.primaryKey(arguments.itemClass, values))
        let twins = try ItemMatch(query, in: vault)
        if twins.lockedCount > 0 { throw VaultError.locked }
        guard twins.found.isEmpty || arguments.replace else { throw VaultError.duplicate }
        // A twin of the other kind gives way: one service and account is one item for whoever asks for it.
        for twin in twins.found where twin.row.scope != scope { try vault.remove(twin.row, clock: clock) }
        if scope == .device, let same = twins.found.first(where: { $0.row.scope == scope })?.row {
          // Its class may change, and with it its slot.
          try vault.edit(same, values, clock: clock)
        } else {
          try vault.add(arguments.itemClass, values, scope: scope, replace: arguments.replace, clock: clock)
        }
        return !twins.found.isEmpty
      }
      return (AddResult(vault: vault.row.name, replaced: replaced), vault.id)
    }
    runner(vaultID)?.wakePush()
    return result
  }

  /// The primary key's attributes with their values; what is missing has its default.
  private static func primaryKey(
    _ itemClass: ItemClass, _ values: [AttributeName: AttributeValue]
  ) -> [AttributeName: AttributeValue] {
    var match: [AttributeName: AttributeValue] = [:]
    for (name, value) in zip(
      PrimaryKey.attributes(of: itemClass), PrimaryKey(itemClass: itemClass, attributes: values).values)
    {
      match[name] = value
    }
    return match
  }

  func find(_ arguments: FindArguments) throws -> FindResult {
    try locked { state in
      let vault = try state.vault(arguments.query.vault)
      let matches = try ItemMatch(arguments.query, withSecret: arguments.withSecret, in: vault)
      var result = FindResult(lockedCount: matches.lockedCount)
      for found in matches.found {
        if let limit = arguments.limit, result.items.count >= limit { break }
        result.items.append(try vault.answer(found, withSecret: arguments.withSecret))
      }
      return result
    }
  }

  func update(_ arguments: UpdateArguments) throws -> CountResult {
    var changes = arguments.changes
    if let secret = arguments.secret { changes[.secret] = .bytes(secret) }
    guard changes[.creationDate] == nil else {
      throw AgentFailure(.noSuchAttribute, "the creation date is set by the store")
    }
    return try changeAll(arguments.query) { vault, row, clock in try vault.edit(row, changes, clock: clock) }
  }

  func remove(_ arguments: RemoveArguments) throws -> CountResult {
    try changeAll(arguments.query) { vault, row, clock in try vault.remove(row, clock: clock) }
  }

  /// All items that match, or none of them: one transaction. A locked one refuses the whole.
  private func changeAll(
    _ query: ItemQuery, _ change: (OpenVault, ItemRow, UInt64) throws -> Void
  ) throws -> CountResult {
    let clock = clock
    let (count, vaultID) = try locked { state in
      let vault = try state.vault(query.vault)
      let count = try vault.store.transaction {
        let matches = try ItemMatch(query, in: vault)
        if matches.lockedCount > 0 { throw VaultError.locked }
        guard !matches.found.isEmpty else { throw VaultError.notFound }
        for found in matches.found { try change(vault, found.row, clock) }
        return matches.found.count
      }
      return (count, vault.id)
    }
    runner(vaultID)?.wakePush()
    return CountResult(count: count)
  }
}

extension OpenVault {
  /// An item as it is answered.
  func answer(_ found: ItemMatch.Found, withSecret: Bool) throws -> FoundItem {
    let attributes = found.attributes
    var visible = attributes.visible
    var created: Int64?
    if case .date(let time)? = visible.removeValue(forKey: .creationDate) { created = time }
    var secret: [UInt8]?
    if withSecret, case .bytes(let bytes)? = try (found.opened ?? open(found.row)).visible[.secret] { secret = bytes }
    var conflicts = attributes.conflicts.keys.sorted()
    if attributes.secretInConflict { conflicts.append(.secret) }
    return FoundItem(
      vault: row.name, itemClass: attributes.itemClass, attributes: visible, secret: secret,
      synchronizable: found.row.scope == .vault, creationDate: created,
      modificationDate: Int64(clamping: attributes.modificationTime), conflicts: conflicts)
  }
}
