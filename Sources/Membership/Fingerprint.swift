internal import TextCoding
public import VaultModel

/// What both ends of a pairing show (Docs/Formats.md §6).
public enum Fingerprint {
  /// The first 10 bytes of a device id in Crockford's base32, in groups of four.
  public static func text(_ device: DeviceID) -> String {
    let characters = Array(CrockfordBase32.encode(Array(device.bytes.prefix(10))))
    return stride(from: 0, to: characters.count, by: 4)
      .map { String(characters[$0..<min($0 + 4, characters.count)]) }
      .joined(separator: "-")
  }
}
