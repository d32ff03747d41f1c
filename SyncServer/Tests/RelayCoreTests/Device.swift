import CBOR
import DeviceChain
import RelayWire
import TextCoding
import VaultCrypto

/// A device with the keys that a relay sees used.
final class Device: RequestSigner {
  let chainSigning = SigningKey<ChainSigningRole>.random()
  let pushSigning = SigningKey<PushSigningRole>.random()
  let keys: DevicePublicKeys

  init() {
    keys = DevicePublicKeys(
      chainSigning: chainSigning.publicKey, exchangeA: Randomness.bytes(32), pushSigning: pushSigning.publicKey,
      exchangeC: Randomness.bytes(32))
  }

  var id: [UInt8] { ChainHash.deviceID(keys) }
  var keyIdentifier: String { Hex.encode(id) }

  func sign(_ message: [UInt8]) -> [UInt8] { pushSigning.sign(message: message) }

  func signature(_ content: [UInt8]) -> ChainSignature {
    ChainSignature(kind: .device, signer: id, signature: ChainSigning.sign(content: content, chainSigning))
  }

  func joinSignature(_ vault: [UInt8], _ name: ChainName, _ mailbox: [UInt8]) -> ChainSignature {
    ChainSignature(
      kind: .joiningDevice, signer: id,
      signature: ChainSigning.signJoin(
        device: keys, vaultID: vault, nameCommitment: name.commitment, mailbox: mailbox, chainSigning))
  }

  /// A sealed record as far as a relay looks into one.
  func record(epoch: UInt64 = 1, size: Int = 300, author: [UInt8]? = nil) -> [UInt8] {
    let value: CBORValue = [
      1, [0, .unsigned(epoch), 3], .bytes(author ?? id), .bytes(Randomness.bytes(32)), .bytes(Randomness.bytes(24)),
      .bytes(Randomness.bytes(32)), .bytes(Randomness.bytes(16)), .bytes(Randomness.bytes(size)),
      .bytes(Randomness.bytes(64)),
    ]
    return value.encoded
  }

  func purge(
    slot: [UInt8], sequence: UInt64, of record: [UInt8], incarnation: [UInt8], author: [UInt8]? = nil
  ) -> [UInt8] {
    let value: CBORValue = [
      1, .bytes(slot), .unsigned(sequence), .bytes(Digest.hash("lockstep/record-hash/1", [.bytes(record)])),
      .bytes(incarnation), .bytes(Randomness.bytes(32)), .bytes(author ?? id), .bytes(Randomness.bytes(64)),
    ]
    return value.encoded
  }

  func checkpoint(epoch: UInt64 = 1, size: Int = 200, author: [UInt8]? = nil) -> [UInt8] {
    let value: CBORValue = [
      1, .bytes(author ?? id), .unsigned(epoch), .bytes(Randomness.bytes(24)), .bytes(Randomness.bytes(size)),
      .bytes(Randomness.bytes(64)),
    ]
    return value.encoded
  }
}

/// A recovery key.
final class Recovery: Sendable {
  let signing = SigningKey<RecoverySigningRole>.random()
  let keys: RecoveryPublicKeys

  init(locator: [UInt8] = Randomness.bytes(32)) {
    keys = RecoveryPublicKeys(
      signing: signing.publicKey, sealing: Randomness.bytes(32), commitment: Randomness.bytes(32), locator: locator,
      name: anyName())
  }

  var id: [UInt8] { ChainHash.recoveryID(keys) }

  func signature(_ content: [UInt8]) -> ChainSignature {
    ChainSignature(kind: .recoveryKey, signer: id, signature: ChainSigning.sign(content: content, signing))
  }
}

func anyName(epoch: UInt64 = 1) -> ChainName {
  ChainName(
    commitment: Randomness.bytes(32), epoch: epoch, nonce: Randomness.bytes(24), sealed: Randomness.bytes(272))
}

func anyCommitments() -> EpochCommitments { EpochCommitments(a: Randomness.bytes(32), c: Randomness.bytes(32)) }
