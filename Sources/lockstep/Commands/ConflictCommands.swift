import AgentWire
import TextCoding
import VaultModel

/// `conflict show` and `conflict resolve`: the open values of one item, and the person's choice among them.
enum ConflictCommands {
  static let show = Command(
    name: "conflict show", operands: ItemLookup.operands, flags: [.json] + ItemLookup.flags,
    summary: "show every value of an item in conflict, secrets too",
    details: ["Each value has a number for \"lockstep conflict resolve\"; the first of an attribute is the one in use."]
  ) { invocation throws(CommandFailure) in
    let choices = try choices(Session(invocation))
    if invocation.has("json") {
      try Output.writeLine(JSONValue.array(choices.map(json)).text(pretty: true))
      return
    }
    var table = Table("NUMBER", "ATTRIBUTE", "VALUE", "DEVICE", "WRITTEN")
    for choice in choices {
      table.add([
        String(choice.number), ConflictsCommand.name(choice.attribute), text(choice), choice.candidate.device,
        TimeText.local(choice.candidate.time),
      ])
    }
    try Output.writeLine(table.text)
  }

  static let resolve = Command(
    name: "conflict resolve", operands: ItemLookup.operands,
    flags: [
      Flag(name: "keep", placeholder: "N", help: "the number of the value to keep, as \"conflict show\" lists it")
    ]
      + ItemLookup.flags,
    summary: "decide a conflict",
    details: ["The other values of a secret stay in the item's history."]
  ) { invocation throws(CommandFailure) in
    guard let wanted = invocation.value("keep"), let number = Int(wanted) else {
      throw .usage("say which value stays: --keep N with a number of \"lockstep conflict show\"")
    }
    let session = Session(invocation)
    let item = try ItemLookup(session).one(withSecret: false)
    guard let choice = try choices(session, item).first(where: { $0.number == number }) else {
      throw .usage("there is no value \(number): \"lockstep conflict show\" lists them")
    }
    var update = UpdateArguments(query: ItemCommands.query(for: item))
    switch (choice.attribute, choice.candidate.value) {
    case (.secret, .bytes(let bytes)?): update.secret = bytes
    default: update.changes = [choice.attribute: choice.candidate.value ?? .absent]
    }
    _ = try session.call(.update(update))
  }

  private struct Choice {
    let number: Int
    let attribute: AttributeName
    let candidate: AgentConflict.Candidate
  }

  private static func choices(_ session: Session) throws(CommandFailure) -> [Choice] {
    try choices(session, try ItemLookup(session).one(withSecret: false))
  }

  /// The open values of all attributes in conflict, numbered from 1 in the agent's order.
  private static func choices(_ session: Session, _ item: FoundItem) throws(CommandFailure) -> [Choice] {
    let request = AgentRequest.conflicts(ConflictsArguments(vault: item.vault, withSecret: true))
    guard case .conflicts(let found) = try session.call(request) else { throw session.unexpected }
    let own = found.conflicts.filter { conflict in
      item.synchronizable && conflict.itemClass == item.itemClass
        && [AttributeName.service, .account, .accessGroup].allSatisfy {
          conflict.attributes[$0] == item.attributes[$0]
        }
    }
    var choices: [Choice] = []
    for conflict in own {
      for candidate in conflict.candidates {
        choices.append(Choice(number: choices.count + 1, attribute: conflict.attribute, candidate: candidate))
      }
    }
    guard !choices.isEmpty else {
      throw CommandFailure(ExitCode.failure, "the item is not in conflict: \"lockstep conflicts\" lists those that are")
    }
    return choices
  }

  private static func text(_ choice: Choice) -> String {
    guard let value = choice.candidate.value, value != .absent else { return "(removed)" }
    return ItemText.text(value)
  }

  private static func json(_ choice: Choice) -> JSONValue {
    .object([
      ("number", .int(Int64(choice.number))), ("attribute", .string(ConflictsCommand.name(choice.attribute))),
      ("value", ItemText.json(choice.candidate.value)), ("device", .string(choice.candidate.device)),
      ("written", ItemText.json(time: choice.candidate.time)),
    ])
  }
}
