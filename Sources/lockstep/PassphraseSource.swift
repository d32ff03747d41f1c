import AgentWire

/// Where the device's passphrase comes from: `LOCKSTEP_PASSPHRASE_FILE`, else the terminal; never standard input or an
/// argument.
enum PassphraseSource {
  /// The passphrase of the file that the environment names; nil if it names none.
  static func file() throws(CommandFailure) -> [UInt8]? {
    guard let path = Environment.value("LOCKSTEP_PASSPHRASE_FILE") else { return nil }
    return try file(path)
  }

  static func file(_ path: String) throws(CommandFailure) -> [UInt8] {
    let bytes = try InputFile.read(path, limit: AgentProtocol.maximumPassphraseBytes + 1, "the passphrase file")
    return try checked(InputFile.withoutFinalNewline(bytes))
  }

  /// The present passphrase.
  static func present() throws(CommandFailure) -> [UInt8] {
    if let passphrase = try file() { return passphrase }
    return try typed(try terminal())
  }

  static func typed(_ terminal: Terminal, _ prompt: String = "Passphrase: ") throws(CommandFailure) -> [UInt8] {
    try checked(try terminal.askHidden(prompt))
  }

  /// The passphrase for a device that has no keybag yet; empty for none.
  static func first() throws(CommandFailure) -> [UInt8] {
    if let passphrase = try file() {
      warnIfEmpty(passphrase)
      return passphrase
    }
    guard let terminal = Terminal() else {
      throw CommandFailure(
        "this device needs a passphrase (an empty one is possible) and there is no terminal to ask at: name a file that holds it in LOCKSTEP_PASSPHRASE_FILE"
      )
    }
    try terminal.show("A passphrase guards this device's keys. Empty: none, the files alone are enough to read them.\n")
    return try new(terminal)
  }

  static func new(_ terminal: Terminal) throws(CommandFailure) -> [UInt8] {
    let passphrase = try checked(
      try terminal.askHiddenTwice("New passphrase: ", again: "The same passphrase again: "))
    warnIfEmpty(passphrase)
    return passphrase
  }

  static func warnIfEmpty(_ passphrase: [UInt8]) {
    guard passphrase.isEmpty else { return }
    Output.say(
      "lockstep: warning: no passphrase: whoever reads this device's files reads its secrets; \"lockstep passwd\" sets one"
    )
  }

  private static func terminal() throws(CommandFailure) -> Terminal {
    guard let terminal = Terminal() else {
      throw CommandFailure(
        "the passphrase is needed and there is no terminal to ask at: name a file that holds it in LOCKSTEP_PASSPHRASE_FILE"
      )
    }
    return terminal
  }

  private static func checked(_ passphrase: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard passphrase.count <= AgentProtocol.maximumPassphraseBytes else {
      throw CommandFailure("the passphrase is longer than \(AgentProtocol.maximumPassphraseBytes) bytes")
    }
    return passphrase
  }
}
