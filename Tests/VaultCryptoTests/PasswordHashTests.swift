import Testing
import TextCoding
import VaultCrypto

struct PasswordHashTests {
  /// The answers were computed with PyNaCl 1.6.2.
  @Test(
    "Argon2id gives PyNaCl's answers",
    arguments: [
      (
        Array("correct horse battery staple".utf8), 3 as UInt64, 65_536 as UInt64,
        "0d1a3c6523c8f06e4e0af9c515aa5b5448cfebd6838f2d52c3d8b6ef8ddc3c2e"
      ),
      ([], 1, 8192, "50445b64a362cf432d175b0fbd484f23f51d3f1f797b60bd490532c2add1d65a"),
      ([0x70, 0, 0x71], 2, 16_384, "c24d4ec1e5e065d4e6aa5bb8855d29cc359e58615ba4193b935b49006198a0cb"),
    ])
  func knownAnswers(passphrase: [UInt8], operations: UInt64, memoryKiB: UInt64, expected: String) throws {
    let parameters = try PasswordHashParameters(operations: operations, memoryKiB: memoryKiB)
    let derived = try PasswordHash.derive(passphrase, salt: Array(0..<16), parameters)
    #expect(Hex.encode(derived.exportBytes()) == expected)
  }

  @Test("Costs outside the floors and ceilings are refused")
  func bounds() {
    for (operations, memoryKiB) in [
      (0, 65_536), (17, 65_536), (3, 8191), (3, 4 * 1024 * 1024 + 1), (.max, .max),
    ] as [(UInt64, UInt64)] {
      #expect(throws: CryptoError.parametersOutOfRange) {
        try PasswordHashParameters(operations: operations, memoryKiB: memoryKiB)
      }
    }
    #expect(throws: Never.self) { try PasswordHashParameters(operations: 1, memoryKiB: 8192) }
    #expect(throws: Never.self) { try PasswordHashParameters(operations: 16, memoryKiB: 4 * 1024 * 1024) }
  }

  @Test("A salt of another length is refused")
  func salt() throws {
    let parameters = try PasswordHashParameters(operations: 1, memoryKiB: 8192)
    #expect(throws: CryptoError.malformed) { _ = try PasswordHash.derive([1], salt: [1], parameters) }
  }

  @Test("The calibrated cost is at least the minimum")
  func calibration() {
    let parameters = PasswordHashParameters.calibrated()
    #expect(parameters.operations >= PasswordHashParameters.minimum.operations)
    #expect(parameters.memoryKiB >= PasswordHashParameters.minimum.memoryKiB)
  }
}
