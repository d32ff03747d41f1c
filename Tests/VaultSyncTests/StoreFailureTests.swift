import RelayWire
import SQLiteKit
import SealedRecords
import Testing
import VaultCrypto
import VaultModel

@testable import VaultStore
@testable import VaultSync

@Suite("A store that fails")
struct StoreFailureTests {
  /// Gives the database room for a few pages more than it has.
  private func limit(_ device: TestDevice, extra: Int64) throws {
    let connection = device.vault.store.connection
    let pages = try connection.first("PRAGMA page_count") { row throws(SQLiteError) in try row.integer(0) } ?? 0
    _ = try connection.first("PRAGMA max_page_count = \(pages + extra)") { row throws(SQLiteError) in
      try row.integer(0)
    }
  }

  private func lift(_ device: TestDevice) throws {
    _ = try device.vault.store.connection.first("PRAGMA max_page_count = 1000000") { row throws(SQLiteError) in
      try row.integer(0)
    }
  }

  /// What is in memory is what is on disk; the counter alone may be ahead.
  private func expectConsistent(_ device: TestDevice) throws {
    let vault = device.vault
    let stored = try #require(try vault.store.vaults().first)
    #expect(stored.cursor == vault.row.cursor)
    #expect(stored.complete == vault.row.complete)
    #expect(stored.setHash == vault.setHash.bytes)
    #expect(stored.listingDigest == vault.listingDigest.bytes)
    #expect(stored.checkpointNumber == vault.row.checkpointNumber)
    #expect(stored.counter <= vault.row.counter)
    #expect(try vault.greatestServed == max(stored.cursor, vault.store.greatestServed(vault: vault.id)))
  }

  @Test("A full disk refuses a write whole, and everything goes on when there is room")
  func fullWhileWriting() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try limit(world[0], extra: 8)
    var written = 0
    var failure: SQLiteError?
    while failure == nil, written < 500 {
      do {
        try world[0].add("user \(written)", String(repeating: "x", count: 500))
        written += 1
      } catch let error as SQLiteError { failure = error }
    }
    #expect(failure?.code == .full)
    #expect(try world[0].row("user \(written)") == nil)
    try expectConsistent(world[0])
    // What was acknowledged is readable, after a crash too.
    for index in 0..<written { #expect(try world[0].secret("user \(index)") != nil) }
    #expect(try world[0].secret("ann") == "one")
    try lift(world[0])
    try world[0].add("user \(written)", "fits")
    try world.settle()
    #expect(try world[1].secret("user \(written)") == "fits")
    try world.expectSettled()
  }

  @Test("A disk that fills up while records come in leaves memory and disk in step", arguments: [1, 4, 12, 30, 60])
  func fullWhilePulling(extra: Int64) throws {
    let world = try World()
    try world.settle()
    for index in 0..<300 { try world[0].add("user \(index)", String(repeating: "x", count: 300)) }
    try world[0].sync()
    try limit(world[1], extra: extra)
    var failures = 0
    for _ in 0..<3 {
      do { try world[1].sync() } catch let error as SQLiteError {
        #expect(error.code == .full)
        failures += 1
      }
      try expectConsistent(world[1])
    }
    #expect(failures > 0)
    try lift(world[1])
    try world.settle()
    #expect(try world[1].secret("user 299") != nil)
    try world.expectSettled()
  }

  @Test("A disk that fails between a push and its answer makes the push be repeated, not lost")
  func fullWhilePushing() throws {
    let world = try World()
    for index in 0..<40 { try world[0].add("user \(index)", "secret") }
    try world[0].pull()
    let device = world[0]
    world[0].transport.obey { request, pass throws(RelayError) in
      if request.isPush { try? device.vault.store.connection.execute("PRAGMA query_only = ON") }
      return try pass()
    }
    #expect(throws: SQLiteError.self) { try world[0].engine.pushAll() }
    world[0].transport.obey(nil)
    try expectConsistent(world[0])
    try device.vault.store.connection.execute("PRAGMA query_only = OFF")
    #expect(try world[0].hasDirty)
    try world.settle()
    #expect(try world[1].secret("user 39") == "secret")
    try world.expectSettled()
  }

  @Test("A counter that a failed write took is never given again")
  func counterNeverGoesBack() throws {
    let world = try World()
    try world[0].add("ann", "one")
    let before = world[0].vault.row.counter
    #expect(throws: VaultError.duplicate) { try world[0].add("ann", "two") }
    let taken = world[0].vault.row.counter
    #expect(taken > before)
    try world[0].vault.reload()
    #expect(world[0].vault.row.counter == taken)
    try world[0].edit("ann", secret: "two")
    #expect(world[0].vault.row.counter > taken)
    // Whatever fails in a transaction of the vault's row: the counter stays ahead.
    struct Failure: Error {}
    let counter = world[0].vault.row.counter
    #expect(throws: Failure.self) {
      try world[0].vault.changing {
        world[0].vault.row.cursor = 99
        throw Failure()
      }
    }
    #expect(world[0].vault.row.cursor == 0)
    #expect(world[0].vault.row.counter == counter)
    let clock = world[0].clock
    // A clock that goes back does not take the counter with it, and neither does a restart.
    world[0].clockOffset = -3_600_000
    try world[0].edit("ann", secret: "three")
    #expect(world[0].vault.row.counter == counter + 1)
    try world[0].crash()
    try world[0].edit("ann", secret: "four")
    #expect(world[0].vault.row.counter == counter + 2)
    #expect(world[0].clock < clock)
  }

  @Test("A record that does not open any more is replaced by what the relay has")
  func damagedRecord() throws {
    let world = try World()
    try world[0].add("ann", "one")
    try world.settle()
    try world[1].vault.store.connection.execute("UPDATE item SET record = zeroblob(400)")
    #expect(throws: VaultError.self) { try world[1].secret("ann") }
    try world[0].edit("ann", secret: "two")
    try world[0].sync()
    try world[1].sync()
    #expect(try world[1].secret("ann") == "two")
    try world.settle()
    try world.expectSettled()
  }
}
