import Synchronization

@testable import VaultSync

/// Reaches a device's vault until, at one of the engine's local steps, the process dies: right before the step or right after it.
final class CrashingAccess: VaultAccess {
  struct Crash: Error {}

  private let device: TestDevice
  private let step: Int
  private let afterwards: Bool
  private let steps = Counter()

  init(_ device: TestDevice, at step: Int, afterwards: Bool) {
    self.device = device
    self.step = step
    self.afterwards = afterwards
  }

  /// Whether it came to the crash.
  var hasCrashed: Bool { steps.count > step }

  func withVault<Result: Sendable>(_ body: (OpenVault) throws -> Result) throws -> Result {
    let number = steps.next()
    if number > step || (number == step && !afterwards) { throw Crash() }
    let result = try device.withVault(body)
    if number == step { throw Crash() }
    return result
  }

  var clock: UInt64 { device.clock }
}
