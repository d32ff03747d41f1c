internal import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// Checkpoints: at one sequence of one incarnation all devices must have been served the same records (Docs/Formats.md §7).
extension OpenVault {
  /// Compares the other devices' checkpoints with what this device was served. A fork stops the vault's sync.
  public func check(_ checkpoints: [[UInt8]], head: UInt64) throws {
    for bytes in checkpoints {
      guard let sealed = try? Checkpoint(decoding: bytes) else { continue }
      guard let device = chain.activeDevice(sealed.author.bytes),
        let key = secretsC?.keyring.keys.key(epoch: sealed.epoch),
        let contents = try? sealed.open(vault: row.vaultID, pushSigningKey: device.keys.pushSigning, key: key.key)
      else { continue }
      guard contents.incarnation == row.incarnation, sealed.author != row.deviceID else { continue }
      if contents.sequence > head {
        alarm =
          "device \(short(sealed.author)) was served records up to \(contents.sequence), this one only up to \(head): the relay hides records or went back"
        continue
      }
      if contents.chainNumber > chain.number {
        alarm = "device \(short(sealed.author)) knows a longer device chain than the relay serves here"
      }
      guard let own = try store.setHash(sequence: contents.sequence, incarnation: row.incarnation, vault: id) else {
        continue
      }
      if own != contents.setHash {
        try changing {
          row.state = .forked
          row.evidence =
            "at sequence \(contents.sequence) the relay served this device other records than device \(short(sealed.author))"
        }
        return
      }
    }
  }

  private func short(_ device: DeviceID) -> String { Fingerprint.text(device) }

  /// A new checkpoint at the last complete pull, with its number stored before it is handed out; nil if there is nothing to say:
  /// no complete pull, own records beyond it, or the same head as last time.
  func makeCheckpoint() throws -> [UInt8]? {
    guard row.checkpointSequence != row.complete else { return nil }
    return try currentCheckpoint()
  }

  /// A checkpoint at the last complete pull, also for a joining device; nil before a complete pull or with own records beyond it.
  public func currentCheckpoint() throws -> [UInt8]? {
    guard let complete = row.complete, greatestServed <= complete, let secretsC,
      let key = secretsC.keyring.keys.key(epoch: chain.epoch)
    else { return nil }
    let isClean =
      try !store.hasUnstored(vault: id) && store.dirtyItems(vault: id, limit: 1).isEmpty
    try changing {
      row.checkpointNumber += 1
      if isClean { row.cleanCounter = row.counter }
    }
    let quarantined = Set(try store.inbox(vault: id).filter { !$0.reason.isEmpty }.map(\.slot))
    let contents = CheckpointContents(
      number: row.checkpointNumber, incarnation: row.incarnation, sequence: complete, setHash: setHash.digest,
      quarantined: quarantined.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }, isClean: isClean,
      ownCounter: row.cleanCounter, floor: VersionVector(), greatestPurged: 0, head: chain.head,
      chainNumber: chain.number)
    return try Checkpoint.seal(
      contents, vault: row.vaultID, epoch: chain.epoch, key: key.key, author: row.deviceID, signer: secretsC.signer
    ).bytes
  }

  /// The checkpoint at the last complete pull reached the relay.
  func checkpointPublished(sequence: UInt64?) throws {
    try changing { row.checkpointSequence = sequence }
  }
}
