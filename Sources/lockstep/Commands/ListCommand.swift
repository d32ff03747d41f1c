import AgentWire
import TextCoding
import VaultModel

/// `list`: everything that can be read now.
enum ListCommand {
  static let list = Command(
    name: "list", flags: [.json, .vault], summary: "list the items, without their secrets",
    details: ["How many items are locked is said on standard error."]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let result = try session.callOnce(.find(FindArguments(query: ItemQuery(vault: session.vault))))
    guard case .found(let found) = result else { throw session.unexpected }
    let items = sorted(found.items.filter { !$0.isLocked })
    if invocation.has("json") {
      try Output.writeLine(JSONValue.array(items.map(json)).text(pretty: true))
    } else if !items.isEmpty {
      try Output.writeLine(table(items).text)
    }
    sayLocked(found.lockedCount)
  }

  static func sayLocked(_ count: Int) {
    guard count > 0 else { return }
    Output.say("lockstep: \(count) \(count == 1 ? "item is" : "items are") locked: \"lockstep unlock\" shows them")
  }

  /// A password for a server has the server where others have the service.
  private static func service(_ item: FoundItem) -> String {
    switch item.itemClass {
    case .internetPassword: ItemText.text(item, .server)
    case .genericPassword: ItemText.text(item, .service)
    case .certificate, .key: ItemText.text(item, .label)
    }
  }

  private static func sorted(_ items: [FoundItem]) -> [FoundItem] {
    items.map { (key: [$0.vault, service($0), ItemText.text($0, .account)], item: $0) }
      .sorted { left, right in
        left.key == right.key
          ? left.item.synchronizable && !right.item.synchronizable
          : left.key.lexicographicallyPrecedes(right.key)
      }
      .map(\.item)
  }

  private static func table(_ items: [FoundItem]) -> Table {
    var table = Table("SERVICE", "ACCOUNT", "LABEL", "WHERE", "ACCESSIBLE", "")
    for item in items {
      table.add([
        service(item), ItemText.text(item, .account), ItemText.text(item, .label),
        item.synchronizable ? item.vault : "\(item.vault), this device",
        AccessibilityText.name(item.attributes[.accessible]),
        item.conflicts.isEmpty ? "" : "conflict",
      ])
    }
    return table
  }

  private static func json(_ item: FoundItem) -> JSONValue {
    .object([
      ("vault", .string(item.vault)), ("class", .string(ItemText.name(of: item.itemClass))),
      ("service", ItemText.json(item.attributes[.service])), ("server", ItemText.json(item.attributes[.server])),
      ("account", ItemText.json(item.attributes[.account])), ("label", ItemText.json(item.attributes[.label])),
      ("synchronizable", .bool(item.synchronizable)),
      ("accessible", .string(AccessibilityText.name(item.attributes[.accessible]))),
      ("created", ItemText.json(time: item.creationDate)), ("modified", ItemText.json(time: item.modificationDate)),
      ("conflicts", .array(item.conflicts.map { .string($0.text) })),
    ])
  }
}
