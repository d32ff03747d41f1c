internal import CBOR
internal import VaultCrypto

/// `commitment(kind, key, epoch)` of Docs/Formats.md §3. Keys are random 256-bit values, so a published commitment tells
/// nothing about them.
enum KeyCommitment {
  static func a(_ key: SharedKey<SealingRole>, salt: [UInt8], epoch: UInt64) -> [UInt8] {
    commit(key, "A", salt, epoch)
  }

  static func c(_ key: SharedKey<SealingRole>, salt: [UInt8], epoch: UInt64) -> [UInt8] {
    commit(key, "C", salt, epoch)
  }

  static func slot(_ key: SharedKey<SlotRole>, salt: [UInt8]) -> [UInt8] { commit(key, "slot", salt, 0) }

  static func setHash(_ key: SharedKey<SetHashRole>, salt: [UInt8]) -> [UInt8] { commit(key, "set-hash", salt, 0) }

  static func recovery(_ key: SharedKey<PreSharedRole>, salt: [UInt8]) -> [UInt8] { commit(key, "recovery", salt, 0) }

  private static func commit<Role: KeyRole>(
    _ key: SharedKey<Role>, _ kind: String, _ salt: [UInt8], _ epoch: UInt64
  ) -> [UInt8] {
    key.key.authenticate("lockstep/key-commitment/1", [.text(kind), .bytes(salt), .unsigned(epoch)])
  }
}
