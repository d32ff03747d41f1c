import AgentWire

/// `lock`, `unlock` and `passwd`.
enum LockCommands {
  static let lock = Command(
    name: "lock", summary: "close the vaults until the passphrase is given again"
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    // Where no agent runs nothing is open.
    guard try session.isAgentRunning() else { return }
    _ = try session.callOnce(.lock)
  }

  static let unlock = Command(
    name: "unlock", summary: "open the vaults",
    details: ["The passphrase comes from LOCKSTEP_PASSPHRASE_FILE, else from the terminal."]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let protection = try session.status().protection
    let passphrase = protection == .passphrase ? try PassphraseSource.present() : []
    _ = try session.callOnce(.unlock(UnlockArguments(passphrase: passphrase)))
  }

  static let passwd = Command(
    name: "passwd",
    flags: [Flag(name: "new-passphrase-file", placeholder: "FILE", help: "the new passphrase; empty removes it")],
    summary: "set, change or remove this device's passphrase",
    details: [
      "The old one comes from LOCKSTEP_PASSPHRASE_FILE, else from the terminal, and the new one from the terminal",
      "unless --new-passphrase-file is given. Removing it destroys the items that are readable only while one is set.",
    ]
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let protection = try session.status().protection
    if protection == .none {
      throw CommandFailure("this device has no keys yet: \"lockstep init\", \"join\" or \"recover\" makes them")
    }
    let old = protection == .passphrase ? try PassphraseSource.present() : nil
    let new = try newPassphrase(invocation)
    _ = try session.callOnce(.changePassphrase(ChangePassphraseArguments(old: old, new: new)))
  }

  private static func newPassphrase(_ invocation: Invocation) throws(CommandFailure) -> [UInt8] {
    if let path = invocation.value("new-passphrase-file") {
      let passphrase = try PassphraseSource.file(path)
      PassphraseSource.warnIfEmpty(passphrase)
      return passphrase
    }
    guard let terminal = Terminal() else {
      throw CommandFailure("there is no terminal to ask for the new passphrase: name a file with --new-passphrase-file")
    }
    let passphrase = try PassphraseSource.new(terminal)
    if passphrase.isEmpty {
      guard try terminal.confirm("Remove the passphrase, and every item of class when-passcode-set?") else {
        throw CommandFailure("nothing was changed")
      }
    }
    return passphrase
  }
}
