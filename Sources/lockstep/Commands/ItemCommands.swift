import AgentWire
import Glibc
import VaultModel

/// `add`, `get`, `edit`, `rm`: one generic password.
enum ItemCommands {
  static let add = Command(
    name: "add", operands: ["SERVICE", "[ACCOUNT]"],
    flags: [
      .label, Flag(name: "this-device-only", help: "keep the item on this device"), .accessible,
      Flag(name: "update", help: "replace the item if it exists"),
      Flag(name: "generate", help: "make up the secret"),
      Flag(name: "length", placeholder: "N", help: "characters of a generated secret"), .vault,
    ],
    summary: "add an item; its secret comes from a prompt or standard input",
    details: [
      "The secret's bytes are stored as they are, without one final newline. An item that exists, in the vault or",
      "on this device alone, is error 45 unless --update is given; with --this-device-only that takes the item out",
      "of the vault, on every device.",
    ]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    var arguments = try addition(invocation)
    arguments.vault = session.vault
    if !arguments.generate {
      // Nobody should type a secret twice to hear that it is not taken.
      if !arguments.replace, isatty(STDIN_FILENO) == 1 { try refuseExisting(session, arguments) }
      arguments.secret = try SecretSource.read()
    }
    do throws(CommandFailure) {
      _ = try session.call(.add(arguments))
    } catch {
      if error.exitCode == ExitCode.from(.duplicateItem) { try refuseExisting(session, arguments) }
      throw error
    }
  }

  /// Says that the item exists, and where: to replace it by one of another place moves it.
  private static func refuseExisting(_ session: Session, _ arguments: AddArguments) throws(CommandFailure) {
    var match: [AttributeName: AttributeValue] = [:]
    for name in [AttributeName.service, .account] { match[name] = arguments.attributes[name] }
    let query = ItemQuery(vault: arguments.vault, itemClass: arguments.itemClass, match: match)
    guard case .found(let found) = try session.callOnce(.find(FindArguments(query: query))) else {
      throw session.unexpected
    }
    // What is locked cannot be told apart yet; adding asks for the passphrase.
    let places = found.items.filter { !$0.isLocked }.map(\.synchronizable)
    guard !places.isEmpty else { return }
    let remedy: String
    if places.contains(arguments.synchronizable) {
      remedy = ": use --update to replace it"
    } else if arguments.synchronizable {
      remedy = " on this device only: --update would replace it and move it into the vault"
    } else {
      remedy = " in the vault: --update would replace it and take it from every other device"
    }
    throw CommandFailure(ExitCode.from(.duplicateItem), "the item exists already\(remedy)")
  }

  /// Everything but the vault and the secret.
  static func addition(_ invocation: Invocation) throws(CommandFailure) -> AddArguments {
    var accessibility = try invocation.value("accessible").map(AccessibilityText.parse) ?? .whenUnlocked
    let staysHere = invocation.has("this-device-only") || accessibility.isThisDeviceOnly
    if staysHere { accessibility = AccessibilityText.thisDeviceOnly(accessibility) }
    var attributes: [AttributeName: AttributeValue] = [
      .service: .text(try ItemLookup.service(invocation)), .account: .text(invocation.operand(1) ?? ""),
      .accessible: .text(accessibility.rawValue),
    ]
    if let label = invocation.value("label") { attributes[.label] = .text(label) }
    let generate = invocation.has("generate")
    return AddArguments(
      itemClass: .genericPassword, attributes: attributes, generate: generate,
      generatedLength: try length(invocation, generate: generate), synchronizable: !staysHere,
      replace: invocation.has("update"))
  }

  private static func length(_ invocation: Invocation, generate: Bool) throws(CommandFailure) -> Int? {
    guard let text = invocation.value("length") else { return nil }
    guard generate else { throw .usage("--length needs --generate") }
    guard let length = Int(text), 8...1_024 ~= length else { throw .usage("--length is a number from 8 to 1024") }
    return length
  }

  static let get = Command(
    name: "get", operands: ItemLookup.operands, flags: ItemLookup.flags,
    summary: "print an item's secret and nothing else",
    details: ["A newline follows on a terminal only. SERVICE alone means the empty account, else the only match."]
  ) { invocation throws(CommandFailure) in
    let item = try ItemLookup(Session(invocation)).one(withSecret: true)
    guard let secret = item.secret else {
      throw CommandFailure(
        ExitCode.from(.itemNotFound), "the item exists but holds no secret: \"lockstep edit --secret\" sets one")
    }
    try Output.write(Output.isTerminal ? secret + [UInt8(ascii: "\n")] : secret)
  }

  static let edit = Command(
    name: "edit", operands: ItemLookup.operands,
    flags: [
      Flag(name: "secret", help: "a new secret, from a prompt or standard input"),
      Flag(name: "label", placeholder: "L", help: "a new label; empty removes it"), .accessible,
    ] + ItemLookup.flags,
    summary: "change an item"
  ) { invocation throws(CommandFailure) in
    let changesSecret = invocation.has("secret")
    guard changesSecret || invocation.value("label") != nil || invocation.value("accessible") != nil else {
      throw .usage("nothing to change: say --secret, --label or --accessible")
    }
    let accessibility = try invocation.value("accessible").map(AccessibilityText.parse)
    let session = Session(invocation)
    let item = try ItemLookup(session).one(withSecret: false)
    let changes = try changes(invocation, accessibility, of: item)
    let secret = changesSecret ? try SecretSource.read() : nil
    _ = try session.call(.update(UpdateArguments(query: query(for: item), changes: changes, secret: secret)))
  }

  private static func changes(
    _ invocation: Invocation, _ accessibility: Accessibility?, of item: FoundItem
  ) throws(CommandFailure) -> [AttributeName: AttributeValue] {
    var changes: [AttributeName: AttributeValue] = [:]
    if let label = invocation.value("label") { changes[.label] = label.isEmpty ? .absent : .text(label) }
    if let accessibility {
      guard !(item.synchronizable && accessibility.isThisDeviceOnly) else {
        throw CommandFailure(
          ExitCode.from(.invalidParameter),
          "the item is in the vault and when-passcode-set items never leave their device: add it anew with --accessible when-passcode-set after \"lockstep rm\""
        )
      }
      let code = item.synchronizable ? accessibility : AccessibilityText.thisDeviceOnly(accessibility)
      changes[.accessible] = .text(code.rawValue)
    }
    return changes
  }

  static let remove = Command(
    name: "rm", operands: ItemLookup.operands, flags: ItemLookup.flags, summary: "delete an item"
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let item = try ItemLookup(session).one(withSecret: false)
    _ = try session.call(.remove(RemoveArguments(query: query(for: item))))
  }

  /// Exactly this item.
  static func query(for item: FoundItem) -> ItemQuery {
    var match: [AttributeName: AttributeValue] = [:]
    for name in [AttributeName.service, .account, .accessGroup] { match[name] = item.attributes[name] }
    return ItemQuery(
      vault: item.vault, itemClass: item.itemClass, match: match,
      twins: item.synchronizable ? .synchronizable : .thisDeviceOnly)
  }
}
