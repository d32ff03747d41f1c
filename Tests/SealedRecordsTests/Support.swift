import CBOR
import SealedRecords
import Testing
import TextCoding
import VaultCrypto
import VaultModel

/// 32 bytes that are all `number`.
func bytes32(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

// swift-format-ignore: NeverForceUnwrap
func device(_ number: UInt8) -> DeviceID { DeviceID(bytes32(number))! }
// swift-format-ignore: NeverForceUnwrap
func vault(_ number: UInt8) -> VaultID { VaultID(bytes32(number))! }
// swift-format-ignore: NeverForceUnwrap
func slot(_ number: UInt8) -> SlotID { SlotID(bytes32(number))! }
// swift-format-ignore: NeverForceUnwrap
func name(_ text: String) -> AttributeName { AttributeName(text)! }

func dot(_ device: DeviceID, _ counter: UInt64) -> Dot { Dot(device: device, counter: counter) }

// swift-format-ignore: NeverForceUnwrap
func vector(_ entries: [DeviceID: UInt64]) -> VersionVector {
  VersionVector(entries.sorted { $0.key < $1.key }.map { .init(device: $0.key, counter: $0.value) })!
}

func key<Role: KeyRole>(_ contents: some Sequence<UInt8>) throws -> SharedKey<Role> {
  var contents = Array(contents)
  return SharedKey(try SymmetricKey<Role>(consuming: &contents))
}

func makeAuthor(_ number: UInt8 = 1) -> RecordAuthor {
  RecordAuthor(device: device(number), head: bytes32(0xCE), signer: PushSigner(.random()))
}

/// A generic password as one device made it.
func item(secret: [UInt8] = Array("hunter2".utf8)) throws -> ItemState {
  try ItemState(itemClass: .genericPassword).adding(
    [
      .account: .text("seal"), .service: .text("example.org"), .accessGroup: .text("main"), .accessible: .text("ak"),
      .label: .text("Example"), .secret: .bytes(secret),
    ], dot: dot(device(1), 1), clock: 1_700_000_000_000, floor: VersionVector())
}

/// The same after two devices wrote the secret and the label while apart, with a history and every kind of value.
func contestedItem() throws -> ItemState {
  let values: [AttributeName: AttributeValue] = [
    .secret: .bytes([1, 2, 3]), .port: .number(-7), .isInvisible: .bool(true), .isNegative: .bool(false),
    .creationDate: .date(milliseconds: -1), .comment: .absent, .generic: .bytes([]), name("x-unknown.9"): .text("kept"),
    name("é"): .text("e\u{301}"), .secretExtra0: .bytes([9]),
  ]
  let base = try item().setting(values, dot: dot(device(1), 7), clock: 1_700_000_001_000)
  let left = try base.setting(
    [.secret: .bytes([4]), .label: .text("left")], dot: dot(device(1), 9), clock: 1_700_000_002_000)
  let right = try base.setting(
    [.secret: .bytes([5]), .label: .text("right")], dot: dot(device(2), 1 << 40), clock: 1_700_000_002_000)
  return left.merging(right)
}

extension CBORValue {
  /// The elements of an array.
  var elements: [CBORValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// An array with one element replaced, at a path of indices.
  func replacing(_ path: [Int], _ value: CBORValue) -> CBORValue {
    guard let first = path.first else { return value }
    var elements = elements
    elements[first] = elements[first].replacing(Array(path.dropFirst()), value)
    return .array(elements)
  }

  /// The contents of a byte string.
  var contents: [UInt8] {
    if case .bytes(let bytes) = self { bytes } else { [] }
  }
}
