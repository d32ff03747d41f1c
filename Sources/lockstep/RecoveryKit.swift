import AgentWire
import Glibc
import TextCoding

/// A small text file that holds a recovery key: the key alone on its line, what it belongs to on others.
struct RecoveryKit {
  let path: String
  private let descriptor: Int32

  /// The most that a file given as a kit may hold.
  static let maximumBytes = 1 << 16

  /// Says early what `init(creating:)` would say.
  static func refuseExisting(_ path: String) throws(CommandFailure) {
    var status = stat()
    if lstat(path, &status) == 0 { throw exists(path) }
  }

  private static func exists(_ path: String) -> CommandFailure {
    CommandFailure("\(path) exists and a recovery kit never overwrites a file: choose another name")
  }

  /// Makes the empty file, before anything that it shall keep exists. A file that is there is never overwritten.
  init(creating path: String) throws(CommandFailure) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { throw Self.exists(path) }
      throw CommandFailure("the recovery kit \(path) cannot be made: \(SystemText.of(errno))")
    }
  }

  /// Writes the kit and brings it to the disk.
  func write(key: String, relay: String, vault: String, vaultID: [UInt8]) throws(CommandFailure) {
    let text = Self.text(key: key, relay: relay, vault: vault, vaultID: vaultID)
    try Output.write(Array(text.utf8), to: descriptor, "the recovery kit \(path)")
    guard fsync(descriptor) == 0, close(descriptor) == 0 else {
      throw CommandFailure("the recovery kit \(path) cannot be written: \(SystemText.of(errno))")
    }
    Self.syncDirectory(of: path)
  }

  static func text(key: String, relay: String, vault: String, vaultID: [UInt8]) -> String {
    // In groups, so that no other word of the kit is as long as a key.
    let id = Array(Hex.encode(vaultID))
    let groups = stride(from: 0, to: id.count, by: 8).map { String(id[$0..<min($0 + 8, id.count)]) }
    return """
      Lockstep recovery kit
      Whoever has this key reads everything in the vault. Keep it on paper or offline, never beside the vault.

      \(key)

      relay: \(TerminalText.escape(relay))
      vault: \(TerminalText.escape(vault))
      vault id: \(groups.joined(separator: "-"))
      to use it: lockstep recover --relay ADDRESS --recovery-kit FILE

      """
  }

  /// Takes the empty file away again.
  func abandon() {
    close(descriptor)
    unlink(path)
  }

  /// The name of a new file is durable only when its directory is.
  private static func syncDirectory(of path: String) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// The recovery key in a text that may be a whole kit, in its usual form; nil if no line looks like one.
  static func key(in text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) {
      let characters = line.utf8.filter {
        $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t")
      }
      guard characters.count == 65 else { continue }
      let values = characters.compactMap(CrockfordBase32.value)
      guard values.count == 65 else { continue }
      let symbols = values.map(CrockfordBase32.character)
      return stride(from: 0, to: 65, by: 5).map { String(symbols[$0..<($0 + 5)]) }.joined(separator: "-")
    }
    return nil
  }
}
