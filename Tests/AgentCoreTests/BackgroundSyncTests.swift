import AgentWire
import Foundation
import RelayCore
import RelayWire
import Testing
import VaultModel

@testable import AgentCore
@testable import VaultSync

@Suite("Agents that sync by themselves")
struct BackgroundSyncTests {
  /// Two agents in one vault, one relay.
  private func pair() throws -> (TestRelay, TestAgent, TestAgent) {
    let relay = try TestRelay()
    let (first, second) = (try TestAgent(relay), try TestAgent(relay))
    try first.initialize()
    try first.invite(second)
    return (relay, first, second)
  }

  @Test("What one adds the other one reads, with nobody calling sync, and the other way round")
  func addAndRead() throws {
    let (_, first, second) = try pair()
    try first.add("ann", "one")
    try eventually("the second reads it") { try second.secret("ann") == "one" }
    try second.add("ann", "two")
    try eventually("the first reads it") { try first.secret("ann") == "two" }
    for agent in [first, second] { #expect(try agent.standing == .fine) }
  }

  @Test("Writes while the relay is away arrive when it is back")
  func relayAway() throws {
    let (relay, first, second) = try pair()
    relay.isAway = true
    relay.service.waiters.notify(first.agent.vaultIdentifier)
    try first.add("ann", "offline")
    try second.add("bob", "offline too")
    try eventually("both notice") {
      try first.standing == .relayUnreachable && second.standing == .relayUnreachable
    }
    #expect(try first.secret("ann") == "offline")
    relay.isAway = false
    try eventually("both have both") {
      try second.secret("ann") == "offline" && first.secret("bob") == "offline too"
    }
    try eventually("both say that they are well") { try first.standing == .fine && second.standing == .fine }
  }

  @Test("Many writers at once lose nothing, and both agents end with the same")
  func manyWriters() throws {
    let (_, first, second) = try pair()
    DispatchQueue.concurrentPerform(iterations: 40) { number in
      let agent = number % 2 == 0 ? first : second
      do {
        try agent.add("user \(number % 7)", "secret \(number)")
        try agent.add("own \(number)", "secret")
        _ = try agent.secret("own \(number)")
      } catch {
        Issue.record(error)
      }
    }
    for agent in [first, second] { _ = try agent.agent.sync(nil) { _ in } }
    try eventually("both have everything") {
      try (0..<40).allSatisfy { number in
        try first.secret("own \(number)") == "secret" && second.secret("own \(number)") == "secret"
      }
    }
    try eventually("both show the same") {
      try (0..<7).allSatisfy { try first.secret("user \($0)") == second.secret("user \($0)") }
    }
    for agent in [first, second] { #expect(try agent.agent.vaultList().first?.problem == nil) }
  }

  @Test("An idle pair asks the relay for nothing but its long polls")
  func idle() throws {
    let (relay, first, second) = try pair()
    try first.add("ann", "one")
    try eventually("the second reads it") { try second.secret("ann") == "one" }
    for agent in [first, second] { _ = try agent.agent.sync(nil) { _ in } }
    // Checkpoints end each other's polls; that must come to rest.
    var before = -1
    try eventually("the requests come to rest") {
      defer { before = relay.requestCount }
      usleep(200_000)
      return relay.requestCount == before
    }
  }

  @Test("A relay whose answers are all alarms stops nobody: later writes arrive")
  func afterAnAlarm() throws {
    let (_, first, second) = try pair()
    try first.add("ann", "one")
    try eventually("the second reads it") { try second.secret("ann") == "one" }
    try second.agent.locked { state in state.vaults[0].report("the test") }
    try first.add("bob", "two")
    try eventually("the second reads it") { try second.secret("bob") == "two" }
    #expect(try second.standing == .relayMisbehaved)
    // It is said once, by the sync that a person asks for.
    #expect(throws: SyncError.misbehaved("the test")) { try second.agent.sync(nil) { _ in } }
    _ = try second.agent.sync(nil) { _ in }
    #expect(try second.standing == .fine)
  }

  @Test("While locked, class C goes on syncing and class A waits; the unlock answers at once")
  func locked() throws {
    let relay = try TestRelay()
    let (first, second) = (try TestAgent(relay), try TestAgent(relay))
    try first.initialize()
    try first.invite(second, passphrase: "correct horse")
    try second.agent.lockNow()
    try first.add("ann", "a", .whenUnlocked)
    try first.add("bob", "c", .afterFirstUnlock)
    try eventually("class C arrives") { try second.secret("bob") == "c" }
    try eventually("class A waits") { try second.find("ann").lockedCount == 1 }
    try second.add("cat", "written while locked", .afterFirstUnlock)
    try eventually("it is pushed") { try first.secret("cat") == "written while locked" }
    try second.agent.unlock(passphrase: Array("correct horse".utf8))
    #expect(try second.secret("ann") == "a")
  }

  @Test("An agent that is told to stop leaves its threads and its long poll")
  func stop() throws {
    let (relay, first, second) = try pair()
    first.agent.stop()
    second.agent.stop()
    try eventually("nobody waits at the relay") { relay.service.waiters.count == 0 }
  }
}
