internal import Glibc
internal import RelayHTTP
internal import RelayWire
internal import TextCoding

/// Why a command line is refused, as one sentence.
struct UsageError: Error {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A command line that was understood.
enum Command {
  struct ServeOptions {
    var listen = ListenAddress("127.0.0.1:7440")
    var data = ""
    var publicAddress: RelayAddress?
    var openRegistration = false
    var vaultQuota: UInt64 = 1 << 30
    var isVerbose = false
  }

  struct InviteOptions {
    var data = ""
    var uses: UInt64 = 1
    var seconds: UInt64 = 7 * 86_400
  }

  case help
  case version
  case serve(ServeOptions)
  case createInvite(InviteOptions)
  case restored(data: String)

  init(_ arguments: [String]) throws(UsageError) {
    if arguments.contains("--help") || arguments.contains("-h") {
      self = .help
    } else if arguments.contains("--version") {
      self = .version
    } else {
      var words = Words(arguments)
      switch (words.next(), words.peek) {
      case ("serve", _): self = .serve(try Command.serve(&words))
      case ("invite", "create"):
        _ = words.next()
        self = .createInvite(try Command.invite(&words))
      case ("restored", _): self = .restored(data: try Command.restored(&words))
      case (nil, _): throw UsageError("A command is missing.")
      case ("invite", _): throw UsageError("The command \"invite\" needs \"create\".")
      case (let word?, _): throw UsageError("There is no command \"\(word)\".")
      }
    }
  }

  private static func serve(_ words: inout Words) throws(UsageError) -> ServeOptions {
    var options = ServeOptions()
    while let option = try words.option() {
      switch option {
      case "--listen":
        let text = try words.value(of: option)
        options.listen = ListenAddress(text)
        guard options.listen != nil else { throw UsageError("\"\(text)\" is not HOST:PORT.") }
      case "--data": options.data = try words.value(of: option)
      case "--public-url":
        let text = try words.value(of: option)
        options.publicAddress = RelayAddress(text)
        guard options.publicAddress != nil else { throw UsageError("\"\(text)\" is not an http or https address.") }
      case "--open-registration": options.openRegistration = true
      case "--vault-quota": options.vaultQuota = try words.number(of: option, 1...(1 << 30)) << 20
      case "--verbose": options.isVerbose = true
      default: throw UsageError("\"serve\" has no option \(option).")
      }
    }
    options.data = try dataDirectory(options.data)
    return options
  }

  private static func invite(_ words: inout Words) throws(UsageError) -> InviteOptions {
    var options = InviteOptions()
    while let option = try words.option() {
      switch option {
      case "--data": options.data = try words.value(of: option)
      case "--uses": options.uses = try words.number(of: option, 1...1_000_000)
      case "--expires":
        let text = try words.value(of: option)
        guard let seconds = DurationText.parse(text), seconds > 0, seconds <= 10 * 366 * 86_400 else {
          throw UsageError("\"\(text)\" is not a duration like 30m, 12h or 7d, of at most ten years.")
        }
        options.seconds = seconds
      default: throw UsageError("\"invite create\" has no option \(option).")
      }
    }
    options.data = try dataDirectory(options.data)
    return options
  }

  private static func restored(_ words: inout Words) throws(UsageError) -> String {
    var data = ""
    while let option = try words.option() {
      guard option == "--data" else { throw UsageError("\"restored\" has no option \(option).") }
      data = try words.value(of: option)
    }
    return try dataDirectory(data)
  }

  /// The directory that was named, else the environment's, else the one of the XDG base directory specification.
  private static func dataDirectory(_ named: String) throws(UsageError) -> String {
    if !named.isEmpty { return named }
    if let path = environment("LOCKSTEP_RELAY_DATA") { return path }
    // The specification: a relative path is to be ignored.
    if let base = environment("XDG_DATA_HOME"), base.hasPrefix("/") { return base + "/lockstep-relay" }
    if let home = environment("HOME") { return home + "/.local/share/lockstep-relay" }
    throw UsageError("There is no HOME; name the data directory with --data.")
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}

/// The words of a command line, read from the front; `--option=value` counts as two.
private struct Words {
  private var rest: [String]
  private var attached: String?

  init(_ words: [String]) { rest = words.reversed() }

  var peek: String? { rest.last }

  mutating func next() -> String? { rest.popLast() }

  /// The next option; nil at the end.
  mutating func option() throws(UsageError) -> String? {
    if let attached { throw UsageError("The value \"\(attached)\" belongs to an option that takes none.") }
    guard let word = rest.popLast() else { return nil }
    guard word.hasPrefix("--") else { throw UsageError("\"\(word)\" is not an option.") }
    guard let equals = word.firstIndex(of: "=") else { return word }
    attached = String(word[word.index(after: equals)...])
    return String(word[..<equals])
  }

  /// The value of an option.
  mutating func value(of option: String) throws(UsageError) -> String {
    let value = attached ?? rest.popLast()
    attached = nil
    guard let value, !value.isEmpty else { throw UsageError("The option \(option) needs a value.") }
    return value
  }

  /// The value of an option, a number.
  mutating func number(of option: String, _ range: ClosedRange<UInt64>) throws(UsageError) -> UInt64 {
    let text = try value(of: option)
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt64(text), range.contains(number) else {
      throw UsageError("\"\(text)\" is not a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
