import AgentWire
import TextCoding
import VaultModel

/// `conflicts`: what was written on several devices while they were apart.
enum ConflictsCommand {
  static let conflicts = Command(
    name: "conflicts", flags: [.json, .vault], summary: "list attributes that several devices changed at once",
    details: [
      "The first value of an attribute is the one that is shown everywhere.",
      "Secrets are not printed: \"lockstep conflict show\" does, \"lockstep conflict resolve\" decides.",
    ]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let result = try session.callOnce(.conflicts(ConflictsArguments(vault: session.vault)))
    guard case .conflicts(let found) = result else { throw session.unexpected }
    if invocation.has("json") {
      try Output.writeLine(JSONValue.array(found.conflicts.map(json)).text(pretty: true))
    } else if !found.conflicts.isEmpty {
      try Output.writeLine(table(found.conflicts).text)
    }
    ListCommand.sayLocked(found.lockedCount)
  }

  private static func table(_ conflicts: [AgentConflict]) -> Table {
    var table = Table("SERVICE", "ACCOUNT", "ATTRIBUTE", "VALUE", "DEVICE", "WRITTEN")
    for conflict in conflicts {
      for candidate in conflict.candidates {
        table.add([
          ItemText.text(conflict.attributes[.service] ?? conflict.attributes[.server] ?? .absent),
          ItemText.text(conflict.attributes[.account] ?? .absent), name(conflict.attribute),
          candidate.value.map { $0 == .absent ? "(removed)" : ItemText.text($0) } ?? "(secret)",
          candidate.device, TimeText.local(candidate.time),
        ])
      }
    }
    return table
  }

  static func name(_ attribute: AttributeName) -> String {
    switch attribute {
    case .secret: "secret"
    case .label: "label"
    case .accessible: "accessible"
    default: attribute.text
    }
  }

  private static func json(_ conflict: AgentConflict) -> JSONValue {
    .object([
      ("vault", .string(conflict.vault)), ("class", .string(ItemText.name(of: conflict.itemClass))),
      ("service", ItemText.json(conflict.attributes[.service])),
      ("server", ItemText.json(conflict.attributes[.server])),
      ("account", ItemText.json(conflict.attributes[.account])), ("attribute", .string(name(conflict.attribute))),
      (
        "values",
        .array(
          conflict.candidates.map { candidate in
            .object([
              ("value", ItemText.json(candidate.value)), ("secret", .bool(candidate.value == nil)),
              ("device", .string(candidate.device)), ("written", ItemText.json(time: candidate.time)),
            ])
          })
      ),
    ])
  }
}
