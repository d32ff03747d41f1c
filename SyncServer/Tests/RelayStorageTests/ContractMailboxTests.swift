import RelayCore
import RelayWire
import Testing
import VaultCrypto

/// The contract of `RelayStorage`: mailboxes.
@Suite struct ContractMailboxTests {
  @Test("Letters stay until the mailbox's time, each once", arguments: Engine.allCases)
  func letters(engine: Engine) throws {
    let subject = try engine.make()
    let vault = TestVault()
    _ = try vault.create(in: subject.storage)
    let mailbox = slot()
    #expect(try subject.storage.mailbox(mailbox, of: nil, now: 1) == nil)
    #expect(try subject.storage.put(request: [1], into: mailbox, now: 1) == .missing)
    #expect(try subject.storage.put(answer: [1], into: mailbox, of: vault.id, now: 1) == .missing)
    #expect(try subject.storage.openMailbox(mailbox, of: vault.id, expires: 100, now: 1) == .opened)
    #expect(try subject.storage.openMailbox(mailbox, of: vault.id, expires: 500, now: 1) == .open)
    #expect(try subject.storage.mailbox(mailbox, of: vault.id, now: 1) == Mailbox(request: nil, answer: nil))
    #expect(try subject.storage.put(request: [1], into: mailbox, now: 1) == .stored)
    #expect(try subject.storage.put(request: [1], into: mailbox, now: 1) == .stored)
    #expect(try subject.storage.put(request: [2], into: mailbox, now: 1) == .exists)
    #expect(try subject.storage.put(answer: [3], into: mailbox, of: vault.id, now: 1) == .stored)
    #expect(try subject.storage.put(answer: [4], into: mailbox, of: vault.id, now: 1) == .exists)
    try subject.reopen()
    let held = Mailbox(request: [1], answer: [3])
    #expect(try subject.storage.mailbox(mailbox, of: nil, now: 99) == held)
    #expect(try subject.storage.mailbox(mailbox, of: nil, now: 100) == nil)
    #expect(try subject.storage.put(request: [1], into: mailbox, now: 100) == .missing)
    try subject.storage.removeExpired(now: 99)
    #expect(try subject.storage.mailbox(mailbox, of: nil, now: 99) == held)
    try subject.storage.removeExpired(now: 100)
    #expect(try subject.storage.mailbox(mailbox, of: nil, now: 99) == nil)
  }

  @Test(
    "A mailbox is one vault's, and its name is free again after its time or when it is closed",
    arguments: Engine.allCases)
  func owners(engine: Engine) throws {
    let storage = try engine.make().storage
    let (vault, other) = (TestVault(), TestVault())
    _ = try vault.create(in: storage)
    _ = try other.create(in: storage)
    let mailbox = slot()
    #expect(try storage.openMailbox(mailbox, of: vault.id, expires: 100, now: 1) == .opened)
    #expect(try storage.openMailbox(mailbox, of: other.id, expires: 100, now: 1) == .taken)
    #expect(try storage.mailbox(mailbox, of: other.id, now: 1) == nil)
    #expect(try storage.put(answer: [1], into: mailbox, of: other.id, now: 1) == .missing)
    #expect(try !storage.closeMailbox(mailbox, of: other.id))
    #expect(try storage.put(request: [1], into: mailbox, now: 1) == .stored)
    #expect(try storage.openMailbox(mailbox, of: other.id, expires: 200, now: 100) == .opened)
    #expect(try storage.mailbox(mailbox, of: other.id, now: 100) == Mailbox(request: nil, answer: nil))
    #expect(try storage.closeMailbox(mailbox, of: other.id))
    #expect(try !storage.closeMailbox(mailbox, of: other.id))
    #expect(try storage.openMailbox(mailbox, of: vault.id, expires: 200, now: 100) == .opened)
  }

  @Test(
    "A vault has sixteen open mailboxes at most; those whose time has passed do not count", arguments: Engine.allCases)
  func limit(engine: Engine) throws {
    let storage = try engine.make().storage
    let vault = TestVault()
    _ = try vault.create(in: storage)
    for _ in 0..<RelayLimits.mailboxCount {
      #expect(try storage.openMailbox(slot(), of: vault.id, expires: 100, now: 1) == .opened)
    }
    #expect(try storage.openMailbox(slot(), of: vault.id, expires: 100, now: 1) == .tooMany)
    #expect(try storage.openMailbox(slot(), of: vault.id, expires: 200, now: 100) == .opened)
  }
}
