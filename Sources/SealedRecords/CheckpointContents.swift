internal import CBOR
public import VaultModel

/// What a device has received of a vault, as it tells the others (Docs/Formats.md §7).
public struct CheckpointContents: Hashable, Sendable {
  /// The most quarantined slots.
  public static let maximumQuarantined = 10_000

  /// Counts the author's checkpoints.
  public var number: UInt64
  /// The relay's incarnation, 16 bytes.
  public var incarnation: [UInt8]
  /// Everything up to this relay sequence is durably received.
  public var sequence: UInt64
  /// The set hash of the records served at that sequence.
  public var setHash: [UInt8]
  /// The slots whose records were refused, ascending.
  public var quarantined: [SlotID]
  /// Whether no write was waiting to be pushed.
  public var isClean: Bool
  /// The author's greatest counter.
  public var ownCounter: UInt64
  /// The join of the vectors of all purged tombstones.
  public var floor: VersionVector
  /// The greatest relay sequence of a purged tombstone.
  public var greatestPurged: UInt64
  /// The hash of the newest chain entry that the author knew.
  public var head: [UInt8]
  /// That entry's number.
  public var chainNumber: UInt64

  /// Contents; `quarantined` may come in any order.
  public init(
    number: UInt64, incarnation: [UInt8], sequence: UInt64, setHash: [UInt8], quarantined: [SlotID], isClean: Bool,
    ownCounter: UInt64, floor: VersionVector, greatestPurged: UInt64, head: [UInt8], chainNumber: UInt64
  ) {
    self.number = number
    self.incarnation = incarnation
    self.sequence = sequence
    self.setHash = setHash
    self.quarantined = Set(quarantined).sorted()
    self.isClean = isClean
    self.ownCounter = ownCounter
    self.floor = floor
    self.greatestPurged = greatestPurged
    self.head = head
    self.chainNumber = chainNumber
  }

  var encoded: [UInt8] {
    var writer = CBORWriter(capacity: 512 + 34 * quarantined.count + 48 * floor.entries.count)
    writer.array(12)
    writer.unsigned(1)
    writer.unsigned(number)
    writer.byteString(incarnation)
    writer.unsigned(sequence)
    writer.byteString(setHash)
    writer.array(quarantined.count)
    for slot in quarantined { writer.byteString(slot.bytes) }
    writer.bool(isClean)
    writer.unsigned(ownCounter)
    writer.vector(floor)
    writer.unsigned(greatestPurged)
    writer.byteString(head)
    writer.unsigned(chainNumber)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(RecordError) {
    self = try decodingStrictly(bytes, atMost: Checkpoint.maximumLength) { reader in
      try reader.message(12)
      return CheckpointContents(
        number: try reader.unsigned(), incarnation: try reader.byteString(16), sequence: try reader.unsigned(),
        setHash: try reader.byteString(32), quarantined: try Self.slots(&reader), isClean: try reader.bool(),
        ownCounter: try reader.unsigned(), floor: try reader.vector(), greatestPurged: try reader.unsigned(),
        head: try reader.byteString(32), chainNumber: try reader.unsigned())
    }
  }

  private static func slots(_ reader: inout CBORReader) throws -> [SlotID] {
    let count = try reader.array()
    guard count <= maximumQuarantined else { throw RecordError.malformed }
    var slots: [SlotID] = []
    for _ in 0..<count {
      guard let slot = SlotID(try reader.byteString(32)) else { throw RecordError.malformed }
      if let last = slots.last, last >= slot { throw RecordError.malformed }
      slots.append(slot)
    }
    return slots
  }
}
