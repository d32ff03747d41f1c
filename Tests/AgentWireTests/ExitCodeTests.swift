import Testing

@testable import AgentWire

@Suite struct ExitCodeTests {
  @Test(
    arguments: [
      (.success, 0), (.itemNotFound, 44), (.duplicateItem, 45), (.interactionNotAllowed, 36),
      (.authenticationFailed, 51), (.invalidParameter, 206), (.relayUnreachable, 69), (.relayMisbehaved, 70),
      (.deviceRevoked, 77), (.ambiguous, 2), (.failed, 1), (.vaultNotFound, 1), (.passphraseNeeded, 1),
      (.pairingRefused, 1), (AgentStatus(rawValue: -72_099), 1), (AgentStatus(rawValue: -256), 1),
      (AgentStatus(rawValue: .min), 1), (AgentStatus(rawValue: .max), 255),
    ] as [(AgentStatus, Int32)])
  func `Statuses become exit codes as Apple's security does it`(_ status: AgentStatus, _ code: Int32) {
    #expect(ExitCode.from(status) == code)
  }
}
