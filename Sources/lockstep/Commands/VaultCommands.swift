import AgentWire
import Glibc
import TextCoding
import VaultModel

/// `init`, `join` and `recover`: how this device comes to a vault.
enum VaultCommands {
  static let initialize = Command(
    name: "init",
    flags: [
      .relay, Flag(name: "invite", placeholder: "TOKEN", help: "the relay's invitation"), .newVault, .deviceName,
      Flag(name: "recovery-kit", placeholder: "FILE", help: "write the recovery key there instead of printing it"),
    ],
    summary: "make a new vault on this device",
    details: [
      "The recovery key is printed once, alone on a line of standard output. Keep it: it alone brings back everything",
      "when all devices are lost.",
    ]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let relay = try relay(invocation)
    let path = invocation.value("recovery-kit")
    if let path { try RecoveryKit.refuseExisting(path) }
    let new = try newVault(session)
    // From the request on the vault may exist, and its recovery key is told only once.
    let interruption = Interruption.holdBack()
    defer { interruption.allow() }
    let kit = try path.map(RecoveryKit.init(creating:))
    let made: InitializeResult
    do throws(CommandFailure) {
      let arguments = InitializeArguments(relay: relay, invitation: invocation.value("invite"), new: new)
      made = try initialize(session, arguments)
    } catch {
      kit?.abandon()
      throw error
    }
    Output.say(
      "The vault \(TerminalText.escape(made.vault)) is made. This device's fingerprint is \(made.fingerprint).")
    try handOver(made, relay: relay, kit)
  }

  private static func initialize(
    _ session: Session, _ arguments: InitializeArguments
  ) throws(CommandFailure) -> InitializeResult {
    let progress = Progress()
    defer { progress.clear() }
    guard case .initialized(let made) = try session.callOnce(.initialize(arguments), onEvent: progress.show) else {
      throw session.unexpected
    }
    return made
  }

  /// The recovery key, to the kit or to standard output.
  private static func handOver(
    _ made: InitializeResult, relay: String, _ kit: RecoveryKit?
  ) throws(CommandFailure) {
    guard let kit else {
      Output.say("The recovery key is shown this once. Write it down:")
      try Output.writeLine(made.recoveryKey)
      return
    }
    do throws(CommandFailure) {
      try kit.write(key: made.recoveryKey, relay: relay, vault: made.vault, vaultID: made.vaultID.bytes)
    } catch {
      // The key must not be lost because a disk is full.
      Output.say(error.text + "; the recovery key is shown here instead, this once:")
      try Output.writeLine(made.recoveryKey)
      throw CommandFailure("the vault was made, but the recovery kit was not written")
    }
    Output.say("The recovery key is in \(TerminalText.escape(kit.path)). Keep it away from this device.")
  }

  static let join = Command(
    name: "join", operands: ["CODE|-"], flags: [.newVault, .deviceName],
    summary: "join a vault with the pairing code that another device shows",
    details: ["\"-\" reads the code from standard input. Waits until the other device approves."]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let code = try pairingCode(invocation)
    let new = try newVault(session)
    try finish(session, .join(JoinArguments(code: code, new: new)))
  }

  private static func pairingCode(_ invocation: Invocation) throws(CommandFailure) -> String {
    let operand = invocation.operand(0) ?? ""
    guard operand == "-" else { return operand }
    return try text(ofStandardInput: "the pairing code", limit: 4_096)
  }

  static let recover = Command(
    name: "recover",
    flags: [
      .relay, .newVault, .deviceName,
      Flag(
        name: "recovery-kit", placeholder: "FILE",
        help: "read the key from this file, or write it there if there is none"),
    ],
    summary: "bring a vault back with its recovery key",
    details: [
      "The key comes from the kit, else from the terminal or standard input, and stays valid. This device joins the",
      "vault as a new one.",
    ]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let relay = try relay(invocation)
    let path = invocation.value("recovery-kit")
    var given: [UInt8]?
    if let path { given = try InputFile.readIfPresent(path, limit: RecoveryKit.maximumBytes, "the recovery kit") }
    if let given {
      let key = try utf8(given)
      try finish(session, .recover(RecoverArguments(relay: relay, recoveryKey: key, new: try newVault(session))))
    } else {
      try recover(session, relay, kit: path)
    }
  }

  /// With a key that is typed or piped in; then writes a kit.
  private static func recover(_ session: Session, _ relay: String, kit path: String?) throws(CommandFailure) {
    // A kit that cannot be made is said first. Until there is a key for it no file may stay: an empty one would be taken
    // for the kit by the next attempt.
    if let path { try RecoveryKit(creating: path).abandon() }
    let text = try recoveryKey()
    let result = try finish(
      session, .recover(RecoverArguments(relay: relay, recoveryKey: text, new: try newVault(session))))
    guard let path else { return }
    guard let key = RecoveryKit.key(in: text) else {
      throw CommandFailure("the vault was recovered, but its key was not found again to write it to \(path)")
    }
    try RecoveryKit(creating: path).write(key: key, relay: relay, vault: result.vault, vaultID: result.vaultID.bytes)
  }

  private static func recoveryKey() throws(CommandFailure) -> String {
    if isatty(STDIN_FILENO) == 1, let terminal = Terminal() {
      return try utf8(try terminal.askHidden("Recovery key (13 groups): "))
    }
    return try text(ofStandardInput: "the recovery key", limit: RecoveryKit.maximumBytes)
  }

  /// What `join` and `recover` have in common once everything is known.
  @discardableResult
  private static func finish(_ session: Session, _ request: AgentRequest) throws(CommandFailure) -> JoinResult {
    let progress = Progress()
    defer { progress.clear() }
    guard case .joined(let result) = try session.call(request, onEvent: progress.show) else {
      throw session.unexpected
    }
    progress.clear()
    let items = result.itemCount == 1 ? "1 item is" : "\(result.itemCount) items are"
    Output.say(
      "This device is in the vault \(TerminalText.escape(result.vault)) (\(result.role.rawValue)); \(items) here. Its fingerprint is \(result.fingerprint)."
    )
    return result
  }

  /// The relay's address. The agent looks at all of it; a missing scheme is said before anybody types a passphrase.
  private static func relay(_ invocation: Invocation) throws(CommandFailure) -> String {
    let address = invocation.value("relay") ?? ""
    guard ["http://", "https://"].contains(where: address.lowercased().hasPrefix) else {
      throw CommandFailure(
        ExitCode.from(.invalidParameter), "the relay's address must look like http://host:7440 or https://host")
    }
    return address
  }

  /// The names, and a passphrase if this device has no keybag yet. One that it has must be open: the vault's keys are sealed
  /// with it.
  private static func newVault(_ session: Session) throws(CommandFailure) -> NewVault {
    let status = try session.status()
    var new = NewVault(vault: session.vault, deviceName: session.invocation.value("device-name"))
    if status.protection == .none {
      new.passphrase = try PassphraseSource.first()
    } else if status.lockState != .unlocked {
      guard try session.unlockAtTerminal() else { throw .locked }
    }
    return new
  }

  private static func text(ofStandardInput what: String, limit: Int) throws(CommandFailure) -> String {
    if isatty(STDIN_FILENO) == 1, let terminal = Terminal() { return try utf8(try terminal.ask("\(what): ")) }
    guard let bytes = try InputFile.read(STDIN_FILENO, limit: limit, "standard input") else {
      throw CommandFailure("\(what) on standard input is larger than \(limit) bytes")
    }
    let text = try utf8(bytes)
    guard text.contains(where: { !$0.isWhitespace }) else { throw CommandFailure("\(what) on standard input is empty") }
    return text
  }

  private static func utf8(_ bytes: [UInt8]) throws(CommandFailure) -> String {
    guard let text = UTF8Text.validate(bytes) else { throw CommandFailure("the text is not UTF-8") }
    return text
  }
}
