import CBOR
import SealedRecords
import Testing
import VaultCrypto

struct KeybagCodingTests {
  private let secret = SharedKey(SymmetricKey<DeviceSecretRole>.random())

  @Test("No byte of a keybag without a passphrase can be changed")
  func tampering() throws {
    let (keybag, _) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    let encoded = keybag.encoded
    for index in encoded.indices {
      var altered = encoded
      altered[index] ^= 1
      #expect(throws: KeybagError.self, "byte \(index)") {
        try Keybag(decoding: altered).unlock(passphrase: nil, deviceSecret: secret.key)
      }
      #expect(throws: KeybagError.damaged) { try Keybag(decoding: Array(encoded[..<index])) }
    }
    #expect(throws: KeybagError.damaged) { try Keybag(decoding: encoded + [0]) }
  }

  @Test("The protection is authenticated: another cost or salt opens nothing")
  func protection() throws {
    let passphrase: [UInt8] = [1, 2, 3]
    let (keybag, _) = try Keybag.create(passphrase: passphrase, deviceSecret: secret.key)
    let value = try CBORValue(decoding: keybag.encoded)
    for altered in [
      value.replacing([2, 1], 1), value.replacing([2, 2], 8192),
      value.replacing([2, 3], .bytes([UInt8](repeating: 0, count: 16))),
    ] {
      let keybag = try Keybag(decoding: altered.encoded)
      #expect(throws: KeybagError.wrongPassphrase) {
        try keybag.unlock(passphrase: passphrase, deviceSecret: secret.key)
      }
    }
    // The passphrase cannot be argued away: without it there is no root key, whatever the keybag says.
    let stripped = value.replacing([2], [0])
      .replacing([4], .array(value.elements[4].elements.filter { $0.elements[0] != 2 }))
    #expect(throws: KeybagError.damaged) {
      try Keybag(decoding: stripped.encoded).unlock(passphrase: nil, deviceSecret: secret.key)
    }
  }

  @Test("Wrapped keys cannot stand in for each other")
  func exchanged() throws {
    let (keybag, _) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    let value = try CBORValue(decoding: keybag.encoded)
    for (left, right) in [([3], [4, 0, 1]), ([4, 0, 1], [4, 1, 1]), ([4, 1, 1], [4, 2, 1])] as [([Int], [Int])] {
      func element(_ path: [Int]) -> CBORValue { path.reduce(value) { $0.elements[$1] } }
      let exchanged = value.replacing(left, element(right)).replacing(right, element(left))
      #expect(throws: KeybagError.damaged) {
        try Keybag(decoding: exchanged.encoded).unlock(passphrase: nil, deviceSecret: secret.key)
      }
    }
  }

  @Test("Every departure from the form is refused, costs beyond floors and ceilings among them")
  func form() throws {
    let (keybag, _) = try Keybag.create(passphrase: [1], deviceSecret: secret.key)
    let value = try CBORValue(decoding: keybag.encoded)
    let classes = value.elements[4].elements
    let malformed: [CBORValue] = [
      .array(Array(value.elements.dropLast())), .array(value.elements + [0]), .null,
      value.replacing([1], .bytes([1])), value.replacing([2], []), value.replacing([2], [2]),
      value.replacing([2], [0, 0]), value.replacing([2], [1]), value.replacing([2, 1], 0),
      value.replacing([2, 1], 17), value.replacing([2, 2], 8191), value.replacing([2, 2], 4_194_305),
      value.replacing([2, 2], .unsigned(.max)), value.replacing([2, 3], .bytes([1])),
      value.replacing([3], [.bytes([1]), .bytes([1])]),
      value.replacing([3, 1], .bytes([UInt8](repeating: 0, count: 47))),
      value.replacing([4], .array(Array(classes.dropLast()))), value.replacing([4], .array(classes + [classes[0]])),
      value.replacing([4], .array([classes[1], classes[0], classes[2], classes[3]])),
      value.replacing([4], .array(classes.filter { $0.elements[0] != 2 })), value.replacing([4, 1, 0], 1),
      value.replacing([4, 3, 0], 5), value.replacing([2], [0]),
    ]
    for form in malformed {
      #expect(throws: KeybagError.damaged) { try Keybag(decoding: form.encoded) }
    }
    #expect(throws: KeybagError.unsupportedVersion) { try Keybag(decoding: value.replacing([0], 2).encoded) }
    #expect(throws: KeybagError.damaged) { try Keybag(decoding: [UInt8](repeating: 0, count: 5000)) }
  }
}
