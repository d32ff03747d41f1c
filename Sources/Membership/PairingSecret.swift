internal import CBOR
internal import RelayWire
public import VaultCrypto
public import VaultModel

/// The 128-bit secret of one pairing and what is derived from it (Docs/Formats.md §6).
public final class PairingSecret: Sendable {
  /// The vault that is joined.
  public let vault: VaultID
  /// The mailbox of this pairing at the relay.
  public let mailbox: [UInt8]
  private let secret: SymmetricKey<PairingRole>

  static let length = 16

  /// A secret that came with a code.
  public init(_ secret: consuming SymmetricKey<PairingRole>, vault: VaultID) {
    self.vault = vault
    self.mailbox = secret.authenticate(Self.context, ["mailbox", .bytes(vault.bytes)])
    self.secret = secret
  }

  /// A fresh secret.
  public static func random(vault: VaultID) -> PairingSecret {
    PairingSecret(.random(count: length), vault: vault)
  }

  private static let context = "lockstep/pairing/1"

  func key(_ purpose: String) -> SymmetricKey<EncryptionRole> {
    secret.derive(EncryptionRole.self, Self.context, [.text(purpose), .bytes(vault.bytes)])
  }

  func exportSecret() -> [UInt8] { secret.exportBytes() }
}
