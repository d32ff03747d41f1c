internal import CBOR
internal import TextCoding
internal import VaultCrypto
public import VaultModel

/// Why a typed text is no pairing code that can be used.
public enum PairingCodeError: Error, Equatable, Sendable {
  /// It is something else.
  case notACode
  /// It is a code, with a character wrong, missing or too many.
  case mistyped
  /// It was made by a newer version.
  case unsupportedVersion
}

extension PairingCodeError: CustomStringConvertible {
  /// What to tell the person who typed it.
  public var description: String {
    switch self {
    case .notACode: "this is no pairing code: a code begins with LOCKSTEP- and is shown by an invite on another device"
    case .mistyped: "the pairing code is mistyped or incomplete: copy it again, all of it"
    case .unsupportedVersion: "the pairing code was made by a newer version of Lockstep: update this device first"
    }
  }
}

/// What an invite shows and a joining device is told (Docs/Formats.md §6). It holds a secret and so does not print.
public struct PairingCode: Sendable {
  /// The relay's address.
  public let relay: String
  /// The secret, which knows the vault.
  public let secret: PairingSecret

  private static let prefix = "LOCKSTEP"
  private static let relayLimit = 512
  private static let checkLength = 4
  /// More than the longest code takes, hyphens included.
  private static let textLimit = 4_096

  /// A code; nil if the address has more than 512 bytes.
  public init?(relay: String, secret: PairingSecret) {
    guard relay.utf8.count <= Self.relayLimit else { return nil }
    self.relay = relay
    self.secret = secret
  }

  /// The vault that is joined.
  public var vault: VaultID { secret.vault }

  /// What a person copies.
  public func text() -> String {
    var secretBytes = secret.exportSecret()
    let value: CBORValue = [1, .text(relay), .bytes(vault.bytes), .bytes(secretBytes)]
    wipe(&secretBytes)
    let body = value.encoded
    return Self.prefix + "-" + CrockfordBase32.encode(body + Self.check(body))
  }

  /// Reads a typed code; case, spaces and hyphens do not count.
  public init(text: String) throws(PairingCodeError) {
    guard text.utf8.count <= Self.textLimit else { throw .notACode }
    // ASCII alone: Unicode's upper case would make an S of other letters too.
    let characters = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") && !(9...13).contains($0) }
    let start = characters.prefix(Self.prefix.utf8.count)
    guard start.elementsEqual(Self.prefix.utf8, by: { $0 == $1 || $0 == $1 | 0x20 }) else { throw .notACode }
    guard let bytes = CrockfordBase32.decode(String(decoding: characters.dropFirst(start.count), as: UTF8.self)),
      bytes.count > Self.checkLength
    else { throw .mistyped }
    let body = Array(bytes.dropLast(Self.checkLength))
    guard Self.check(body) == Array(bytes.suffix(Self.checkLength)) else { throw .mistyped }
    do {
      self = try PairingCode(body: body)
    } catch {
      // Nobody types the check of a wrong form by accident: it is another version's, or made up.
      var reader = CBORReader(body)
      let version = (try? reader.array()).flatMap { _ in try? reader.unsigned() }
      throw version.map { $0 > 1 } ?? false ? .unsupportedVersion : .notACode
    }
  }

  private init(body: [UInt8]) throws(CBORError) {
    var reader = CBORReader(body)
    try reader.array(4)
    guard try reader.unsigned() == 1 else { throw .outOfRange }
    relay = try reader.text(atMost: Self.relayLimit)
    guard let vault = VaultID(try reader.byteString(32)) else { throw .outOfRange }
    var bytes = try reader.byteString(PairingSecret.length)
    try reader.end()
    do {
      secret = PairingSecret(try SymmetricKey(consuming: &bytes), vault: vault)
    } catch {
      throw .outOfRange
    }
  }

  private static func check(_ body: [UInt8]) -> [UInt8] {
    Array(Digest.hash("lockstep/pairing-code/1", [.bytes(body)]).prefix(checkLength))
  }
}
