public import VaultModel

/// When the key is there that seals an item (Docs/Formats.md §2, §8).
public enum ProtectionClass: UInt8, CaseIterable, Sendable {
  /// A: while unlocked.
  case whenUnlocked = 1
  /// P: while unlocked, and only as long as a passphrase is set; this device alone.
  case passcodeSet = 2
  /// C: from the first unlock until the agent ends.
  case afterFirstUnlock = 3
  /// D: as soon as the agent runs; this device alone.
  case always = 4

  /// The class of a vault's item: only A and C exist, so `always` is C and every class of A's strictness is A.
  public init(ofVaultItem accessibility: Accessibility) {
    switch accessibility.protection {
    case .passcode, .whenUnlocked: self = .whenUnlocked
    case .afterFirstUnlock, .always: self = .afterFirstUnlock
    }
  }

  /// The class of an item of this device alone.
  public init(ofDeviceItem accessibility: Accessibility) {
    switch accessibility.protection {
    case .passcode: self = .passcodeSet
    case .whenUnlocked: self = .whenUnlocked
    case .afterFirstUnlock: self = .afterFirstUnlock
    case .always: self = .always
    }
  }
}
