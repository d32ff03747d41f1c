internal import TextCoding

extension RecoveryKey {
  /// The one line, or part of a line, that is a recovery key inside the text of a whole recovery kit; nil if there is none or if
  /// there are several different ones. A mistyped key is found too, so that reading it can say where it is wrong.
  public static func find(in text: String) -> String? {
    var found: Set<String> = []
    for line in text.split(whereSeparator: \.isNewline) {
      if let key = key(in: line) { found.insert(key) }
    }
    return found.count == 1 ? found.first : nil
  }

  private static func key(in line: Substring) -> String? {
    // Hyphens inside, so one word: whatever label stands before it.
    for word in line.split(whereSeparator: \.isWhitespace) where looksLikeKey(word) { return String(word) }
    // Groups set apart by spaces: the whole line, or what follows a label.
    let candidate = line.split(separator: ":").last ?? line
    guard looksLikeKey(candidate) else { return nil }
    return String(candidate)
  }

  /// Letters, digits and separators alone; in about as many groups and characters as a key has.
  private static func looksLikeKey(_ text: Substring) -> Bool {
    let groups = text.split { $0 == "-" || $0.isWhitespace }
    guard groups.allSatisfy({ $0.utf8.allSatisfy(isLetterOrDigit) }) else { return false }
    let length = groups.reduce(0) { $0 + $1.utf8.count }
    let expected = Self.groups * groupLength
    return (expected - 3...expected + 3).contains(length)
      && (groups.count == 1 || groups.filter { $0.utf8.count == groupLength }.count >= Self.groups - 4)
  }

  private static func isLetterOrDigit(_ ascii: UInt8) -> Bool {
    CrockfordBase32.value(of: ascii) != nil || ascii == UInt8(ascii: "U") || ascii == UInt8(ascii: "u")
  }
}
