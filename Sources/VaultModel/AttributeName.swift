/// The name of an attribute: 1 to 64 bytes of UTF-8. The Keychain's four-character codes are constants; a name that
/// only a newer version knows is a name like any other, so its register is carried on untouched.
///
/// Two names are equal if their bytes are. Swift's own equality of strings would make two spellings of "é" one name, and
/// so let a record hold one attribute twice.
public struct AttributeName: Hashable, Comparable, Sendable {
  /// The first eight bytes, big-endian, filled with zeros. Nearly every name ends here, so comparing costs one word.
  private let head: UInt64
  /// The other bytes.
  private let tail: [UInt8]
  /// The number of bytes: tells a name apart from the same name followed by NUL.
  private let length: Int

  /// The name `text`; nil if it is empty or longer than 64 bytes.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= Limits.attributeNameBytes else { return nil }
    self.init(bytes: bytes)
  }

  /// A constant of this file's extensions: at most eight ASCII characters.
  init(code: StaticString) {
    self.init(bytes: Array(code.description.utf8))
  }

  private init(bytes: [UInt8]) {
    var head: UInt64 = 0
    for index in 0..<8 { head = head << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
    self.head = head
    tail = Array(bytes.dropFirst(8))
    length = bytes.count
  }

  /// The name as text.
  public var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    for index in 0..<min(8, length) {
      bytes.append(UInt8(truncatingIfNeeded: head >> UInt64(56 - 8 * index)))
    }
    return String(decoding: bytes + tail, as: UTF8.self)
  }

  /// Whether the attribute is sealed with the secret and comes back only when the secret is asked for: the secret itself
  /// and the six extra fields of an internet password.
  public var isSecret: Bool {
    switch self {
    case .secret, .secretExtraN, .secretExtraI, .secretExtra0, .secretExtra1, .secretExtra2, .secretExtra3: true
    default: false
    }
  }

  /// The order of the bytes.
  public static func < (left: Self, right: Self) -> Bool {
    if left.head != right.head { return left.head < right.head }
    if left.length != right.length, min(left.length, right.length) <= 8 { return left.length < right.length }
    return left.tail.lexicographicallyPrecedes(right.tail)
  }
}
