internal import CBOR
public import VaultModel

/// Which key seals a record (Docs/Formats.md §2).
public enum SealingKeyID: Hashable, Sendable {
  /// A vault's key of this epoch, from 1 on, and class, A or C.
  case vault(epoch: UInt64, ProtectionClass)
  /// A class key of this device.
  case device(ProtectionClass)

  /// The class.
  public var protectionClass: ProtectionClass {
    switch self {
    case .vault(_, let protectionClass), .device(let protectionClass): protectionClass
    }
  }

  /// The epoch of a vault's key; nil for a key of this device.
  public var epoch: UInt64? {
    if case .vault(let epoch, _) = self { epoch } else { nil }
  }

  /// Whether an item of this accessibility belongs under a key of this class.
  public func suits(_ accessibility: Accessibility) -> Bool {
    switch self {
    case .vault(_, let sealing): sealing == ProtectionClass(ofVaultItem: accessibility)
    case .device(let sealing): sealing == ProtectionClass(ofDeviceItem: accessibility)
    }
  }

  /// Whether such a key exists.
  var isValid: Bool {
    switch self {
    case .vault(let epoch, let sealing): epoch > 0 && (sealing == .whenUnlocked || sealing == .afterFirstUnlock)
    case .device: true
    }
  }

  func write(to writer: inout CBORWriter) {
    switch self {
    case .vault(let epoch, let protectionClass):
      writer.array(3)
      writer.unsigned(0)
      writer.unsigned(epoch)
      writer.unsigned(UInt64(protectionClass.rawValue))
    case .device(let protectionClass):
      writer.array(2)
      writer.unsigned(1)
      writer.unsigned(UInt64(protectionClass.rawValue))
    }
  }

  init(reading reader: inout CBORReader) throws {
    let count = try reader.array()
    switch (count, try reader.unsigned(atMost: 1)) {
    case (3, 0): self = .vault(epoch: try reader.unsigned(), try ProtectionClass(reading: &reader))
    case (2, 1): self = .device(try ProtectionClass(reading: &reader))
    default: throw RecordError.malformed
    }
    guard isValid else { throw RecordError.malformed }
  }
}

extension ProtectionClass {
  init(reading reader: inout CBORReader) throws {
    guard let value = ProtectionClass(rawValue: UInt8(try reader.unsigned(atMost: 255))) else {
      throw RecordError.malformed
    }
    self = value
  }
}
