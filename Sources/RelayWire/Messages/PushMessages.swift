public import CBOR

/// What a slot of the relay holds.
public enum SlotContent: Sendable, Equatable {
  /// A sealed record (Docs/Formats.md §2).
  case record([UInt8])
  /// A purge event (Docs/Formats.md §7): the slot is empty, and this says why.
  case purge([UInt8])

  /// The bytes of either.
  public var bytes: [UInt8] {
    switch self {
    case .record(let bytes), .purge(let bytes): bytes
    }
  }

  /// Reads kind and bytes; a record has at most `limit` bytes.
  init(reading reader: inout CBORReader, limit: Int) throws(CBORError) {
    let isPurge = try reader.unsigned(atMost: 1) == 1
    let bytes = try reader.blob(atMost: isPurge ? RelayLimits.purgeBytes : limit)
    self = isPurge ? .purge(bytes) : .record(bytes)
  }

  /// Writes kind and bytes.
  func write(to writer: inout CBORWriter) {
    switch self {
    case .record(let bytes):
      writer.unsigned(0)
      writer.byteString(bytes)
    case .purge(let bytes):
      writer.unsigned(1)
      writer.byteString(bytes)
    }
  }
}

/// One element of a push.
public struct PushItem: Sendable, Equatable {
  /// Where it goes.
  public var slot: [UInt8]
  /// The sequence of the record that this one replaces; 0 for a slot that holds none.
  public var base: UInt64
  /// The record, or the purge of a tombstone.
  public var content: SlotContent

  /// An element.
  public init(slot: [UInt8], base: UInt64, content: SlotContent) {
    self.slot = slot
    self.base = base
    self.content = content
  }
}

/// POST V/records.
public struct PushRequest: WireMessage {
  /// Elements after the version.
  public static let elementCount = 2
  /// The incarnation that the bases belong to.
  public var incarnation: [UInt8]
  /// At most `RelayLimits.batchCount` elements.
  public var items: [PushItem]

  /// A request.
  public init(incarnation: [UInt8], items: [PushItem]) {
    self.incarnation = incarnation
    self.items = items
  }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    incarnation = try reader.incarnation()
    let count = try reader.array()
    guard count <= RelayLimits.batchCount else { throw .outOfRange }
    items = []
    for _ in 0..<count {
      try reader.array(4)
      let slot = try reader.identifier()
      let base = try reader.unsigned()
      // A record that is too large is refused by itself, so it is read here.
      items.append(
        PushItem(slot: slot, base: base, content: try SlotContent(reading: &reader, limit: RelayLimits.bodyBytes)))
    }
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.byteString(incarnation)
    writer.array(items.count)
    for item in items {
      writer.array(4)
      writer.byteString(item.slot)
      writer.unsigned(item.base)
      item.content.write(to: &writer)
    }
  }
}

/// Why a relay refuses one element of a push.
public enum RefusalCode: String, Sendable, CaseIterable {
  /// The device may not write.
  case role
  /// The record's author is not the signing device.
  case author
  /// The record's epoch is not the newest one of the chain.
  case epoch
  /// Over a limit.
  case tooLarge = "too-large"
  /// The vault's quota is full.
  case quota
  /// Not the form of a record or purge, or a purge that does not name what the slot holds.
  case malformed
}

/// The relay's answer to one element of a push.
public enum PushAnswer: Sendable, Equatable {
  /// It is on the relay's disk, with this sequence.
  case stored(UInt64)
  /// The slot holds another record, with this sequence; nil when the answer had no room for it, then a pull brings it.
  case conflict(UInt64, [UInt8]?)
  /// The slot holds no record, though one was to be replaced.
  case gone
  /// Refused.
  case refused(RefusalCode)

  /// Reads an answer.
  init(reading reader: inout CBORReader) throws(CBORError) {
    let count = try reader.array()
    let kind = try reader.unsigned(atMost: 3)
    switch (kind, count) {
    case (0, 2): self = .stored(try reader.unsigned())
    case (1, 3):
      let sequence = try reader.unsigned()
      self = .conflict(sequence, try reader.null() ? nil : try reader.blob(atMost: RelayLimits.recordBytes))
    case (2, 1): self = .gone
    case (3, 2):
      guard let code = RefusalCode(rawValue: try reader.text(atMost: 32)) else { throw .outOfRange }
      self = .refused(code)
    default: throw .outOfRange
    }
  }

  /// Writes an answer.
  func write(to writer: inout CBORWriter) {
    switch self {
    case .stored(let sequence):
      writer.array(2)
      writer.unsigned(0)
      writer.unsigned(sequence)
    case .conflict(let sequence, let record):
      writer.array(3)
      writer.unsigned(1)
      writer.unsigned(sequence)
      if let record { writer.byteString(record) } else { writer.null() }
    case .gone:
      writer.array(1)
      writer.unsigned(2)
    case .refused(let code):
      writer.array(2)
      writer.unsigned(3)
      writer.text(code.rawValue)
    }
  }
}

/// The answer to POST V/records.
public struct PushAnswers: WireMessage {
  /// Elements after the version.
  public static let elementCount = 1
  /// One answer for each element, in order.
  public var answers: [PushAnswer]

  /// The answers.
  public init(answers: [PushAnswer]) { self.answers = answers }

  /// Reads the elements.
  public init(reading reader: inout CBORReader) throws(CBORError) {
    let count = try reader.array()
    guard count <= RelayLimits.batchCount else { throw .outOfRange }
    answers = []
    for _ in 0..<count { answers.append(try PushAnswer(reading: &reader)) }
  }

  /// Writes the elements.
  public func write(to writer: inout CBORWriter) {
    writer.array(answers.count)
    for answer in answers { answer.write(to: &writer) }
  }
}
