internal import CBOR
internal import RelayWire
internal import VaultCrypto

/// What a relay reads of a sealed record (Docs/Formats.md §2): who wrote it and under which epoch. Nothing else concerns it.
struct RecordHeader {
  let epoch: UInt64
  let author: [UInt8]

  /// Reads the beginning of a record; nil if it is not that of a vault's record.
  init?(_ record: [UInt8]) {
    do throws(CBORError) {
      var reader = CBORReader(record)
      try reader.array(9)
      guard try reader.unsigned() == 1 else { return nil }
      try reader.array(3)
      guard try reader.unsigned() == 0 else { return nil }
      epoch = try reader.unsigned()
      let sealingClass = try reader.unsigned()
      guard sealingClass == 1 || sealingClass == 3 else { return nil }
      author = try reader.byteString(RelayLimits.identifierBytes)
    } catch { return nil }
  }

  /// The record hash that purges name (Docs/Formats.md §7).
  static func hash(of record: [UInt8]) -> [UInt8] {
    Digest.hash("lockstep/record-hash/1", [.bytes(record)])
  }
}

/// A purge event (Docs/Formats.md §7), read whole.
struct PurgeEvent {
  let slot: [UInt8]
  let sequence: UInt64
  let recordHash: [UInt8]
  let incarnation: [UInt8]
  let author: [UInt8]

  init?(_ purge: [UInt8]) {
    do throws(CBORError) {
      var reader = CBORReader(purge)
      try reader.array(8)
      guard try reader.unsigned() == 1 else { return nil }
      slot = try reader.byteString(RelayLimits.identifierBytes)
      sequence = try reader.unsigned()
      recordHash = try reader.byteString(RelayLimits.identifierBytes)
      incarnation = try reader.byteString(RelayLimits.incarnationBytes)
      _ = try reader.byteString(RelayLimits.identifierBytes)
      author = try reader.byteString(RelayLimits.identifierBytes)
      _ = try reader.byteString(Signature.length)
      try reader.end()
    } catch { return nil }
  }
}

/// What a relay reads of a checkpoint (Docs/Formats.md §7).
struct CheckpointHeader {
  let author: [UInt8]
  let epoch: UInt64

  init?(_ checkpoint: [UInt8]) {
    do throws(CBORError) {
      var reader = CBORReader(checkpoint)
      try reader.array(6)
      guard try reader.unsigned() == 1 else { return nil }
      author = try reader.byteString(RelayLimits.identifierBytes)
      epoch = try reader.unsigned()
      _ = try reader.byteString(24)
      _ = try reader.byteString()
      _ = try reader.byteString(Signature.length)
      try reader.end()
    } catch { return nil }
  }
}
