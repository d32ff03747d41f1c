import CBOR
import Testing
import VaultModel

@testable import AgentWire

@Suite struct StrictnessTests {
  static func request(_ operation: CBORValue, _ fields: [(CBORValue, CBORValue)]) -> [UInt8] {
    CBORValue.array([1, operation, .map(fields.map { CBORValue.Pair($0.0, $0.1) })]).encoded
  }

  /// Shown by its name: some of the byte strings are a mebibyte long.
  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let error: AgentWireError

    init(_ what: String, _ bytes: [UInt8], _ error: AgentWireError) {
      testDescription = what
      self.bytes = bytes
      self.error = error
    }
  }

  static let refused: [Refusal] = [
    Refusal("nothing", [], .malformed(.truncated)),
    Refusal("a map", [0xA0], .malformed(.unexpectedType)),
    Refusal("two elements", CBORValue.array([1, "status"]).encoded, .malformed(.outOfRange)),
    Refusal("another version", CBORValue.array([2, "status", .map([])]).encoded, .unsupportedVersion(2)),
    Refusal("no such operation", request("explode", []), .unknownOperation("explode")),
    Refusal("an operation that is no text", request(7, []), .malformed(.unexpectedType)),
    Refusal("a byte behind", request("status", []) + [0], .malformed(.trailingBytes)),
    Refusal("an argument of status", request("status", [("vault", "v")]), .unknownField("vault")),
    Refusal("an unknown argument", request("sync", [("vaults", "v")]), .unknownField("vaults")),
    Refusal("a key that is no text", request("sync", [(1, "v")]), .malformed(.unexpectedType)),
    Refusal("no relay", request("initialize", []), .missingField("relay")),
    Refusal("no passphrase", request("unlock", []), .missingField("passphrase")),
    Refusal("a passphrase as text", request("unlock", [("passphrase", "x")]), .malformed(.unexpectedType)),
    Refusal("no answer", request("invite-decide", []), .missingField("approve")),
    Refusal("no class", request("add", [("attributes", .map([]))]), .missingField("class")),
    Refusal("an unknown class", request("find", [("class", 5)]), .invalidField("class")),
    Refusal("a class beyond a byte", request("find", [("class", 257)]), .invalidField("class")),
    Refusal("removing without a class", request("remove", []), .missingField("class")),
    Refusal("updating without a class", request("update", []), .missingField("class")),
    Refusal("an unknown role", request("invite-begin", [("role", "owner")]), .invalidField("role")),
    Refusal("unknown twins", request("find", [("twins", "both")]), .invalidField("twins")),
    Refusal("a negative limit", request("find", [("limit", -1)]), .malformed(.unexpectedType)),
    Refusal("a limit beyond Int", request("find", [("limit", .unsigned(.max))]), .malformed(.outOfRange)),
    Refusal("an empty attribute name", request("find", [("match", .map([.init("", 1)]))]), .malformed(.outOfRange)),
    Refusal(
      "an attribute that is a map", request("find", [("match", .map([.init("acct", .map([]))]))]),
      .malformed(.unexpectedType)
    ),
    Refusal(
      "a date of another kind", request("find", [("match", .map([.init("acct", [1, 5])]))]), .malformed(.outOfRange)
    ),
    Refusal(
      "a secret above the limit",
      request("add", [("class", 1), ("secret", .bytes(Array(repeating: 0, count: Limits.secretBytes + 1)))]),
      .tooLarge(field: "secret", limit: Limits.secretBytes)
    ),
    Refusal(
      "an attribute above the limit",
      request(
        "add",
        [
          ("class", 1),
          ("attributes", .map([.init("icmt", .bytes(Array(repeating: 0, count: Limits.attributeBytes + 1)))])),
        ]), .tooLarge(field: "attribute", limit: Limits.attributeBytes)
    ),
    Refusal(
      "unsorted keys", [0x83, 1, 0x64] + "sync".utf8 + [0xA2, 0x61, 0x62, 1, 0x61, 0x61, 1], .unknownField("b")),
    Refusal(
      "a repeated key",
      [0x83, 1, 0x64] + "sync".utf8 + [0xA2, 0x65] + "vault".utf8 + [0x61, 0x61, 0x65] + "vault".utf8 + [0x61, 0x61],
      .malformed(.unsortedKeys)
    ),
    Refusal(
      "a count that the bytes do not hold", [0x83, 1, 0x64] + "sync".utf8 + [0xBA, 0xFF, 0xFF, 0xFF, 0xFF],
      .malformed(.truncated)
    ),
  ]

  @Test(arguments: refused)
  func `What is no request is refused by name`(_ refusal: Refusal) {
    #expect(throws: refusal.error) { _ = try AgentRequest(decoding: refusal.bytes) }
  }

  @Test(arguments: refused)
  func `Every refusal has a sentence and a status`(_ refusal: Refusal) {
    #expect(refusal.error.message.hasSuffix("."))
    #expect(refusal.error.status != .success)
  }

  @Test func `A refusal never repeats what cannot be a name`() {
    #expect(!AgentWireError.unknownField("hunter2 \u{1B}[2J").message.contains("hunter2"))
    #expect(!AgentWireError.unknownOperation(String(repeating: "x", count: 65)).message.contains("xx"))
  }

  @Test func `A reply is refused if it is another operation's`() {
    for (operation, reply) in Samples.replies {
      guard case .success(let result) = reply, result != .done else { continue }
      #expect(throws: AgentWireError.self) {
        _ = try AgentMessage(decoding: reply.encodedMessages[0], answering: operation == .status ? .add : .status)
      }
    }
  }
}
