public import RelayWire
public import VaultCrypto
public import VaultModel

/// The half of a device's keys that is wiped at lock: it signs chain entries and opens keyrings A.
public final class DeviceKeysA: Sendable {
  /// The device.
  public let device: DeviceID
  /// Signs chain entries.
  public let chainSigning: SigningKey<ChainSigningRole>
  /// Opens keyrings A.
  public let exchange: ExchangeKey<ExchangeARole>

  /// The keys of `device`; they are wiped when the last owner lets go.
  public init(
    device: DeviceID, chainSigning: consuming SigningKey<ChainSigningRole>,
    exchange: consuming ExchangeKey<ExchangeARole>
  ) {
    self.device = device
    self.chainSigning = chainSigning
    self.exchange = exchange
  }
}

/// The half of a device's keys that stays while the agent runs: it signs records and requests and opens keyrings C.
public final class DeviceKeysC: Sendable {
  /// The device.
  public let device: DeviceID
  /// Signs records, checkpoints, purges and requests.
  public let pushSigning: SigningKey<PushSigningRole>
  /// Opens keyrings C.
  public let exchange: ExchangeKey<ExchangeCRole>

  /// The keys of `device`; they are wiped when the last owner lets go.
  public init(
    device: DeviceID, pushSigning: consuming SigningKey<PushSigningRole>, exchange: consuming ExchangeKey<ExchangeCRole>
  ) {
    self.device = device
    self.pushSigning = pushSigning
    self.exchange = exchange
  }
}

/// The keys of a device in one vault (Docs/Formats.md §4), made fresh for each vault.
public struct DeviceKeys: Sendable {
  /// What is wiped at lock.
  public let a: DeviceKeysA
  /// What stays.
  public let c: DeviceKeysC

  /// Both halves of one device.
  public init(a: DeviceKeysA, c: DeviceKeysC) {
    self.a = a
    self.c = c
  }

  /// Four fresh key pairs.
  public static func random() -> DeviceKeys {
    let chainSigning = SigningKey<ChainSigningRole>.random()
    let exchangeA = ExchangeKey<ExchangeARole>.random()
    let pushSigning = SigningKey<PushSigningRole>.random()
    let exchangeC = ExchangeKey<ExchangeCRole>.random()
    let id = DeviceID(
      of: DevicePublicKeys(
        chainSigning: chainSigning.publicKey, exchangeA: exchangeA.publicKey, pushSigning: pushSigning.publicKey,
        exchangeC: exchangeC.publicKey))
    return DeviceKeys(
      a: DeviceKeysA(device: id, chainSigning: chainSigning, exchange: exchangeA),
      c: DeviceKeysC(device: id, pushSigning: pushSigning, exchange: exchangeC))
  }

  /// The device's id.
  public var device: DeviceID { a.device }

  /// The four public keys.
  public var publicKeys: DevicePublicKeys {
    DevicePublicKeys(
      chainSigning: a.chainSigning.publicKey, exchangeA: a.exchange.publicKey, pushSigning: c.pushSigning.publicKey,
      exchangeC: c.exchange.publicKey)
  }
}
