internal import CBOR
internal import VaultCrypto

extension Keybag {
  /// The longest keybag.
  public static let maximumLength = 4096

  /// The keybag's bytes (Docs/Formats.md §8).
  public var encoded: [UInt8] {
    let sorted = classes.sorted { $0.key.rawValue < $1.key.rawValue }
    return CBORValue.array([
      1, .bytes(id), protection.encoded, root.encoded,
      .array(sorted.map { [.unsigned(UInt64($0.key.rawValue)), $0.value.encoded] }),
    ]).encoded
  }

  /// Reads a keybag strictly. A cost beyond floors and ceilings is refused before anything is computed.
  public init(decoding bytes: [UInt8]) throws(KeybagError) {
    do {
      self = try decodingStrictly(bytes, atMost: Self.maximumLength) { reader in
        try reader.message(5)
        let id = try reader.byteString(32)
        let protection = try Protection(reading: &reader)
        let root = try WrappedKey(reading: &reader)
        let expected: [ProtectionClass] =
          protection == .none
          ? [.whenUnlocked, .afterFirstUnlock, .always] : [.whenUnlocked, .passcodeSet, .afterFirstUnlock, .always]
        try reader.array(expected.count)
        var classes: [ProtectionClass: WrappedKey] = [:]
        for protectionClass in expected {
          try reader.array(2)
          guard try ProtectionClass(reading: &reader) == protectionClass else { throw RecordError.malformed }
          classes[protectionClass] = try WrappedKey(reading: &reader)
        }
        return Keybag(id: id, protection: protection, root: root, classes: classes)
      }
    } catch {
      throw error == .unsupportedVersion ? .unsupportedVersion : .damaged
    }
  }
}

extension Keybag.Protection {
  var encoded: CBORValue {
    switch self {
    case .none: [0]
    case .passphrase(let operations, let memoryKiB, let salt):
      [1, .unsigned(operations), .unsigned(memoryKiB), .bytes(salt)]
    }
  }

  init(reading reader: inout CBORReader) throws {
    let count = try reader.array()
    switch (count, try reader.unsigned(atMost: 1)) {
    case (1, 0): self = .none
    case (4, 1):
      let parameters = try PasswordHashParameters(
        operations: try reader.unsigned(), memoryKiB: try reader.unsigned())
      self = .passphrase(
        operations: parameters.operations, memoryKiB: parameters.memoryKiB,
        salt: try reader.byteString(PasswordHash.saltLength))
    default: throw RecordError.malformed
    }
  }
}

extension Keybag.WrappedKey {
  var encoded: CBORValue { [.bytes(nonce), .bytes(ciphertext)] }

  init(reading reader: inout CBORReader) throws {
    try reader.array(2)
    self.init(
      nonce: try reader.byteString(SymmetricKey<EncryptionRole>.nonceLength),
      ciphertext: try reader.byteString(Self.ciphertextLength))
  }
}
