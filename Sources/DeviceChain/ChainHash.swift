public import RelayWire
internal import CBOR
internal import VaultCrypto

/// The hashes that name things in a chain (Docs/Formats.md §4).
public enum ChainHash {
  /// The hash of an entry; of genesis it is the vault id. Signatures are no part of it.
  public static func entry(_ entry: ChainEntry) -> [UInt8] {
    Digest.hash("lockstep/chain-entry/1", [.bytes(entry.contentBytes)])
  }

  /// The id of a device.
  public static func deviceID(_ keys: DevicePublicKeys) -> [UInt8] {
    Digest.hash("lockstep/device-id/1", keys.elements)
  }

  /// The id of a recovery key.
  public static func recoveryID(_ recovery: RecoveryPublicKeys) -> [UInt8] {
    recoveryID(signing: recovery.signing, sealing: recovery.sealing)
  }

  /// The id of a recovery key of these public keys.
  public static func recoveryID(signing: [UInt8], sealing: [UInt8]) -> [UInt8] {
    Digest.hash("lockstep/recovery-id/1", [.bytes(signing), .bytes(sealing)])
  }
}
