/// One command of the program: how it is called and what it does.
struct Command: Sendable {
  /// `get`, or `device list`.
  let name: String
  /// The operands in their order, as they are shown: `SERVICE`, `[ACCOUNT]` for one that may be missing.
  var operands: [String] = []
  var flags: [Flag] = []
  /// One line for the list of commands.
  let summary: String
  /// What else is worth knowing, in lines of at most 80 characters.
  var details: [String] = []
  let run: @Sendable (Invocation) throws(CommandFailure) -> Void

  var requiredOperands: Int { operands.count(where: { !$0.hasPrefix("[") }) }
}

/// A flag: `--name`, or `--name VALUE` if it has a placeholder for a value.
struct Flag: Sendable {
  let name: String
  var placeholder: String?
  var isRequired = false
  let help: String

  /// Those that every command takes.
  static let common = [
    Flag(name: "home", placeholder: "DIR", help: "the agent's directory, else $LOCKSTEP_HOME"),
    Flag(name: "socket", placeholder: "PATH", help: "the agent's socket, else $LOCKSTEP_SOCKET"),
    Flag(name: "help", help: "show this and end"),
  ]

  static let relay = Flag(name: "relay", placeholder: "URL", isRequired: true, help: "the relay's address")
  static let vault = Flag(name: "vault", placeholder: "NAME", help: "the vault, else $LOCKSTEP_VAULT, else the first")
  static let newVault = Flag(name: "vault", placeholder: "NAME", help: "the vault's name on this device")
  static let json = Flag(name: "json", help: "print JSON")
  static let deviceName = Flag(name: "device-name", placeholder: "NAME", help: "this device's name, else the host's")
  static let label = Flag(name: "label", placeholder: "L", help: "the label that a person sees")
  static let accessible = Flag(
    name: "accessible", placeholder: "CLASS",
    help: "when-unlocked, after-first-unlock, always or when-passcode-set")
  static let thisDeviceOnly = Flag(name: "this-device-only", help: "the item that is on this device alone")
  static let synchronizable = Flag(name: "synchronizable", help: "the item that is in the vault")
}

/// A command with the arguments that it was called with.
struct Invocation: Equatable {
  var operands: [String] = []
  var values: [String: String] = [:]
  var switches: Set<String> = []

  func value(_ flag: String) -> String? { values[flag] }
  func has(_ flag: String) -> Bool { switches.contains(flag) }
  func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }
}
