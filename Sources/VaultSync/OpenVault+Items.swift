public import SealedRecords
internal import VaultCrypto
public import VaultModel
public import VaultStore

/// Opening and sealing items at the store's border.
extension OpenVault {
  /// The attributes by which items are found without opening them; the others are compared after opening.
  static let taggedAttributes: Set<AttributeName> = [
    .account, .service, .label, .server, .generic, .applicationLabel, .applicationTag, .issuer, .serialNumber,
    .subject, .publicKeyHash,
  ]

  /// Opens both parts of an item.
  public func open(_ item: ItemRow) throws(VaultError) -> ItemState {
    let record = try decode(item)
    guard let key = sealingKey(record.header.keyID) else { throw .locked }
    do {
      return try RecordOpener.open(record, vault: row.vaultID, slot: item.slot, key: key.key)
    } catch {
      throw .damaged("a record in the local store does not open")
    }
  }

  /// Opens the attributes of an item; its secret stays sealed.
  public func openAttributes(_ item: ItemRow) throws(VaultError) -> ItemAttributes {
    let record = try decode(item)
    guard let key = sealingKey(record.header.keyID) else { throw .locked }
    do {
      return try RecordOpener.openAttributes(record, vault: row.vaultID, slot: item.slot, key: key.key)
    } catch {
      throw .damaged("a record in the local store does not open")
    }
  }

  private func decode(_ item: ItemRow) throws(VaultError) -> SealedRecord {
    do {
      return try SealedRecord(decoding: item.record)
    } catch {
      throw .damaged("a record in the local store is not one")
    }
  }

  /// Seals `item` under the newest key of its class and stores it with its tags. Part of a transaction of the caller.
  @discardableResult
  func seal(
    _ item: ItemState, scope: ItemScope, slot: SlotID, replacing existing: ItemRow?, isDirty: Bool,
    reference: [UInt8]? = nil
  ) throws -> ItemRow {
    let keyID = newestKeyID(scope, item.strictestAccessibility)
    guard let key = sealingKey(keyID) else { throw VaultError.locked }
    let record: SealedRecord
    do {
      record = try RecordSealer.seal(
        item, vault: row.vaultID, slot: slot, keyID: keyID, key: key.key, author: scope == .vault ? author : nil)
    } catch RecordError.tooLarge {
      throw VaultError.invalid("the item is too large: a secret may have 1 MiB")
    } catch {
      throw VaultError.invalid("the item breaks a limit of the format")
    }
    return try put(
      item, record.bytes, keyID.protectionClass, scope, slot, replacing: existing, isDirty: isDirty,
      reference: reference)
  }

  /// Stores `bytes`, which are `item` sealed, with their tags.
  @discardableResult
  func put(
    _ item: ItemState, _ bytes: [UInt8], _ protection: ProtectionClass, _ scope: ItemScope, _ slot: SlotID,
    replacing existing: ItemRow?, isDirty: Bool, reference: [UInt8]? = nil
  ) throws -> ItemRow {
    let isDeleted = item.isDeleted
    // A reference names one life of an item: it survives updates and sync, and ends with the item (keychain.md §3).
    let kept = existing.flatMap { !$0.isDeleted || isDeleted ? $0.persistentReference : nil }
    var stored = ItemRow(
      id: existing?.id ?? 0, scope: scope, slot: slot, protection: protection, itemClass: item.itemClass,
      isDeleted: isDeleted, hasConflict: !isDeleted && !item.conflicts.isEmpty, isDirty: isDirty,
      persistentReference: reference ?? kept ?? Randomness.bytes(16), record: bytes)
    stored.id = try store.put(stored, tags: isDeleted ? [] : tags(item, protection), vault: id)
    return stored
  }

  private func tags(_ item: ItemState, _ protection: ProtectionClass) -> [[UInt8]] {
    guard let key = classKeys.indexKey(for: protection) else { return [] }
    return item.registers.compactMap { name, register in
      guard Self.taggedAttributes.contains(name) else { return nil }
      return IndexTag.make(
        vault: row.vaultID, itemClass: item.itemClass, name: name, value: register.shown.value, key: key.key)
    }
  }

  /// The live items that may match: those with all tags of `match`, or all items if it names no tagged attribute. Each of them
  /// is compared after opening; what cannot be opened is told apart by the caller.
  public func forEachCandidate(
    _ itemClass: ItemClass?, _ match: [AttributeName: AttributeValue], _ body: (ItemRow) throws -> Void
  ) throws {
    let tagged = match.filter { Self.taggedAttributes.contains($0.key) }
    guard let itemClass, !tagged.isEmpty else { return try forEachLiveItem(body) }
    for key in classKeys.availableIndexKeys {
      let tags = tagged.compactMap { name, value in
        IndexTag.make(vault: row.vaultID, itemClass: itemClass, name: name, value: value, key: key.key)
      }
      for item in try store.items(vault: id, tags: tags) { try body(item) }
    }
  }

  /// Every live item; only a few records are in memory at a time.
  public func forEachLiveItem(_ body: (ItemRow) throws -> Void) throws {
    var last: Int64 = 0
    while true {
      let items = try store.liveItems(vault: id, after: last, limit: 256)
      for item in items { try body(item) }
      guard let end = items.last else { return }
      last = end.id
    }
  }
}
