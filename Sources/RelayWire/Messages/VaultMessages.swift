public import CBOR

/// POST /v1/vaults.
public struct CreateVaultRequest: WireMessage {
  /// Elements after the version.
  public static let elementCount = 3
  /// The invite token as it was printed; nil if the relay is open.
  public var invite: String?
  /// The genesis entry.
  public var genesis: [UInt8]
  /// The first keyrings.
  public var keyrings: [[UInt8]]

  /// A request.
  public init(invite: String?, genesis: [UInt8], keyrings: [[UInt8]]) {
    self.invite = invite
    self.genesis = genesis
    self.keyrings = keyrings
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    // Room for the hyphens and spaces of a typed token.
    invite = try reader.null() ? nil : try reader.text(atMost: 64)
    genesis = try reader.blob(atMost: RelayLimits.entryBytes)
    keyrings = try reader.blobs(atMost: RelayLimits.keyringCount, each: RelayLimits.keyringBytes)
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    if let invite { writer.text(invite) } else { writer.null() }
    writer.byteString(genesis)
    writer.byteStrings(keyrings)
  }
}

/// The answer to POST /v1/vaults.
public struct CreateVaultAnswer: WireMessage {
  /// Elements after the version.
  public static let elementCount = 1
  /// The vault's incarnation.
  public var incarnation: [UInt8]

  /// An answer.
  public init(incarnation: [UInt8]) { self.incarnation = incarnation }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) { incarnation = try reader.incarnation() }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) { writer.byteString(incarnation) }
}

/// The answer that says only that it was done, and the body that opens a mailbox.
public struct EmptyMessage: WireMessage {
  /// Elements after the version.
  public static let elementCount = 0

  /// The message.
  public init() {}

  /// Reads nothing.
  public init(reading reader: inout CBORReader) throws(CBORError) {}

  /// Writes nothing.
  public func write(to writer: inout CBORWriter) {}
}

/// PUT V/checkpoint.
public struct PutCheckpointRequest: WireMessage {
  /// Elements after the version.
  public static let elementCount = 2
  /// The incarnation that the checkpoint speaks of.
  public var incarnation: [UInt8]
  /// The checkpoint.
  public var checkpoint: [UInt8]

  /// A request.
  public init(incarnation: [UInt8], checkpoint: [UInt8]) {
    self.incarnation = incarnation
    self.checkpoint = checkpoint
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    incarnation = try reader.incarnation()
    checkpoint = try reader.blob(atMost: RelayLimits.checkpointBytes)
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.byteString(incarnation)
    writer.byteString(checkpoint)
  }
}

/// The answer to GET /v1/recovery/L.
public struct RecoveryPage: WireMessage {
  /// Elements after the version.
  public static let elementCount = 5
  /// The vault; a claim until the chain is verified.
  public var vault: [UInt8]
  /// The vault's incarnation.
  public var incarnation: [UInt8]
  /// Chain entries from the number that was asked for on.
  public var entries: [[UInt8]]
  /// How many entries the chain has.
  public var chainLength: UInt64
  /// Keyrings for that recovery key, newest epoch first.
  public var keyrings: [[UInt8]]

  /// An answer.
  public init(vault: [UInt8], incarnation: [UInt8], entries: [[UInt8]], chainLength: UInt64, keyrings: [[UInt8]]) {
    self.vault = vault
    self.incarnation = incarnation
    self.entries = entries
    self.chainLength = chainLength
    self.keyrings = keyrings
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    vault = try reader.identifier()
    incarnation = try reader.incarnation()
    entries = try reader.blobs(atMost: RelayLimits.batchCount, each: RelayLimits.entryBytes)
    chainLength = try reader.unsigned(atMost: RelayLimits.chainLength)
    keyrings = try reader.blobs(atMost: RelayLimits.batchCount, each: RelayLimits.keyringBytes)
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.byteString(vault)
    writer.byteString(incarnation)
    writer.byteStrings(entries)
    writer.unsigned(chainLength)
    writer.byteStrings(keyrings)
  }
}
