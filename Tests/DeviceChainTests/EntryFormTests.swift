import CBOR
import DeviceChain
import RelayWire
import Testing
import VaultCrypto

/// The form of chain entries.
@Suite struct EntryFormTests {
  /// One entry of each type, as it stands in a real chain.
  static func oneOfEach() throws -> [ChainEntry] {
    var world = try TestWorld()
    let key = TestRecovery()
    try world.append(world.replacement(of: world.reader, by: TestDevice()))
    try world.append(entry(world.state, world.revocation([world.writer.id]), [.device(world.first)]))
    let role = SetRoleBody(device: world.second.id, role: .writer, position: anyPosition)
    try world.append(entry(world.state, .setRole(role), [.device(world.first)]))
    try world.append(entry(world.state, .setRecovery(key.keys), [.device(world.first), .recovery(key)]))
    try world.append(entry(world.state, .resealDone(epoch: 1), [.device(world.first)]))
    try world.append(entry(world.state, .leave, [.device(world.second)]))
    return world.entries
  }

  @Test func `What is written is read, for every type`() throws {
    let entries = try Self.oneOfEach()
    #expect(Set(entries.map(\.content.body.type)) == Set(1...8))
    for entry in entries {
      let decoded = try ChainEntry(decoding: entry.encoded)
      #expect(decoded == entry)
      #expect(decoded.content.encoded == decoded.contentBytes)
    }
  }

  @Test func `Every prefix and every trailing byte is refused, for every type`() throws {
    for entry in try Self.oneOfEach() {
      let bytes = entry.encoded
      for length in 0..<bytes.count {
        #expect(throws: CBORError.self) { try ChainEntry(decoding: Array(bytes[..<length])) }
      }
      #expect(throws: CBORError.self) { try ChainEntry(decoding: bytes + [0]) }
      let content = entry.contentBytes
      for length in 0..<content.count {
        #expect(throws: CBORError.self) { try ChainContent(decoding: Array(content[..<length])) }
      }
      #expect(throws: CBORError.self) { try ChainContent(decoding: content + [0xF6]) }
    }
  }

  @Test func `An altered byte is refused or read as what it says, and never traps`() throws {
    for entry in try Self.oneOfEach() {
      var content = entry.contentBytes
      for index in content.indices {
        for bit in 0..<8 {
          content[index] ^= 1 << UInt8(bit)
          if let decoded = try? ChainContent(decoding: content) { #expect(decoded.encoded == content) }
          content[index] ^= 1 << UInt8(bit)
        }
      }
    }
  }

  /// The elements of a content, for a test to change one.
  private func elements(_ entry: ChainEntry) throws -> [CBORValue] {
    guard case .array(let elements) = try CBORValue(decoding: entry.contentBytes) else { return [] }
    return elements
  }

  @Test func `Another version, an unknown type, and a genesis at the wrong place are refused`() throws {
    let entries = try Self.oneOfEach()
    let add = try elements(entries[1])
    let changes: [(Int, CBORValue)] = [
      (0, 0), (0, 2), (1, 0), (1, 9), (1, 1), (2, .bytes([])), (2, .bytes([UInt8](repeating: 0, count: 31))),
      (3, 0), (3, .unsigned(10_000)), (3, .negative(-1)), (4, .bytes([])), (5, .negative(-1)), (5, "now"),
      (6, .bytes([])), (7, []),
    ]
    for (index, value) in changes {
      var changed = add
      changed[index] = value
      #expect(throws: CBORError.self) { try ChainContent(decoding: CBORValue.array(changed).encoded) }
    }
    for (index, value) in [(2, .bytes(Randomness.bytes(32))), (3, 1), (4, .bytes(Randomness.bytes(32)))]
      as [(Int, CBORValue)]
    {
      var changed = try elements(entries[0])
      changed[index] = value
      #expect(throws: CBORError.self) { try ChainContent(decoding: CBORValue.array(changed).encoded) }
    }
    #expect(throws: CBORError.self) { try ChainContent(decoding: CBORValue.array(add + [0]).encoded) }
    #expect(throws: CBORError.self) { try ChainContent(decoding: CBORValue.array(add.dropLast()).encoded) }
  }

  @Test func `A role that does not exist, a sealed name of another length and a short key are refused`() throws {
    let content = try elements(try Self.oneOfEach()[1])
    guard case .array(let body) = content[7], case .array(let keys) = body[0], case .array(let name) = body[1] else {
      Issue.record("an add-device entry has keys and a name")
      return
    }
    func expectRefused(_ changed: [CBORValue]) {
      #expect(throws: CBORError.self) {
        try ChainContent(decoding: CBORValue.array(content.dropLast() + [.array(changed)]).encoded)
      }
    }
    for role in [0, 4] as [CBORValue] { expectRefused([body[0], body[1], role, body[3]]) }
    for length in [271, 273, 0] {
      let long = Array(name.dropLast()) + [.bytes([UInt8](repeating: 0, count: length))]
      expectRefused([body[0], .array(long), body[2], body[3]])
    }
    expectRefused([.array(Array(keys.dropLast()) + [.bytes(Randomness.bytes(31))]), body[1], body[2], body[3]])
    expectRefused([.array(Array(keys.dropLast())), body[1], body[2], body[3]])
    expectRefused(Array(body.dropLast()))
    expectRefused(body + [0])
  }

  @Test func `More than 16 signatures, an unknown kind and more than 64 KiB are refused`() throws {
    let world = try TestWorld()
    let right = entry(world.state, .leave, [.device(world.first)])
    let many = ChainEntry(content: right.content, signatures: Array(repeating: right.signatures[0], count: 17))
    #expect(throws: ChainError.malformed(.outOfRange)) { try world.state.applying(many.encoded) }
    let signature: CBORValue = [3, .bytes(world.first.id), .bytes(right.signatures[0].signature)]
    let unknown: CBORValue = [1, .bytes(right.contentBytes), [signature]]
    #expect(throws: ChainError.malformed(.outOfRange)) { try world.state.applying(unknown.encoded) }
    let ids = (0..<999).map { _ in Randomness.bytes(32) }
    let body = RevokeBody(
      devices: ids, recoveryKeys: [], epoch: 2, commitments: anyCommitments(), recipients: ids, recoveryRecipients: [],
      position: anyPosition)
    let long = entry(world.state, .revoke(body), [.device(world.first)])
    #expect(long.encoded.count > ChainLimits.entryBytes)
    #expect(throws: ChainError.malformed(.outOfRange)) { try world.state.applying(long.encoded) }
  }
}
