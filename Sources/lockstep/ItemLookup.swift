import AgentWire
import VaultModel

/// Finds the one generic password that a command names.
///
/// Both twins are looked at: the item in the vault and the one on this device alone. A service without an account means the
/// empty account, else the only match.
struct ItemLookup {
  let session: Session
  let service: String
  let account: String?
  let twins: AgentTwins

  /// The operands and flags that `get`, `edit` and `rm` have in common.
  static let operands = ["SERVICE", "[ACCOUNT]"]
  static let flags = [Flag.vault, Flag.thisDeviceOnly, Flag.synchronizable]

  init(_ session: Session) throws(CommandFailure) {
    let invocation = session.invocation
    self.session = session
    service = try Self.service(invocation)
    account = invocation.operand(1)
    switch (invocation.has("this-device-only"), invocation.has("synchronizable")) {
    case (true, true): throw .usage("--this-device-only and --synchronizable exclude each other")
    case (true, false): twins = .thisDeviceOnly
    case (false, true): twins = .synchronizable
    case (false, false): twins = .any
    }
  }

  static func service(_ invocation: Invocation) throws(CommandFailure) -> String {
    guard let service = invocation.operand(0), !service.isEmpty else { throw .usage("SERVICE is empty") }
    return service
  }

  /// The item, with its secret if that is asked for.
  func one(withSecret: Bool) throws(CommandFailure) -> FoundItem {
    do throws(CommandFailure) {
      return try attempt(withSecret)
    } catch {
      guard error == .locked, try session.unlockAtTerminal() else { throw error }
    }
    return try attempt(withSecret)
  }

  private func attempt(_ withSecret: Bool) throws(CommandFailure) -> FoundItem {
    if let item = try only(in: find(account: account ?? "", withSecret: withSecret, limit: 3), account: account ?? "") {
      return item
    }
    if account == nil {
      let found = try find(account: nil, withSecret: withSecret, limit: 2)
      if found.items.count > 1 { throw ambiguous(try find(account: nil, withSecret: false, limit: nil).items) }
      if let item = try only(in: found, account: nil) { return item }
    }
    throw CommandFailure(ExitCode.from(.itemNotFound), notFound)
  }

  private var notFound: String {
    let place = twins == .thisDeviceOnly ? " on this device alone" : twins == .synchronizable ? " in the vault" : ""
    let name = account.map { "account \"\($0)\" of service \"\(service)\"" } ?? "service \"\(service)\""
    return "no item for \(name)\(place): \"lockstep list\" shows what there is"
  }

  private func find(account: String?, withSecret: Bool, limit: Int?) throws(CommandFailure) -> FindResult {
    var match: [AttributeName: AttributeValue] = [.service: .text(service)]
    if let account { match[.account] = .text(account) }
    let query = ItemQuery(vault: session.vault, itemClass: .genericPassword, match: match, twins: twins)
    let result = try session.call(.find(FindArguments(query: query, withSecret: withSecret, limit: limit)))
    guard case .found(let found) = result else { throw session.unexpected }
    return found
  }

  /// The only item found; nil if there is none. What is locked may be it, or one more of several, so then nothing is
  /// certain and the answer is "locked", never "not found". Except: before the first unlock every locked item may match,
  /// and yet items of class `always` are there to be read then, so one that has the named account is the answer.
  private func only(in found: FindResult, account: String?) throws(CommandFailure) -> FoundItem? {
    let readable = found.items.filter { !$0.isLocked }
    if account != nil, readable.count == 1 { return readable.first }
    if found.lockedCount > 0 || readable.count < found.items.count { throw .locked }
    guard let item = readable.first else { return nil }
    guard readable.count == 1 else { throw ambiguous(readable) }
    return item
  }

  private func ambiguous(_ items: [FoundItem]) -> CommandFailure {
    let vaults = Set(items.map(\.vault)).count
    let accounts = Set(items.map { ItemText.text($0, .account) }).count
    let lines = items.map { item in
      var line = ItemText.text(item, .account)
      if line.isEmpty { line = "(empty account)" }
      if accounts < items.count || vaults > 1 {
        line += item.synchronizable ? "  (vault \(item.vault))" : "  (vault \(item.vault), this device only)"
      }
      return line
    }
    let remedy =
      accounts > 1
      ? "name the ACCOUNT"
      : vaults > 1 ? "name the vault with --vault" : "say --this-device-only or --synchronizable"
    return CommandFailure(
      ExitCode.usage, "\(items.count) items match service \"\(service)\": \(remedy)", details: lines.sorted())
  }
}
