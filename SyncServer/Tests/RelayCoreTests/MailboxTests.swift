import RelayCore
import RelayWire
import Testing
import Threading
import VaultCrypto

@Suite struct MailboxTests {
  @Test("A request and an answer pass through a mailbox, once each, the joining side without a signature")
  func exchange() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, _) = try relay.register(vault)
    let joiner = try relay.api(vault.id, nil)
    let mailbox = Randomness.bytes(32)
    expect(.notFound) { try joiner.putPairingRequest(mailbox: mailbox, [1]) }
    try api.openMailbox(mailbox)
    try api.openMailbox(mailbox)
    #expect(try api.pairingRequest(mailbox: mailbox) == nil)
    #expect(try joiner.pairingAnswer(mailbox: mailbox) == nil)
    try joiner.putPairingRequest(mailbox: mailbox, [1, 2])
    // The same letter again is a lost answer; another is somebody else's.
    try joiner.putPairingRequest(mailbox: mailbox, [1, 2])
    expect(.exists) { try joiner.putPairingRequest(mailbox: mailbox, [3]) }
    #expect(try api.pairingRequest(mailbox: mailbox, wait: 50) == [1, 2])
    try api.putPairingAnswer(mailbox: mailbox, [9])
    expect(.exists) { try api.putPairingAnswer(mailbox: mailbox, [8]) }
    #expect(try joiner.pairingAnswer(mailbox: mailbox, wait: 50) == [9])
    try api.closeMailbox(mailbox)
    expect(.notFound) { _ = try joiner.pairingAnswer(mailbox: mailbox) }
    expect(.notFound) { try api.closeMailbox(mailbox) }
  }

  @Test("A letter wakes who waits for it")
  func waking() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, _) = try relay.register(vault)
    let joiner = try relay.api(vault.id, nil)
    let mailbox = Randomness.bytes(32)
    try api.openMailbox(mailbox)
    let read = Monitor<[UInt8]?>(nil)
    let thread = WorkerThread {
      let letter = try? api.pairingRequest(mailbox: mailbox, wait: 50)
      read.change { $0 = letter ?? [] }
    }
    #expect(thread != nil)
    while relay.service.waiters.count == 0 { pause() }
    try joiner.putPairingRequest(mailbox: mailbox, [4])
    #expect(read.wait { $0 } == [4])
  }

  @Test("A mailbox ends after ten minutes, for everybody")
  func expiry() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, _) = try relay.register(vault)
    let joiner = try relay.api(vault.id, nil)
    let mailbox = Randomness.bytes(32)
    try api.openMailbox(mailbox)
    try joiner.putPairingRequest(mailbox: mailbox, [1])
    relay.advance(seconds: RelayLimits.mailboxSeconds)
    expect(.notFound) { _ = try api.pairingRequest(mailbox: mailbox) }
    expect(.notFound) { try api.putPairingAnswer(mailbox: mailbox, [1]) }
    // Its name is free again, and nothing is left of what it held.
    try api.openMailbox(mailbox)
    #expect(try api.pairingRequest(mailbox: mailbox) == nil)
  }

  @Test("A vault has sixteen mailboxes at most, and none of another vault's")
  func limits() throws {
    let relay = try TestRelay()
    var vault = try Vault()
    let other = try Vault()
    let (api, _) = try relay.register(vault)
    let (otherAPI, _) = try relay.register(other)
    let mailboxes = (0..<RelayLimits.mailboxCount).map { _ in Randomness.bytes(32) }
    for mailbox in mailboxes { try api.openMailbox(mailbox) }
    expect(.busy) { try api.openMailbox(Randomness.bytes(32)) }
    try api.openMailbox(mailboxes[0])
    expect(.exists) { try otherAPI.openMailbox(mailboxes[0]) }
    expect(.notFound) { _ = try otherAPI.pairingRequest(mailbox: mailboxes[0]) }
    expect(.notFound) { try otherAPI.putPairingAnswer(mailbox: mailboxes[0], [1]) }
    expect(.notFound) { try otherAPI.closeMailbox(mailboxes[0]) }
    let writer = try relay.join(Device(), .writer, to: &vault)
    expect(.role) { try writer.openMailbox(Randomness.bytes(32)) }
    expect(.role) { try writer.putPairingAnswer(mailbox: mailboxes[0], [1]) }
    relay.advance(seconds: RelayLimits.mailboxSeconds)
    try api.openMailbox(Randomness.bytes(32))
  }

  @Test("Letters are bounded: 4 KiB for a request, 1 MiB for an answer, and neither is empty")
  func sizes() throws {
    let relay = try TestRelay()
    let vault = try Vault()
    let (api, _) = try relay.register(vault)
    let joiner = try relay.api(vault.id, nil)
    let mailbox = Randomness.bytes(32)
    try api.openMailbox(mailbox)
    expect(.tooLarge) { try joiner.putPairingRequest(mailbox: mailbox, [UInt8](repeating: 1, count: 4_097)) }
    expect(.malformed) { try joiner.putPairingRequest(mailbox: mailbox, []) }
    try joiner.putPairingRequest(mailbox: mailbox, [UInt8](repeating: 1, count: 4_096))
    expect(.tooLarge) { try api.putPairingAnswer(mailbox: mailbox, [UInt8](repeating: 1, count: (1 << 20) + 1)) }
    try api.putPairingAnswer(mailbox: mailbox, [UInt8](repeating: 1, count: 1 << 20))
    #expect(try joiner.pairingAnswer(mailbox: mailbox)?.count == 1 << 20)
  }
}
