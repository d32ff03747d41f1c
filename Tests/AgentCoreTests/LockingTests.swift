import AgentWire
import Foundation
import SQLiteKit
import SealedRecords
import Testing
import VaultModel
import VaultStore
import VaultSync

@testable import AgentCore

@Suite("Passphrase and lock")
struct LockingTests {
  private let passphrase = Array("correct horse".utf8)

  private func agent() throws -> TestAgent {
    let agent = try TestAgent(try TestRelay())
    try agent.initialize(passphrase: "correct horse")
    return agent
  }

  @Test("A change of passphrase that the disk refuses changes nothing")
  func refusedChange() throws {
    let test = try agent()
    try test.add("local", "secret", .whenPasscodeSetThisDeviceOnly, local: true)
    try test.agent.locked { state in
      _ = try state.store.transaction { try state.store.setSetting("probe", [1]) }
      try state.store.refuseWrites(true)
    }
    #expect(throws: SQLiteError.self) { try test.agent.changePassphrase(old: passphrase, new: nil) }
    try test.agent.locked { state in try state.store.refuseWrites(false) }
    #expect(try test.secret("local") == "secret")
    try test.agent.lockNow()
    #expect(throws: KeybagError.wrongPassphrase) { try test.agent.unlock(passphrase: Array("other".utf8)) }
    try test.agent.unlock(passphrase: passphrase)
    #expect(try test.secret("local") == "secret")
  }

  @Test("Removing the passphrase takes the items that needed one, and nothing else")
  func removal() throws {
    let test = try agent()
    try test.add("needs one", "secret", .whenPasscodeSetThisDeviceOnly, local: true)
    try test.add("does not", "secret", .whenUnlocked, local: true)
    try test.agent.changePassphrase(old: passphrase, new: nil)
    #expect(try test.secret("needs one") == nil)
    #expect(try test.secret("does not") == "secret")
    #expect(throws: VaultError.passphraseNeeded) {
      try test.add("needs one", "secret", .whenPasscodeSetThisDeviceOnly, local: true)
    }
    // Without a passphrase there is nothing to prove; a new one makes the class anew.
    try test.agent.changePassphrase(old: nil, new: Array("another".utf8))
    try test.add("needs one", "new", .whenPasscodeSetThisDeviceOnly, local: true)
    try test.agent.lockNow()
    #expect(try test.find("needs one").lockedCount == 1)
    try test.agent.unlock(passphrase: Array("another".utf8))
    #expect(try test.secret("needs one") == "new")
  }

  @Test("A lock that comes while the passphrase is being changed stays a lock")
  func lockWhileChanging() throws {
    let test = try agent()
    try test.add("local", "secret", .whenUnlocked, local: true)
    let done = DispatchSemaphore(value: 0)
    let changing = Thread {
      try? test.agent.changePassphrase(old: Array("correct horse".utf8), new: Array("another".utf8))
      done.signal()
    }
    changing.start()
    for _ in 0..<40 {
      try test.agent.lockNow()
      usleep(20_000)
    }
    done.wait()
    try test.agent.lockNow()
    #expect(try test.agent.locked { $0.unlocked == nil && !$0.isUnlocked && $0.classKeys?[.passcodeSet] == nil })
    #expect(try test.find("local").lockedCount == 1)
  }

  @Test("An unlock whose merging fails unlocks all the same; what could not be merged answers locked")
  func unlockOnAFullDisk() throws {
    let relay = try TestRelay()
    let (first, second) = (try TestAgent(relay), try TestAgent(relay))
    try first.initialize()
    try first.invite(second, passphrase: "correct horse")
    try second.add("local", "here", .whenUnlocked, local: true)
    try second.agent.lockNow()
    try first.add("ann", "a", .whenUnlocked)
    try eventually("it waits") { try second.find("ann").lockedCount == 1 }
    try second.agent.locked { state in try state.store.refuseWrites(true) }
    #expect(throws: SQLiteError.self) { try second.agent.unlock(passphrase: passphrase) }
    #expect(try second.secret("local") == "here")
    #expect(try second.find("ann").lockedCount == 1)
    try second.agent.locked { state in try state.store.refuseWrites(false) }
    try second.agent.unlock(passphrase: passphrase)
    #expect(try second.secret("ann") == "a")
  }

  @Test("A vault that cannot be stored leaves nothing half made, and the next attempt succeeds")
  func refusedSetup() throws {
    let test = try TestAgent(try TestRelay())
    try test.agent.locked { state in try state.store.refuseWrites(true) }
    #expect(throws: SQLiteError.self) { try test.initialize(passphrase: "correct horse") }
    #expect(try test.agent.locked { $0.vaults.isEmpty && $0.keybag == nil && $0.classKeys == nil })
    try test.agent.locked { state in try state.store.refuseWrites(false) }
    try test.initialize(passphrase: "correct horse")
    try test.add("ann", "one")
    #expect(try test.secret("ann") == "one")
  }
}
