/// What is wrong with a typed recovery key, and where. It never holds what was typed.
public enum RecoveryKeyError: Error, Equatable, Sendable {
  /// There are not 65 characters.
  case wrongLength
  /// A character of this group (from 1) is none of the alphabet.
  case wrongCharacter(group: Int)
  /// This group (from 1) is mistyped, or stands in another's place.
  case wrongGroup(number: Int)
  /// Every group is right by itself, but together they are no recovery key.
  case checksum
}

extension RecoveryKeyError: CustomStringConvertible {
  /// What to tell the person who typed it.
  public var description: String {
    switch self {
    case .wrongLength: "a recovery key has 13 groups of 5 characters: a character is missing or too many"
    case .wrongCharacter(let group): "group \(group) of the recovery key has a character that recovery keys do not use"
    case .wrongGroup(let number): "group \(number) of the recovery key is mistyped, or stands in the wrong place"
    case .checksum: "the groups of the recovery key do not belong together: compare each with the original"
    }
  }
}
