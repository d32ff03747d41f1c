/// What makes an item unique in its store: its class and, in a fixed order, the attributes that the Keychain's
/// uniqueness rule names, the access group last. The slot is a keyed hash of it (Docs/Formats.md, section 2).
///
/// Equality is over bytes: text counts as its UTF-8, so the text "a" and the bytes "a" are one key; truth values and dates
/// count as numbers; a missing attribute has its default, no bytes or 0.
public struct PrimaryKey: Hashable, Sendable {
  /// The class.
  public let itemClass: ItemClass
  /// The values in the order of `attributes(of:)`, each of them `bytes` or `number`.
  public let values: [AttributeValue]

  /// The primary key of an item of this class with these attributes.
  public init(itemClass: ItemClass, attributes: [AttributeName: AttributeValue]) {
    self.init(itemClass: itemClass) { attributes[$0] ?? .absent }
  }

  init(itemClass: ItemClass, value: (AttributeName) -> AttributeValue) {
    self.itemClass = itemClass
    values = Self.attributes(of: itemClass).map { name in
      switch value(name) {
      case .bytes(let bytes): .bytes(bytes)
      case .text(let text): .bytes(Array(text.utf8))
      case .number(let number), .date(let number): .number(number)
      case .bool(let bool): .number(bool ? 1 : 0)
      case .absent: Self.numbers.contains(name) ? .number(0) : .bytes([])
      }
    }
  }

  /// The attributes that make an item of this class unique, in their order.
  public static func attributes(of itemClass: ItemClass) -> [AttributeName] {
    switch itemClass {
    case .genericPassword: [.account, .service, .accessGroup]
    case .internetPassword:
      [.account, .securityDomain, .server, .networkProtocol, .authenticationType, .port, .path, .accessGroup]
    case .certificate: [.certificateType, .issuer, .serialNumber, .accessGroup]
    case .key:
      [
        .keyClass, .type, .creator, .keySizeInBits, .effectiveKeySize, .applicationLabel, .applicationTag, .startDate,
        .endDate, .accessGroup,
      ]
    }
  }

  /// Those whose default is 0.
  private static let numbers: Set<AttributeName> = [
    .networkProtocol, .port, .certificateType, .keyClass, .type, .creator, .keySizeInBits, .effectiveKeySize,
    .startDate, .endDate,
  ]
}
