public import CBOR

/// The rule of Docs/Formats.md §4 that an entry breaks.
public enum ChainError: Error, Equatable, Sendable {
  /// The entry does not have the form of the format, or exceeds a limit of form.
  case malformed(CBORError)
  /// The chain does not begin with a genesis entry, or another entry says it is one.
  case misplacedGenesis
  /// The entry is of another vault, or the genesis entry is not the one that the vault id names.
  case wrongVault
  /// The number is not the previous number + 1.
  case wrongNumber
  /// The previous hash is not the head's.
  case wrongPrevious
  /// The chain has its 10,000 entries.
  case chainTooLong
  /// The signers are not the ones that this type of entry needs, in order, and no other.
  case wrongSigners
  /// The signer is no device or recovery key of this chain.
  case unknownSigner
  /// The signer was revoked or replaced.
  case signerNotActive
  /// The signer is no admin.
  case signerNotAdmin
  /// A signature does not match.
  case wrongSignature
  /// The device id was added before, whatever became of it.
  case deviceAddedBefore
  /// The recovery id was added before, or an active recovery key has the same locator.
  case recoveryKeyAddedBefore
  /// A named device is not in the chain, or not active.
  case deviceNotActive
  /// A named recovery key is not in the chain, or not active.
  case recoveryKeyNotActive
  /// A list of ids does not ascend strictly.
  case unsortedList
  /// The epoch is not the one that must stand there.
  case wrongEpoch
  /// The recipients are not exactly the remaining devices and recovery keys.
  case wrongRecipients
  /// No admin would be left.
  case noAdminLeft
  /// There are 1,000 active devices.
  case tooManyDevices
  /// There are 64 active recovery keys.
  case tooManyRecoveryKeys
  /// A recovered device's mailbox is not 32 zero bytes.
  case wrongMailbox
  /// The device left before.
  case leftBefore
}
