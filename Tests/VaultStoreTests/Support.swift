import Foundation
import SQLiteKit
import SealedRecords
import Testing
import VaultModel

@testable import VaultStore

/// A store in a folder that goes when the test is over.
final class TestStore {
  let path: String
  private let folder: String
  let store: VaultStore

  init() throws {
    folder = NSTemporaryDirectory() + "/lockstep-store-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    path = folder + "/lockstep.db"
    store = try VaultStore(path: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Adds a vault; answers its row id.
  func addVault(_ name: String = "personal") throws -> Int64 {
    try store.insert(
      VaultRow(
        vaultID: try Self.id(VaultID.init), name: name, relay: "http://relay", deviceID: try Self.id(DeviceID.init),
        secretsA: [1], secretsC: [2], incarnation: [], setHash: [], listingDigest: []))
  }

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }

  private static func id<ID>(_ make: ([UInt8]) -> ID?) throws -> ID { try #require(make(bytes(32))) }

  static func slot() -> SlotID {
    guard let slot = SlotID(bytes(32)) else { fatalError("a slot has 32 bytes") }
    return slot
  }

  /// An item whose record has `size` bytes.
  static func item(
    _ slot: SlotID = slot(), scope: ItemScope = .vault, size: Int = 300, isDeleted: Bool = false, isDirty: Bool = false,
    hasConflict: Bool = false, _ protection: ProtectionClass = .whenUnlocked
  ) -> ItemRow {
    ItemRow(
      scope: scope, slot: slot, protection: protection, itemClass: .genericPassword, isDeleted: isDeleted,
      hasConflict: hasConflict, isDirty: isDirty, persistentReference: bytes(16), record: bytes(size))
  }
}
