internal import DeviceChain
internal import Membership
internal import RelayWire
internal import SealedRecords
internal import VaultCrypto
internal import VaultModel
internal import VaultStore

/// A checkpoint that disagreed with what this device was served.
struct Disagreement: Sendable, Equatable {
  let number: UInt64
  let sequence: UInt64
}

/// Checkpoints: at one sequence of one incarnation all devices must have been served the same records (Docs/Formats.md §7).
extension OpenVault {
  /// Compares the devices' checkpoints with what this device was served; `head` is of the same snapshot. False if everything is
  /// pulled again.
  ///
  /// A relay that lost its newest records, and got others at the same sequences before every device had looked, leaves devices
  /// that disagree although nobody lies. Whoever disagrees therefore receives everything again first and publishes anew. A device
  /// that did so too, which shows in a second checkpoint at the same sequence, and still disagrees, is served something else.
  func check(_ checkpoints: [[UInt8]], head: UInt64) throws -> Bool {
    var isNew = false
    for bytes in checkpoints {
      guard let (author, contents) = opened(bytes) else { continue }
      if author == row.deviceID {
        if contents.number > row.checkpointNumber {
          report("somebody goes on with a copy of this device's store: recover or join again on one of the two")
        }
        continue
      }
      guard try checkHead(contents, author) else { return true }
      guard contents.incarnation == row.incarnation else { continue }
      if contents.sequence > head {
        report(
          "device \(short(author)) was served records up to \(contents.sequence), this one only up to \(head): the relay hides records or went back"
        )
        continue
      }
      guard let own = try store.setHash(sequence: contents.sequence, incarnation: row.incarnation, vault: id) else {
        continue
      }
      guard own != contents.setHash else {
        disagreements[author] = nil
        continue
      }
      let finding =
        "at sequence \(contents.sequence) the relay served this device other records than device \(short(author))"
      let known = disagreements[author]
      if let known, known.sequence == contents.sequence, known.number < contents.number {
        try stop(finding)
        return true
      }
      let disagreement = Disagreement(number: contents.number, sequence: contents.sequence)
      if known == disagreement {
        report("\(finding) (one of the two goes back to an old backup of the relay, or the relay lies to one of them)")
      } else {
        disagreements[author] = disagreement
        isNew = true
      }
    }
    guard isNew else { return true }
    try startOver(incarnation: row.incarnation)
    return false
  }

  /// The setting that keeps the inviting device's checkpoint until everything was received once.
  public static func invitationSetting(_ vault: Int64) -> String { "invitation-checkpoint-\(vault)" }

  /// The same with the checkpoint that came with the invitation, if this is the first complete pull.
  func checkInvitation(head: UInt64) throws -> Bool {
    let setting = Self.invitationSetting(id)
    guard let checkpoint = try store.setting(setting) else { return true }
    if let (_, contents) = opened(checkpoint), contents.incarnation != row.incarnation {
      report("the inviting device knew another incarnation of the relay: it was restored meanwhile, or hides records")
    }
    guard try check([checkpoint], head: head) else { return false }
    try store.transaction { try store.setSetting(setting, nil) }
    return true
  }

  /// Verified and opened; nil where that cannot be done.
  private func opened(_ bytes: [UInt8]) -> (author: DeviceID, contents: CheckpointContents)? {
    guard let sealed = try? Checkpoint(decoding: bytes), let device = chain.activeDevice(sealed.author.bytes),
      let key = secretsC?.keyring.keys.key(epoch: sealed.epoch),
      let contents = try? sealed.open(vault: row.vaultID, pushSigningKey: device.keys.pushSigning, key: key.key)
    else { return nil }
    return (sealed.author, contents)
  }

  /// Whether the chain entry that a checkpoint names is in the chain here. One that is not, at a place that is, is a fork.
  private func checkHead(_ contents: CheckpointContents, _ author: DeviceID) throws -> Bool {
    if contents.chainNumber > chain.number {
      report("device \(short(author)) knows a longer device chain than the relay serves here")
    } else if chain.number(ofHead: contents.head) != contents.chainNumber {
      try stop("the relay served device \(short(author)) another device chain than this one")
      return false
    }
    return true
  }

  /// The relay was caught in what no accident explains: the vault's sync stops until a person decides.
  func stop(_ evidence: String) throws {
    try changing {
      row.state = .forked
      row.evidence = evidence
    }
  }

  private func short(_ device: DeviceID) -> String { Fingerprint.text(device) }

  /// A new checkpoint at the last complete pull, with its number stored before it is handed out; nil if there is nothing to say:
  /// no complete pull, own records beyond it, or the same head and chain as last time.
  func makeCheckpoint() throws -> [UInt8]? {
    guard row.checkpointSequence != row.complete || row.checkpointChain != chain.number else { return nil }
    return try currentCheckpoint()
  }

  /// A checkpoint at the last complete pull, also for a joining device; nil before a complete pull or with own records beyond it.
  public func currentCheckpoint() throws -> [UInt8]? {
    guard let complete = row.complete, greatestServed <= complete, row.state == .active, let secretsC,
      let key = secretsC.keyring.keys.key(epoch: chain.epoch)
    else { return nil }
    let isClean = try !store.hasUnstored(vault: id) && !store.hasDirty(vault: id)
    try changing {
      // One that is made again at one sequence keeps its number: a second number there says that everything was received again.
      if row.checkpointMade != complete { row.checkpointNumber += 1 }
      row.checkpointMade = complete
      if isClean { row.cleanCounter = row.counter }
    }
    let contents = CheckpointContents(
      number: row.checkpointNumber, incarnation: row.incarnation, sequence: complete, setHash: setHash.digest,
      quarantined: try store.quarantinedSlots(vault: id, limit: CheckpointContents.maximumQuarantined),
      isClean: isClean, ownCounter: row.cleanCounter, floor: VersionVector(), greatestPurged: 0, head: chain.head,
      chainNumber: chain.number)
    return try Checkpoint.seal(
      contents, vault: row.vaultID, epoch: chain.epoch, key: key.key, author: row.deviceID, signer: secretsC.signer
    ).bytes
  }

  /// The checkpoint at the complete pull of `point` reached the relay.
  func checkpointPublished(at point: SyncPoint, sequence: UInt64?) throws {
    guard generation == point.generation else { return }
    try changing {
      row.checkpointSequence = sequence
      row.checkpointChain = point.chainLength - 1
    }
  }
}
