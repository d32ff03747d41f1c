public import VaultModel

/// What the attributes part of a record says about its item: everything but the secret attributes (Docs/Formats.md §2).
public struct ItemAttributes: Hashable, Sendable {
  /// The item without its secret attributes and history. Its own `isDeleted` would be wrong: see `isDeleted` here.
  private let open: ItemState
  /// The greatest time of any open write, those of the secret attributes included.
  public let modificationTime: UInt64
  /// Whether a secret attribute has two or more distinct open values.
  public let secretInConflict: Bool

  /// The attributes of an item that is open already.
  public init(of item: ItemState) {
    self.init(
      open: ItemState(
        itemClass: item.itemClass, vector: item.vector, registers: item.registers.filter { !$0.key.isSecret },
        deleteContext: item.deleteContext, history: []),
      modificationTime: item.modificationTime,
      secretInConflict: item.registers.contains { $0.key.isSecret && $0.value.distinct.count > 1 })
  }

  init(open: ItemState, modificationTime: UInt64, secretInConflict: Bool) {
    self.open = open
    self.modificationTime = modificationTime
    self.secretInConflict = secretInConflict
  }

  /// The class.
  public var itemClass: ItemClass { open.itemClass }
  /// Every write that the item has seen.
  public var vector: VersionVector { open.vector }
  /// What the newest delete had seen.
  public var deleteContext: VersionVector { open.deleteContext }
  /// The open writes by attribute, the secret attributes left out.
  public var registers: [AttributeName: Register] { open.registers }
  /// The primary key, deleted or not.
  public var primaryKey: PrimaryKey { open.primaryKey }
  /// The strictest open value of the accessibility, deleted or not.
  public var strictestAccessibility: Accessibility { open.strictestAccessibility }

  /// Whether the item is deleted, or the slot never held one.
  ///
  /// The secret attributes' writes are not seen here, but the vector is. A write outside the delete context is open, or a
  /// later one superseded it that is outside as well, for a delete that has seen the later has seen the earlier too. So an
  /// open write lies outside exactly if the vector reaches beyond the context.
  public var isDeleted: Bool { vector == deleteContext }

  /// The attributes and their values; empty if the item is deleted.
  public var visible: [AttributeName: AttributeValue] {
    if isDeleted { return [:] }
    return registers.compactMapValues { $0.shown.value == .absent ? nil : $0.shown.value }
  }

  /// The attributes with two or more distinct open values, creation dates left out, as `ItemState.conflicts` has them.
  public var conflicts: [AttributeName: [Write]] { isDeleted ? [:] : open.conflicts }

  /// The state that these attributes and the secret part make up; the caller checks it.
  func joined(secrets: [AttributeName: Register], history: [Write]) -> ItemState {
    ItemState(
      itemClass: itemClass, vector: vector, registers: registers.merging(secrets) { attribute, _ in attribute },
      deleteContext: deleteContext, history: history)
  }
}
