import RelayWire
import SQLiteKit
import SealedRecords
import Testing
import VaultModel
import VaultStore

@testable import VaultSync

@Suite("Items of this device alone")
struct DeviceOnlyTests {
  private static let classes: [Accessibility] = [
    .whenUnlocked, .whenUnlockedThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly, .always,
    .alwaysThisDeviceOnly,
  ]

  @Test("They are never among what is pushed, and none of their bytes is ever sent")
  func neverSent() throws {
    let world = try World()
    try world.settle()
    var rows: [ItemRow] = []
    for (index, accessible) in Self.classes.enumerated() {
      try world[0].add("local \(index)", "secret", accessible, scope: .device)
      try world[0].edit("local \(index)", secret: "changed")
      rows.append(try #require(try world[0].row("local \(index)")))
      #expect(rows[index].scope == .device && !rows[index].isDirty)
    }
    try world[0].add("shared", "secret")
    #expect(try world[0].vault.nextBatch().records.count == 1)
    try world.settle()
    for row in rows {
      // No part of the record that could be told from another one occurs in any body or path.
      let parts = [Array(row.record[20..<60]), Array(row.record.suffix(40)), row.slot.bytes]
      for request in world[0].transport.requests {
        for part in parts { #expect(!request.body.contains(part)) }
      }
    }
    #expect(try world[1].records().count == 1)
    #expect(try world[1].vault.store.counts(vault: world[1].vault.id).deviceOnly == 0)
    #expect(throws: Never.self) { try world[0].remove("local 0") }
    try world.expectSettled()
  }

  @Test("The store itself refuses to mark one as to be pushed")
  func constraint() throws {
    let world = try World()
    try world[0].add("local", "secret", scope: .device)
    let connection = try Connection(path: world[0].path)
    do {
      try connection.run("UPDATE item SET dirty = 1 WHERE scope = 1")
      Issue.record("the table took it")
    } catch {
      #expect(error.code == .constraint)
    }
    let row = try #require(try world[0].row("local"))
    try world[0].vault.store.setDirty(true, item: row.id)
    #expect(try world[0].vault.nextBatch().records.isEmpty)
  }

  @Test("A class that never leaves the device cannot be given to an item of the vault")
  func neverSynchronizable() throws {
    let world = try World()
    try world[0].add("ann", "one")
    for accessible in [Accessibility.whenUnlockedThisDeviceOnly, .alwaysThisDeviceOnly, .whenPasscodeSetThisDeviceOnly]
    {
      #expect(throws: VaultError.self) { try world[0].edit("ann", [.accessible: .text(accessible.rawValue)]) }
      #expect(throws: VaultError.self) { try world[0].add("bob", "one", accessible) }
    }
  }

  @Test("An item that moves between the index keys stays the same item")
  func movesBetweenIndexKeys() throws {
    let world = try World()
    let added = try world[0].add("local", "secret", .whenUnlocked, scope: .device)
    for accessible in [Accessibility.always, .afterFirstUnlock, .alwaysThisDeviceOnly, .whenUnlocked] {
      try world[0].edit("local", [.accessible: .text(accessible.rawValue)])
      let row = try #require(try world[0].row("local"))
      #expect(row.persistentReference == added.persistentReference)
      #expect(try world[0].vault.store.counts(vault: 1).deviceOnly == 1)
    }
  }

  @Test("Items of class always are readable before the first unlock")
  func beforeFirstUnlock() throws {
    let world = try World()
    try world[0].add("local", "secret", .always, scope: .device)
    let row = try #require(try world[0].row("local"))
    try world[0].crash(locked: true)
    #expect(try world[0].vault.open(row).visible[.secret] == .bytes(Array("secret".utf8)))
  }
}
