/// When an item can be read: the Keychain's seven classes with their codes, the values of the attribute `pdmn`.
public enum Accessibility: String, CaseIterable, Sendable {
  /// While unlocked.
  case whenUnlocked = "ak"
  /// From the first unlock until the next start.
  case afterFirstUnlock = "ck"
  /// Always.
  case always = "dk"
  /// While unlocked; never leaves this device.
  case whenUnlockedThisDeviceOnly = "aku"
  /// From the first unlock until the next start; never leaves this device.
  case afterFirstUnlockThisDeviceOnly = "cku"
  /// Always; never leaves this device.
  case alwaysThisDeviceOnly = "dku"
  /// While unlocked and a passcode is set; never leaves this device.
  case whenPasscodeSetThisDeviceOnly = "akpu"

  /// When an item can be read, apart from whether it may leave the device; a greater one is stricter.
  public enum Protection: Int, Comparable, Sendable {
    /// Always.
    case always = 0
    /// From the first unlock on.
    case afterFirstUnlock = 1
    /// While unlocked.
    case whenUnlocked = 2
    /// While unlocked and a passcode is set.
    case passcode = 3

    /// Whether `left` is laxer.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// When the item can be read.
  public var protection: Protection {
    switch self {
    case .whenPasscodeSetThisDeviceOnly: .passcode
    case .whenUnlocked, .whenUnlockedThisDeviceOnly: .whenUnlocked
    case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: .afterFirstUnlock
    case .always, .alwaysThisDeviceOnly: .always
    }
  }

  /// Whether the item must never leave this device.
  public var isThisDeviceOnly: Bool {
    switch self {
    case .whenUnlocked, .afterFirstUnlock, .always: false
    case .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
      .whenPasscodeSetThisDeviceOnly:
      true
    }
  }

  /// Orders the classes when they are in conflict: first by protection, then a class bound to this device above one that
  /// is not. The greatest decides the sealing key.
  public var strictness: Int { protection.rawValue * 2 + (isThisDeviceOnly ? 1 : 0) }

  /// The class with the same protection whose items may be in a vault. Of the passcode class that is `whenUnlocked`: a
  /// weaker promise, which a caller must not make without asking.
  public var synchronizableForm: Accessibility {
    switch protection {
    case .passcode, .whenUnlocked: .whenUnlocked
    case .afterFirstUnlock: .afterFirstUnlock
    case .always: .always
    }
  }
}
