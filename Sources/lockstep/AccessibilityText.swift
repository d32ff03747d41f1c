import AgentWire
import VaultModel

/// The classes of accessibility, by the names that `--accessible` takes.
enum AccessibilityText {
  static func parse(_ text: String) throws(CommandFailure) -> Accessibility {
    switch text {
    case "when-unlocked": return .whenUnlocked
    case "after-first-unlock": return .afterFirstUnlock
    case "always": return .always
    case "when-passcode-set": return .whenPasscodeSetThisDeviceOnly
    default:
      throw .usage("--accessible is one of when-unlocked, after-first-unlock, always, when-passcode-set")
    }
  }

  /// The name of an item's class, as `list` shows it; the code itself if a newer version wrote it.
  static func name(_ value: AttributeValue?) -> String {
    guard case .text(let code)? = value else { return "when-unlocked" }
    guard let accessibility = Accessibility(rawValue: code) else { return code }
    switch accessibility.protection {
    case .whenUnlocked: return "when-unlocked"
    case .afterFirstUnlock: return "after-first-unlock"
    case .always: return "always"
    case .passcode: return "when-passcode-set"
    }
  }

  /// The class with the same promise for an item that never leaves this device.
  static func thisDeviceOnly(_ accessibility: Accessibility) -> Accessibility {
    switch accessibility.protection {
    case .whenUnlocked: .whenUnlockedThisDeviceOnly
    case .afterFirstUnlock: .afterFirstUnlockThisDeviceOnly
    case .always: .alwaysThisDeviceOnly
    case .passcode: .whenPasscodeSetThisDeviceOnly
    }
  }
}
