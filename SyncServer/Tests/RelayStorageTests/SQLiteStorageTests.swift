import Foundation
import RelayCore
import RelayStorageSQLite
import RelayWire
import SQLiteKit
import Testing
import VaultCrypto

/// What only a database file can get wrong.
@Suite struct SQLiteStorageTests {
  @Test("Files are for their owner alone, and a stopped relay leaves one database and no log")
  func modes() throws {
    let folder = try Folder()
    let directory = try DataDirectory(folder.path + "/a/b")
    let storage = try SQLiteRelayStorage(database: directory.database)
    let lock = try directory.lock()
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(folder.path + "/a") == 0o700)
    #expect(try mode(directory.path) == 0o700)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(files.count >= 3)
    for file in files { #expect(try mode(directory.path + "/" + file) == 0o600, "\(file)") }
    storage.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["relay.lock", "relay.sqlite"])
    withExtendedLifetime(lock) {}
  }

  @Test("A data directory is served by one relay at a time")
  func lock() throws {
    let folder = try Folder()
    let directory = try DataDirectory(folder.path)
    var lock: DataDirectoryLock? = try directory.lock()
    #expect(throws: RelayStartError.self) { try directory.lock() }
    withExtendedLifetime(lock) {}
    lock = nil
    _ = try directory.lock()
  }

  @Test("A data directory that is a file, or lies below one, is refused")
  func noDirectory() throws {
    let folder = try Folder()
    let file = folder.path + "/file"
    try Data([1]).write(to: URL(fileURLWithPath: file))
    for path in [file, file + "/below", "", "/proc/nothing"] {
      #expect(throws: RelayStartError.self, "\(path)") { try DataDirectory(path) }
    }
  }

  @Test("A file that is no relay's database is refused in words and left as it was")
  func foreignFiles() throws {
    let folder = try Folder()
    let path = folder.path + "/relay.sqlite"
    let contents = Data("this is a text that somebody wants to keep, and it is longer than a header of SQLite".utf8)
    try contents.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: RelayStartError.self) { try SQLiteRelayStorage(database: path) }
    #expect(error?.description.contains("not a relay's database") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == contents)
    try FileManager.default.removeItem(atPath: path)
    try Connection(path: path).execute("CREATE TABLE other (x)")
    #expect(throws: RelayStartError.self) { try SQLiteRelayStorage(database: path) }
  }

  @Test("A damaged database is refused in words")
  func damagedFile() throws {
    let folder = try Folder()
    let path = folder.path + "/relay.sqlite"
    let vault = TestVault()
    let storage = try SQLiteRelayStorage(database: path)
    _ = try vault.create(in: storage)
    for _ in 0..<20 { _ = try vault.push([item(slot(), record(3_000))], to: storage) }
    storage.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in stride(from: 4_096, to: bytes.count, by: 11) { bytes[index] ^= 0x55 }
    try bytes.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: RelayStartError.self) { try SQLiteRelayStorage(database: path) }
    #expect(error?.description.contains("damaged") == true)
  }

  @Test("A database of a newer version is refused in words")
  func newerFile() throws {
    let folder = try Folder()
    let path = folder.path + "/relay.sqlite"
    try SQLiteRelayStorage(database: path).close()
    try Connection(path: path).execute("PRAGMA user_version = 99")
    let error = #expect(throws: RelayStartError.self) { try SQLiteRelayStorage(database: path) }
    #expect(error?.description.contains("newer") == true)
  }

  @Test("An invite can be added by another process while a relay serves")
  func inviteBeside() throws {
    let folder = try Folder()
    let path = folder.path + "/relay.sqlite"
    let (relay, command) = (try SQLiteRelayStorage(database: path), try SQLiteRelayStorage(database: path))
    let invite = Randomness.bytes(32)
    try command.addInvite(hash: invite, uses: 1, expires: 1_000)
    command.close()
    #expect(try TestVault().create(in: relay, invite: invite) == .created)
  }

  @Test("A closed storage says so")
  func closed() throws {
    let folder = try Folder()
    let storage = try SQLiteRelayStorage(database: folder.path + "/relay.sqlite")
    storage.close()
    #expect(throws: RelayStorageError.self) { try TestVault().create(in: storage) }
  }

  @Test("A restored database is told from the one that was backed up by its incarnations")
  func restored() throws {
    let folder = try Folder()
    let storage = try SQLiteRelayStorage(database: folder.path + "/relay.sqlite")
    let vaults = [TestVault(), TestVault()]
    for vault in vaults { _ = try vault.create(in: storage) }
    try storage.renewIncarnations()
    let incarnations = try vaults.map { try storage.status(of: $0.id)?.incarnation }
    #expect(Set(incarnations).count == 2)
    #expect(Set(incarnations).isDisjoint(with: vaults.map(\.incarnation)))
  }
}
