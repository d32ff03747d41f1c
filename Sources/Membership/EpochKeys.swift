internal import CBOR
internal import RelayWire
public import VaultCrypto

/// The account keys of one kind, by epoch. Invariants: at least one, ascending, at most 1,024.
public struct EpochKeys: Sendable {
  /// An account key and its epoch.
  public struct Entry: Sendable {
    /// The epoch, from 1.
    public let epoch: UInt64
    /// Its key.
    public let key: SharedKey<SealingRole>
  }

  /// The keys, oldest first.
  public let entries: [Entry]

  private init(entries: [Entry]) { self.entries = entries }

  /// A random key for epoch 1.
  public static func fresh() -> EpochKeys { EpochKeys(entries: [Entry(epoch: 1, key: SharedKey(.random()))]) }

  /// The newest epoch.
  public var epoch: UInt64 { entries.last?.epoch ?? 0 }

  /// The key of an epoch, if it is held.
  public func key(epoch: UInt64) -> SharedKey<SealingRole>? { entries.last { $0.epoch == epoch }?.key }

  /// These keys and a random one for the next epoch; the oldest goes where 1,024 are exceeded.
  public func rotated() -> EpochKeys {
    let next = entries + [Entry(epoch: epoch + 1, key: SharedKey(.random()))]
    return EpochKeys(entries: Array(next.suffix(ChainLimits.keyringEpochs)))
  }

  /// These keys and what `other` holds beside them.
  public func joined(_ other: EpochKeys) -> EpochKeys {
    let added = other.entries.filter { key(epoch: $0.epoch) == nil }
    let all = (entries + added).sorted { $0.epoch < $1.epoch }
    return EpochKeys(entries: Array(all.suffix(ChainLimits.keyringEpochs)))
  }

  /// These keys without those of epochs below `epoch`; the newest always stays.
  public func dropping(below epoch: UInt64) -> EpochKeys {
    EpochKeys(entries: entries.filter { $0.epoch >= min(epoch, self.epoch) })
  }

  func write(to writer: inout CBORWriter) {
    writer.array(entries.count)
    for entry in entries {
      writer.array(2)
      writer.unsigned(entry.epoch)
      writer.secret(entry.key)
    }
  }

  init(reading reader: inout CBORReader) throws(CBORError) {
    let count = try reader.array()
    guard (1...ChainLimits.keyringEpochs).contains(count) else { throw .outOfRange }
    var entries: [Entry] = []
    var previous: UInt64 = 0
    for _ in 0..<count {
      try reader.array(2)
      let epoch = try reader.unsigned()
      // Epochs begin at 1 and have no end near the greatest number: a chain has 10,000 entries.
      guard epoch > previous, epoch <= ChainLimits.entries else { throw .outOfRange }
      previous = epoch
      entries.append(Entry(epoch: epoch, key: try reader.secret()))
    }
    self.entries = entries
  }
}

extension CBORWriter {
  /// A key as a byte string. The writer must have room already: growing would leave a copy behind.
  mutating func secret<Role: KeyRole>(_ key: SharedKey<Role>) {
    var bytes = key.key.exportBytes()
    byteString(bytes)
    wipe(&bytes)
  }
}

extension CBORReader {
  /// A byte string of 32 as a key.
  mutating func secret<Role: KeyRole>() throws(CBORError) -> SharedKey<Role> {
    var bytes = try byteString(ChainLimits.idBytes)
    do {
      return SharedKey(try SymmetricKey<Role>(consuming: &bytes))
    } catch {
      throw .outOfRange
    }
  }
}
