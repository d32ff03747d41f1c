import DeviceChain
import Membership
import RelayWire
import SealedRecords
import Testing
import VaultCrypto
import VaultModel
import VaultStore

@testable import VaultSync

/// Records that a broken or lying device makes, and one that nobody made.
extension TestDevice {
  /// A fresh item of this primary key.
  func newItem(_ account: String, _ secret: String, _ accessible: Accessibility = .afterFirstUnlock) throws -> ItemState
  {
    let values: [AttributeName: AttributeValue] = [
      .account: .text(account), .service: .text("mail"), .accessGroup: .text("lockstep"),
      .secret: .bytes(Array(secret.utf8)), .accessible: .text(accessible.rawValue),
    ]
    return try ItemState(itemClass: .genericPassword).adding(
      values, dot: Dot(device: device, counter: clock << 20 | 77), clock: clock, floor: VersionVector())
  }

  /// `item` sealed by this device for `account`'s slot, with something wrong about it.
  func forge(
    _ item: ItemState, in account: String, _ sealing: ProtectionClass = .afterFirstUnlock, epoch: UInt64? = nil,
    head: [UInt8]? = nil, signer: PushSigner? = nil
  ) throws -> [UInt8] {
    let slot = try slot(account)
    return try withVault { vault in
      let secrets = try #require(vault.secretsC)
      let keyID = SealingKeyID.vault(epoch: epoch ?? vault.chain.epoch, sealing)
      let key = try #require(vault.sealingKey(keyID))
      let author = RecordAuthor(
        device: device, head: head ?? vault.chain.head, signer: signer ?? secrets.signer)
      return try RecordSealer.seal(
        item, vault: vault.row.vaultID, slot: slot, keyID: keyID, key: key.key, author: author
      ).bytes
    }
  }

  /// Pushes bytes past this device's own store.
  @discardableResult
  func pushRaw(_ record: [UInt8], in account: String, base: UInt64 = 0) throws -> PushAnswer {
    let slot = try slot(account)
    let item = PushItem(slot: slot.bytes, base: base, content: .record(record))
    return try #require(try api.push(incarnation: vault.row.incarnation, [item]).first)
  }

  /// Sequence of what the relay holds in a slot, as this device knows it.
  func base(_ account: String) throws -> UInt64 {
    let slot = try slot(account)
    return try withVault { try $0.store.served(vault: $0.id, slot: slot)?.sequence ?? 0 }
  }
}

extension PushSigner {
  static func random() -> PushSigner { PushSigner(.random()) }
}
