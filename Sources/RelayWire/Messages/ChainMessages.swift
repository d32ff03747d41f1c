public import CBOR

/// The answer to GET V/chain.
public struct ChainPage: WireMessage {
  /// Elements after the version.
  public static let elementCount = 2
  /// Entries from the number that was asked for on.
  public var entries: [[UInt8]]
  /// How many entries the chain has.
  public var chainLength: UInt64

  /// A page.
  public init(entries: [[UInt8]], chainLength: UInt64) {
    self.entries = entries
    self.chainLength = chainLength
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    entries = try reader.blobs(atMost: RelayLimits.batchCount, each: RelayLimits.entryBytes)
    chainLength = try reader.unsigned(atMost: RelayLimits.chainLength)
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.byteStrings(entries)
    writer.unsigned(chainLength)
  }
}

/// POST V/chain.
public struct AppendEntryRequest: WireMessage {
  /// Elements after the version.
  public static let elementCount = 4
  /// The hash of the entry that this one follows.
  public var expectedHead: [UInt8]
  /// The entry.
  public var entry: [UInt8]
  /// Keyrings that belong to it and are stored together with it.
  public var keyrings: [[UInt8]]
  /// True if the entry stands in the device's verified chain already and the relay lost it: then its feed position is history.
  public var isRepair: Bool

  /// A request.
  public init(expectedHead: [UInt8], entry: [UInt8], keyrings: [[UInt8]], isRepair: Bool) {
    self.expectedHead = expectedHead
    self.entry = entry
    self.keyrings = keyrings
    self.isRepair = isRepair
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    expectedHead = try reader.identifier()
    entry = try reader.blob(atMost: RelayLimits.entryBytes)
    keyrings = try reader.blobs(atMost: RelayLimits.keyringCount, each: RelayLimits.keyringBytes)
    isRepair = try reader.bool()
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.byteString(expectedHead)
    writer.byteString(entry)
    writer.byteStrings(keyrings)
    writer.bool(isRepair)
  }
}

/// The answer to POST V/chain.
public struct AppendEntryAnswer: WireMessage {
  /// Elements after the version.
  public static let elementCount = 1
  /// The number of the entry.
  public var number: UInt64

  /// An answer.
  public init(number: UInt64) { self.number = number }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    number = try reader.unsigned(atMost: RelayLimits.chainLength)
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) { writer.unsigned(number) }
}

/// The answer to GET V/keyrings.
public struct KeyringsPage: WireMessage {
  /// Elements after the version.
  public static let elementCount = 2
  /// Keyrings in the order in which the relay got them.
  public var keyrings: [[UInt8]]
  /// The number to ask on from; nil on the last page.
  public var next: UInt64?

  /// A page.
  public init(keyrings: [[UInt8]], next: UInt64?) {
    self.keyrings = keyrings
    self.next = next
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    keyrings = try reader.blobs(atMost: RelayLimits.batchCount, each: RelayLimits.keyringBytes)
    next = try reader.null() ? nil : try reader.unsigned()
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.byteStrings(keyrings)
    if let next { writer.unsigned(next) } else { writer.null() }
  }
}

/// POST V/keyrings.
public struct PutKeyringsRequest: WireMessage {
  /// Elements after the version.
  public static let elementCount = 1
  /// The keyrings.
  public var keyrings: [[UInt8]]

  /// A request.
  public init(keyrings: [[UInt8]]) { self.keyrings = keyrings }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    keyrings = try reader.blobs(atMost: RelayLimits.keyringCount, each: RelayLimits.keyringBytes)
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) { writer.byteStrings(keyrings) }
}
