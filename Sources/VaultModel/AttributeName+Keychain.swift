/// The Keychain's attributes, by their four-character codes.
extension AttributeName {
  // Every class.

  /// When the item was added.
  public static let creationDate = AttributeName(code: "cdat")
  /// When the item was changed last; shown from the writes' times, never stored.
  public static let modificationDate = AttributeName(code: "mdat")
  /// The label that a person sees.
  public static let label = AttributeName(code: "labl")
  /// The access group; part of every primary key.
  public static let accessGroup = AttributeName(code: "agrp")
  /// When the item can be read: an `Accessibility` code.
  public static let accessible = AttributeName(code: "pdmn")
  /// Whether the item belongs to the vault rather than to this device; decides where it is stored.
  public static let synchronizable = AttributeName(code: "sync")
  /// Access control flags.
  public static let accessControl = AttributeName(code: "accc")
  /// The secret value.
  public static let secret = AttributeName(code: "v_Data")

  // Passwords.

  /// The account.
  public static let account = AttributeName(code: "acct")
  /// What kind of item a person sees.
  public static let itemDescription = AttributeName(code: "desc")
  /// A comment.
  public static let comment = AttributeName(code: "icmt")
  /// An alias.
  public static let alias = AttributeName(code: "alis")
  /// The Keychain's `prot` field.
  public static let protection = AttributeName(code: "prot")
  /// The creator's code.
  public static let creator = AttributeName(code: "crtr")
  /// The type's code.
  public static let type = AttributeName(code: "type")
  /// The script code of the strings.
  public static let scriptCode = AttributeName(code: "scrp")
  /// Whether the item is hidden from lists.
  public static let isInvisible = AttributeName(code: "invi")
  /// Whether the item says that no password is stored.
  public static let isNegative = AttributeName(code: "nega")
  /// Whether the item has an icon of its own.
  public static let hasCustomIcon = AttributeName(code: "cusi")
  /// The service of a generic password.
  public static let service = AttributeName(code: "svce")
  /// Bytes that a generic password's program chose.
  public static let generic = AttributeName(code: "gena")

  // Internet passwords.

  /// The security domain.
  public static let securityDomain = AttributeName(code: "sdmn")
  /// The server.
  public static let server = AttributeName(code: "srvr")
  /// The path.
  public static let path = AttributeName(code: "path")
  /// How the server authenticates.
  public static let authenticationType = AttributeName(code: "atyp")
  /// The protocol.
  public static let networkProtocol = AttributeName(code: "ptcl")
  /// The port.
  public static let port = AttributeName(code: "port")
  /// A further field, sealed with the secret.
  public static let secretExtraN = AttributeName(code: "binn")
  /// A further field, sealed with the secret.
  public static let secretExtraI = AttributeName(code: "bini")
  /// A further field, sealed with the secret.
  public static let secretExtra0 = AttributeName(code: "bin0")
  /// A further field, sealed with the secret.
  public static let secretExtra1 = AttributeName(code: "bin1")
  /// A further field, sealed with the secret.
  public static let secretExtra2 = AttributeName(code: "bin2")
  /// A further field, sealed with the secret.
  public static let secretExtra3 = AttributeName(code: "bin3")

  // Certificates.

  /// The certificate's type.
  public static let certificateType = AttributeName(code: "ctyp")
  /// The certificate's encoding.
  public static let certificateEncoding = AttributeName(code: "cenc")
  /// The subject's name.
  public static let subject = AttributeName(code: "subj")
  /// The subject's key identifier.
  public static let subjectKeyID = AttributeName(code: "skid")
  /// The hash of the public key; joins a certificate to its key.
  public static let publicKeyHash = AttributeName(code: "pkhh")
  /// The issuer's name.
  public static let issuer = AttributeName(code: "issr")
  /// The serial number.
  public static let serialNumber = AttributeName(code: "slnr")

  // Keys.

  /// Public, private or symmetric.
  public static let keyClass = AttributeName(code: "kcls")
  /// The size in bits.
  public static let keySizeInBits = AttributeName(code: "bsiz")
  /// The effective size in bits.
  public static let effectiveKeySize = AttributeName(code: "esiz")
  /// The first day of validity.
  public static let startDate = AttributeName(code: "sdat")
  /// The last day of validity.
  public static let endDate = AttributeName(code: "edat")
  /// The hash of the public key.
  public static let applicationLabel = AttributeName(code: "klbl")
  /// The program's own tag.
  public static let applicationTag = AttributeName(code: "atag")
  /// Whether the key is stored.
  public static let isPermanent = AttributeName(code: "perm")
  /// Whether the key is private.
  public static let isPrivate = AttributeName(code: "priv")
  /// Whether the key may be changed.
  public static let isModifiable = AttributeName(code: "modi")
  /// Whether the key leaves only wrapped.
  public static let isSensitive = AttributeName(code: "sens")
  /// Whether the key was always sensitive.
  public static let wasAlwaysSensitive = AttributeName(code: "asen")
  /// Whether the key may be exported.
  public static let isExtractable = AttributeName(code: "extr")
  /// Whether the key could never be exported.
  public static let wasNeverExtractable = AttributeName(code: "next")
  /// Whether the key signs with recovery.
  public static let canSignRecover = AttributeName(code: "snrc")
  /// Whether the key verifies with recovery.
  public static let canVerifyRecover = AttributeName(code: "vyrc")
  /// Whether the key encrypts.
  public static let canEncrypt = AttributeName(code: "encr")
  /// Whether the key decrypts.
  public static let canDecrypt = AttributeName(code: "decr")
  /// Whether the key derives others.
  public static let canDerive = AttributeName(code: "drve")
  /// Whether the key signs.
  public static let canSign = AttributeName(code: "sign")
  /// Whether the key verifies.
  public static let canVerify = AttributeName(code: "vrfy")
  /// Whether the key wraps others.
  public static let canWrap = AttributeName(code: "wrap")
  /// Whether the key unwraps others.
  public static let canUnwrap = AttributeName(code: "unwp")
}
