public import DeviceChain
public import RelayWire
public import VaultModel

extension DeviceID {
  /// The id of a device with these public keys.
  public init(of keys: DevicePublicKeys) { self = identifier(ChainHash.deviceID(keys), DeviceID.init) }
}

extension ChainState {
  /// The vault, as the model names it.
  public var vault: VaultID { identifier(vaultID, VaultID.init) }

  /// The device of this id, whatever became of it.
  public func device(_ id: DeviceID) -> ChainDevice? { device(id.bytes) }
}

extension ChainDevice {
  /// The device's id, as the model names it.
  public var device: DeviceID { identifier(id, DeviceID.init) }
}

/// An id of the model from a hash, which always has the 32 bytes that the model asks for.
private func identifier<ID>(_ hash: [UInt8], _ make: ([UInt8]) -> ID?) -> ID {
  guard let id = make(hash) else { fatalError("a hash has 32 bytes") }
  return id
}
