import CBOR
import Testing
import VaultModel

@testable import SealedRecords

/// A plaintext to be refused. Named, since printing a value of a mebibyte takes seconds.
struct RefusedPlaintext: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let value: CBORValue

  init(_ testDescription: String, _ value: CBORValue) {
    self.testDescription = testDescription
    self.value = value
  }
}

/// Each case departs from a valid plaintext in one thing.
struct ItemCodingRefusalTests {
  /// [1, class, vector, delete context, registers, [modification time, secret in conflict]]
  private static let attributes: CBORValue = [
    1, 1, [[.bytes(bytes32(1)), 5], [.bytes(bytes32(2)), 9]], [[.bytes(bytes32(1)), 4]],
    .map([.init("acct", [["a", 0, 5, 10], ["b", 1, 9, 20]]), .init("svce", [[.bytes([1]), 0, 1, 1]])]),
    [30, .bool(true)],
  ]
  /// [1, registers, history]
  private static let secret: CBORValue = [
    1, .map([.init("v_Data", [[.bytes([1]), 0, 5, 10], [.bytes([2]), 1, 9, 30]])]), [[.bytes([3]), 0, 1, 5]],
  ]

  private static func registers(_ pairs: CBORValue.Pair...) -> CBORValue { attributes.replacing([4], .map(pairs)) }
  private static func account(_ writes: CBORValue) -> CBORValue { registers(.init("acct", writes)) }
  private static func secrets(_ pairs: CBORValue.Pair...) -> CBORValue { secret.replacing([1], .map(pairs)) }

  @Test("The cases start from plaintexts that are accepted")
  func valid() throws {
    let attributes = try ItemCoding.decodeAttributes(Self.attributes.encoded)
    let item = try ItemCoding.decodeItem(attributes, secret: Self.secret.encoded)
    #expect(try ItemCoding.attributes(of: item) == Self.attributes.encoded)
    #expect(try ItemCoding.secret(of: item) == Self.secret.encoded)
  }

  static let badAttributes: [RefusedPlaintext] = [
    .init("an element too few", .array(Array(attributes.elements.dropLast()))),
    .init("an element too many", .array(attributes.elements + [0])),
    .init("class 0", attributes.replacing([1], 0)),
    .init("class 5", attributes.replacing([1], 5)),
    .init("class beyond a byte", attributes.replacing([1], 257)),
    .init("a device twice", attributes.replacing([2], [[.bytes(bytes32(1)), 5], [.bytes(bytes32(1)), 9]])),
    .init("devices out of order", attributes.replacing([2], [[.bytes(bytes32(2)), 9], [.bytes(bytes32(1)), 5]])),
    .init("a counter of 0", attributes.replacing([2, 1, 1], 0)),
    .init("a short device id", attributes.replacing([2, 0, 0], .bytes([1]))),
    .init("a vector that is no array", attributes.replacing([2], .map([]))),
    .init("a delete context above the vector", attributes.replacing([3, 0, 1], 6)),
    .init("a delete context with a device beyond the vector", attributes.replacing([3], [[.bytes(bytes32(3)), 1]])),
    .init("a register without writes", account([])),
    .init("a name of no bytes", registers(.init("", [["a", 0, 5, 10]]))),
    .init("a name of 65 bytes", registers(.init(.text(String(repeating: "n", count: 65)), [["a", 0, 5, 10]]))),
    .init("a name that is no text", registers(.init(7, [["a", 0, 5, 10]]))),
    .init("a secret attribute", registers(.init("v_Data", [["a", 0, 5, 10]]))),
    .init("another secret attribute", registers(.init("bin3", [["a", 0, 5, 10]]))),
    .init("an index beyond the vector", account([["a", 2, 5, 10]])),
    .init("a negative index", account([["a", -1, 5, 10]])),
    .init("a counter above the vector's", account([["a", 0, 6, 10]])),
    .init("a write's counter of 0", account([["a", 0, 0, 10]])),
    .init("a write with an element too few", account([["a", 0, 5]])),
    .init("a write with an element too many", account([["a", 0, 5, 10, 0]])),
    .init("a write that is no array", account([7])),
    .init("writes out of order by time", account([["a", 1, 9, 20], ["b", 0, 5, 10]])),
    .init("writes out of order by device", account([["a", 1, 9, 20], ["b", 0, 5, 20]])),
    .init("writes out of order by counter", account([["a", 0, 5, 20], ["b", 0, 4, 20]])),
    .init("a dot twice at one time", account([["a", 0, 5, 10], ["b", 0, 5, 10]])),
    .init("a dot twice at two times", account([["a", 0, 5, 10], ["b", 0, 5, 20]])),
    .init("a value that is a map", account([[.map([]), 0, 5, 10]])),
    .init("a value above Int64", account([[.unsigned(1 << 63), 0, 5, 10]])),
    .init("a date of another kind", account([[[1, 5], 0, 5, 10]])),
    .init("a date with an element too few", account([[[0], 0, 5, 10]])),
    .init("a date with an element too many", account([[[0, 1, 2], 0, 5, 10]])),
    .init("a date that is no integer", account([[[0, "1"], 0, 5, 10]])),
    .init("a modification time below a write's", attributes.replacing([5, 0], 19)),
    .init("a conflict that is no truth value", attributes.replacing([5, 1], 1)),
    .init("a summary with an element too many", attributes.replacing([5], [30, .bool(true), 0])),
    .init(
      "129 attributes",
      attributes.replacing([4], .map((0..<129).map { .init(.text("n\($0)"), [["a", 0, 5, 10]]) }))
    ),
    .init(
      "4,097 devices",
      attributes.replacing(
        [2],
        .array((0..<4097).map { [.bytes([UInt8($0 >> 8), UInt8($0 & 255)] + [UInt8](repeating: 0, count: 30)), 9] }))
    ),
  ]

  @Test("Attributes that the page does not allow are refused", arguments: badAttributes)
  func refusesAttributes(plaintext: RefusedPlaintext) {
    #expect(throws: RecordError.malformed) { try ItemCoding.decodeAttributes(plaintext.value.encoded) }
  }

  static let badSecrets: [RefusedPlaintext] = [
    .init("an element too few", .array(Array(secret.elements.dropLast()))),
    .init("an element too many", .array(secret.elements + [0])),
    .init("an attribute that is not secret", secrets(.init("acct", [["a", 0, 5, 30]]))),
    .init("an unknown secret name", secrets(.init("bin4", [["a", 0, 5, 30]]))),
    .init("a modification time that the summary does not have", secret.replacing([1], .map([]))),
    .init("a conflict that is none", secrets(.init("v_Data", [[.bytes([2]), 0, 5, 10], [.bytes([2]), 1, 9, 30]]))),
    .init(
      "a write later than the summary says",
      secrets(.init("v_Data", [[.bytes([1]), 0, 5, 10], [.bytes([2]), 1, 9, 31]]))
    ),
    .init(
      "a counter above the vector's", secrets(.init("v_Data", [[.bytes([1]), 0, 6, 10], [.bytes([2]), 1, 9, 30]]))),
    .init(
      "a secret beyond 1 MiB",
      secrets(
        .init(
          "v_Data",
          [[.bytes([UInt8](repeating: 1, count: Limits.secretBytes + 1)), 0, 5, 10], [.bytes([2]), 1, 9, 30]]))
    ),
    .init("an absent value in the history", secret.replacing([2], [[.null, 0, 1, 5]])),
    .init("an open write in the history", secret.replacing([2], [[.bytes([1]), 0, 5, 10]])),
    .init("a history out of order", secret.replacing([2], [[.bytes([3]), 0, 2, 5], [.bytes([4]), 0, 1, 5]])),
    .init("a history of 11", secret.replacing([2], .array((0..<11).map { [.bytes([3]), 1, 5, .integer($0)] }))),
    .init(
      "too large a value in the history",
      secret.replacing([2], [[.bytes([UInt8](repeating: 1, count: Limits.historyValueBytes + 1)), 0, 1, 5]])
    ),
    .init("a history that is no array", secret.replacing([2], .null)),
  ]

  @Test("Secrets that the page does not allow, or that contradict the attributes, are refused", arguments: badSecrets)
  func refusesSecrets(plaintext: RefusedPlaintext) throws {
    let attributes = try ItemCoding.decodeAttributes(Self.attributes.encoded)
    let expected: RecordError = plaintext.testDescription.contains("1 MiB") ? .tooLarge : .malformed
    #expect(throws: expected) { try ItemCoding.decodeItem(attributes, secret: plaintext.value.encoded) }
  }

  @Test("Names out of order or repeated, which CBOR's own rules forbid, are refused")
  func unsortedNames() throws {
    for names in [["svce", "acct"], ["acct", "acct"], ["longer", "acct"], ["e\u{301}", "\u{e9}"]] {
      var writer = CBORWriter()
      writer.array(6)
      for element in Self.attributes.elements[..<4] { element.write(to: &writer) }
      writer.map(names.count)
      for name in names {
        writer.text(name)
        CBORValue.array([["a", 0, 5, 10]]).write(to: &writer)
      }
      Self.attributes.elements[5].write(to: &writer)
      #expect(throws: RecordError.malformed) { try ItemCoding.decodeAttributes(writer.bytes) }
    }
  }

  @Test("Another version, a byte too many and a byte too few are refused")
  func frame() throws {
    #expect(throws: RecordError.unsupportedVersion) {
      try ItemCoding.decodeAttributes(Self.attributes.replacing([0], 2).encoded)
    }
    let attributes = try ItemCoding.decodeAttributes(Self.attributes.encoded)
    #expect(throws: RecordError.unsupportedVersion) {
      try ItemCoding.decodeItem(attributes, secret: Self.secret.replacing([0], 2).encoded)
    }
    for bytes in [Self.attributes.encoded + [0], Array(Self.attributes.encoded.dropLast()), []] {
      #expect(throws: RecordError.malformed) { try ItemCoding.decodeAttributes(bytes) }
    }
    for bytes in [Self.secret.encoded + [0], Array(Self.secret.encoded.dropLast()), []] {
      #expect(throws: RecordError.malformed) { try ItemCoding.decodeItem(attributes, secret: bytes) }
    }
  }
}
