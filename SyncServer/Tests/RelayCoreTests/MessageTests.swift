import CBOR
import RelayWire
import Testing
import VaultCrypto

@Suite struct MessageTests {
  static let id = [UInt8](repeating: 5, count: 32)
  static let incarnation = [UInt8](repeating: 6, count: 16)
  static let last = LastPage(
    listingDigest: id, droppedPurge: 0, checkpoints: [[1, 2]], checkpointCount: 9)
  static let page = ChangesPage(
    incarnation: incarnation,
    changes: [
      Change(slot: id, sequence: 3, content: .record([1])), Change(slot: id, sequence: 300, content: .purge([2])),
    ], more: false, head: 300, chainLength: 2, last: last)

  private func check<Message: WireMessage>(_ message: Message) throws {
    let bytes = message.encoded
    #expect(try Message(decoding: bytes) == message)
    // No prefix, no longer text, no other version is a message.
    for end in 0..<bytes.count {
      #expect(throws: CBORError.self) { try Message(decoding: Array(bytes[..<end])) }
    }
    #expect(throws: CBORError.self) { try Message(decoding: bytes + [0]) }
    var other = bytes
    other[1] = 2
    #expect(throws: CBORError.self) { try Message(decoding: other) }
  }

  @Test("Every message is read back as it was written, and no part of it, nor more")
  func roundTrips() throws {
    let (id, incarnation) = (Self.id, Self.incarnation)
    try check(CreateVaultRequest(invite: nil, genesis: [1, 2], keyrings: []))
    try check(CreateVaultRequest(invite: "TOKEN", genesis: [1], keyrings: [[1], [2, 3]]))
    try check(CreateVaultAnswer(incarnation: incarnation))
    try check(EmptyMessage())
    try check(ChainPage(entries: [[1], [2]], chainLength: 2))
    try check(AppendEntryRequest(expectedHead: id, entry: [1], keyrings: [[7]], isRepair: true))
    try check(AppendEntryAnswer(number: 70_000 % 10_000))
    try check(KeyringsPage(keyrings: [[1]], next: nil))
    try check(KeyringsPage(keyrings: [[1]], next: 1 << 40))
    try check(PutKeyringsRequest(keyrings: [[1]]))
    try check(
      PushRequest(
        incarnation: incarnation,
        items: [
          PushItem(slot: id, base: 0, content: .record([1])), PushItem(slot: id, base: 1 << 60, content: .purge([1])),
        ]))
    try check(
      PushAnswers(answers: [.stored(1), .conflict(2, [3]), .conflict(4, nil), .gone, .refused(.epoch)]))
    try check(Self.page)
    try check(PutCheckpointRequest(incarnation: incarnation, checkpoint: [1]))
    try check(
      RecoveryPage(vault: id, incarnation: incarnation, entries: [[1]], chainLength: 1, keyrings: [[2]]))
  }

  @Test("Ids and incarnations of another length are refused")
  func lengths() {
    for count in [0, 15, 17, 31, 33] {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(throws: CBORError.self) { try CreateVaultAnswer(decoding: CreateVaultAnswer(incarnation: bytes).encoded) }
      let request = AppendEntryRequest(expectedHead: bytes, entry: [1], keyrings: [], isRepair: false)
      #expect(throws: CBORError.self) { try AppendEntryRequest(decoding: request.encoded) }
    }
  }

  @Test("More elements than a batch or a page holds are refused, and so are empty blobs")
  func counts() {
    let item = PushItem(slot: Self.id, base: 0, content: .record([1]))
    let items = [PushItem](repeating: item, count: RelayLimits.batchCount + 1)
    #expect(throws: CBORError.self) {
      try PushRequest(decoding: PushRequest(incarnation: Self.incarnation, items: items).encoded)
    }
    let entries = [[UInt8]](repeating: [1], count: RelayLimits.batchCount + 1)
    #expect(throws: CBORError.self) {
      try ChainPage(decoding: ChainPage(entries: entries, chainLength: 5_000).encoded)
    }
    #expect(throws: CBORError.self) { try ChainPage(decoding: ChainPage(entries: [[]], chainLength: 1).encoded) }
    #expect(throws: CBORError.self) {
      try ChainPage(decoding: ChainPage(entries: [[1]], chainLength: RelayLimits.chainLength + 1).encoded)
    }
  }

  @Test("A page of changes that contradicts itself is refused")
  func inconsistentPages() {
    var pages: [ChangesPage] = []
    var page = Self.page
    page.changes.reverse()
    pages.append(page)
    page = Self.page
    page.changes[1].sequence = 3
    pages.append(page)
    page = Self.page
    page.changes[0].sequence = 0
    pages.append(page)
    page = Self.page
    page.head = 299
    pages.append(page)
    page = Self.page
    page.more = true
    pages.append(page)
    page = Self.page
    page.last = nil
    pages.append(page)
    page = Self.page
    page.changes = []
    page.more = true
    page.last = nil
    pages.append(page)
    page = Self.page
    page.chainLength = 0
    pages.append(page)
    page = Self.page
    page.last?.droppedPurge = 301
    pages.append(page)
    for page in pages {
      #expect(throws: CBORError.self) { try ChangesPage(decoding: page.encoded) }
    }
  }

  @Test("A problem is read back from its JSON, whatever stands in its detail")
  func problems() {
    let problem = Problem(.clockSkew, "a \"quoted\" \u{7} \\ line\nü\u{2028}", time: 1_800_000_000_123)
    let read = Problem(reading: RelayResponse(status: 401, body: problem.body))
    #expect(read == problem)
    for code in ProblemCode.allCases {
      #expect(Problem(reading: RelayResponse(status: code.status, body: Problem(code, "x").body)).code == code)
    }
  }

  @Test("An answer that is no problem has its status and no code")
  func foreignProblems() {
    for body in [
      "", "<html>502</html>", "{", "{}", "[]", "{\"type\":\"about:blank\"}", "{\"type\":7}",
      "{\"type\":\"urn:lockstep:problem:unheard-of\",\"detail\":\"x\"}", "{\"detail\":\"\\ud800\"}", "\"",
      String(repeating: "[", count: 100_000),
    ] {
      let problem = Problem(reading: RelayResponse(status: 502, body: Array(body.utf8)))
      #expect(problem.code == nil)
      #expect(problem.status == 502)
    }
  }
}
