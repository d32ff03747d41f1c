/// Why a local write was refused or a received item is not well formed.
public enum ModelError: Error, Equatable, Sendable {
  /// An add found a live item in the slot.
  case itemExists
  /// A change or a delete found no live item.
  case itemIsDeleted
  /// A write would move the item to another slot.
  case primaryKeyChanged
  /// The dot of a local write is inside the item's vector: the device's counter went back.
  case dotAlreadySeen
  /// A secret value is larger than `Limits.secretBytes`.
  case secretTooLarge
  /// Another value is larger than `Limits.attributeBytes`.
  case attributeTooLarge
  /// More attributes than `Limits.attributes`.
  case tooManyAttributes
  /// More devices in the vector than `Limits.vectorEntries`.
  case vectorTooLong
  /// A write or a delete context that lies outside the item's vector.
  case outsideVector
  /// One register holds two writes of one dot.
  case dotRepeated
  /// A history that is longer than it may be or holds what it must not.
  case historyInvalid
}
