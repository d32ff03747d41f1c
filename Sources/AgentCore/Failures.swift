internal import AgentWire
internal import Membership
internal import RelayWire
internal import SQLiteKit
internal import SealedRecords
internal import VaultSync

/// What went wrong, as the one sentence that a person reads: what, why, what to do.
func failure(_ error: any Error) -> AgentFailure {
  switch error {
  case let error as AgentFailure: error
  case let error as VaultError: vaultFailure(error)
  case let error as VaultLookupError: lookupFailure(error)
  case let error as SyncError: syncFailure(error)
  case let error as RelayError: syncFailure(.relay(error))
  case let error as SQLiteError: storeFailure(error)
  case let error as KeybagError: keybagFailure(error)
  case let error as RecoveryKeyError: AgentFailure(.recoveryKeyInvalid, "\(error)")
  case let error as PairingCodeError: AgentFailure(.pairingCodeInvalid, "\(error)")
  case let error as StartError: AgentFailure(.storeUnusable, error.description)
  case let error as MembershipError: AgentFailure(.relayMisbehaved, "the relay's answer was not accepted: \(error)")
  default: AgentFailure(.internalError, "an unexpected error: \(error)")
  }
}

/// The sentence alone.
func describe(_ error: any Error) -> String { failure(error).message }

private func vaultFailure(_ error: VaultError) -> AgentFailure {
  switch error {
  case .locked: AgentFailure(.interactionNotAllowed, "the item is locked: unlock with 'lockstep unlock'")
  case .notFound: AgentFailure(.itemNotFound, "no such item")
  case .duplicate: AgentFailure(.duplicateItem, "the item exists already: use --update to replace it")
  case .invalid(let why): AgentFailure(.invalidParameter, why)
  case .passphraseNeeded:
    AgentFailure(
      .authenticationFailed, "an item of this class needs a passphrase on this device: set one with 'lockstep passwd'")
  case .readerOnly: AgentFailure(.roleTooLow, "this device may only read in this vault: ask an admin for another role")
  case .damaged(let what):
    AgentFailure(.notAvailable, "\(what): restore the home from a backup, or recover with the recovery key")
  }
}

private func lookupFailure(_ error: VaultLookupError) -> AgentFailure {
  switch error {
  case .noSuchVault(let name):
    AgentFailure(.vaultNotFound, "no vault '\(name)' on this device: see 'lockstep vault list'")
  case .noVault(let notice):
    AgentFailure(
      .vaultNotFound,
      notice.map { "no vault on this device: \($0)" }
        ?? "no vault on this device: make one with 'lockstep init', or join one with 'lockstep join'")
  case .nameTaken(let name):
    AgentFailure(.vaultExists, "a vault '\(name)' is on this device already: choose another --vault")
  case .badName: AgentFailure(.invalidParameter, "a vault's name is 1 to 64 bytes without control characters")
  }
}

private func syncFailure(_ error: SyncError) -> AgentFailure {
  switch error {
  case .relay(let relay): relayFailure(relay)
  case .locked: AgentFailure(.interactionNotAllowed, "syncing needs the first unlock: unlock with 'lockstep unlock'")
  case .revoked:
    AgentFailure(.deviceRevoked, "this device was revoked by an admin of the vault: what is stored here stays readable")
  case .misbehaved(let evidence):
    AgentFailure(.relayMisbehaved, "the relay was caught misbehaving: \(evidence)")
  case .cancelled: AgentFailure(.failed, "the request was cancelled")
  }
}

private func relayFailure(_ error: RelayError) -> AgentFailure {
  switch error {
  case .unreachable: return AgentFailure(.relayUnreachable, "\(error): check its address and that it runs")
  case .malformedAnswer: return AgentFailure(.relayMisbehaved, "\(error): is it a Lockstep relay of this version?")
  case .cancelled: return AgentFailure(.failed, "\(error)")
  case .problem(let problem):
    switch problem.code {
    case .invite:
      return AgentFailure(
        .relayRefused, "the relay wants a valid invite: ask its operator for one and give it with --invite")
    case .unavailable, .busy: return AgentFailure(.relayUnreachable, "\(error): try again later")
    default: return AgentFailure(.relayRefused, "\(error)")
    }
  }
}

private func storeFailure(_ error: SQLiteError) -> AgentFailure {
  switch error.code {
  case .full: AgentFailure(.diskFull, "the disk is full: nothing was changed; make room and try again")
  case .readOnly: AgentFailure(.readOnly, "the database cannot be written: check the home's file system and mode")
  case .corrupt, .notADatabase:
    AgentFailure(.notAvailable, "the database is damaged: restart the agent, which sets it aside, then recover")
  case .ioError: AgentFailure(.inputOutput, "the disk failed: \(error)")
  default: AgentFailure(.notAvailable, "the database failed: \(error)")
  }
}

private func keybagFailure(_ error: KeybagError) -> AgentFailure {
  switch error {
  case .wrongPassphrase: AgentFailure(.authenticationFailed, "the passphrase is wrong")
  case .passphraseRequired: AgentFailure(.interactionNotAllowed, "a passphrase is needed")
  case .noPassphraseSet: AgentFailure(.badRequest, "no passphrase is set on this device")
  case .damaged: AgentFailure(.notAvailable, "the keybag is damaged: restore the home from a backup, or recover")
  case .unsupportedVersion:
    AgentFailure(.notAvailable, "the keybag was written by a newer Lockstep: install that version")
  case .costTooLow: AgentFailure(.internalError, "the passphrase would be hashed too cheaply")
  case .outOfMemory: AgentFailure(.notAvailable, "there is not enough memory to check the passphrase")
  }
}
