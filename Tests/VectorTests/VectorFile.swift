import Foundation
import Testing
import TextCoding
import VaultCrypto
import VaultModel

/// One of the files in Tests/Vectors, which its README describes.
struct VectorFile: Decodable {
  let format: String
  let version: Int
  let positive: [Vector]
  let negative: [Vector]

  /// The file's vectors; none if there is no such file, which a test notices.
  static func load(_ name: String) -> VectorFile {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/\(name).json")
    guard let data = try? Data(contentsOf: url), let file = try? JSONDecoder().decode(VectorFile.self, from: data)
    else { return VectorFile(format: "", version: 0, positive: [], negative: []) }
    return file
  }
}

/// One vector: its name and its fields.
struct Vector: Decodable, Sendable, CustomTestStringConvertible {
  let fields: [String: Field]

  init(from decoder: any Decoder) throws {
    fields = try [String: Field](from: decoder)
  }

  init(_ fields: [String: Field]) {
    self.fields = fields
  }

  var testDescription: String { (try? text("name")) ?? "?" }

  /// A JSON value. Numbers of these files are integers.
  enum Field: Codable, Sendable {
    case null
    case bool(Bool)
    case number(UInt64)
    case text(String)
    case array([Field])
    case object([String: Field])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let bool = try? container.decode(Bool.self) {
        self = .bool(bool)
      } else if let number = try? container.decode(UInt64.self) {
        self = .number(number)
      } else if let array = try? container.decode([Field].self) {
        self = .array(array)
      } else {
        self = .object(try container.decode([String: Field].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .bool(let bool): try container.encode(bool)
      case .number(let number): try container.encode(number)
      case .text(let text): try container.encode(text)
      case .array(let array): try container.encode(array)
      case .object(let object): try container.encode(object)
      }
    }
  }

  func field(_ name: String) throws -> Field { try #require(fields[name], "no \(name)") }

  func text(_ name: String) throws -> String { try field(name).text }
  func bytes(_ name: String) throws -> [UInt8] { try field(name).bytes }
  func number(_ name: String) throws -> UInt64 { try field(name).number }
  func bool(_ name: String) throws -> Bool {
    if case .bool(let bool) = try field(name) { return bool }
    throw WrongField()
  }
  func array(_ name: String) throws -> [Field] { try field(name).array }
  func object(_ name: String) throws -> Vector { try field(name).object }

  func vault(_ name: String = "vault") throws -> VaultID { try #require(VaultID(bytes(name))) }
  func slot(_ name: String = "slot") throws -> SlotID { try #require(SlotID(bytes(name))) }

  func key<Role: KeyRole>(_ name: String, _ role: Role.Type = Role.self) throws -> SharedKey<Role> {
    var contents = try bytes(name)
    return SharedKey(try SymmetricKey<Role>(consuming: &contents))
  }
}

/// A vector does not have the shape that the README gives it.
struct WrongField: Error {}

extension Vector.Field {
  var text: String {
    get throws {
      if case .text(let text) = self { return text }
      throw WrongField()
    }
  }
  var bytes: [UInt8] {
    get throws {
      guard let bytes = Hex.decode(try text) else { throw WrongField() }
      return bytes
    }
  }
  var number: UInt64 {
    get throws {
      if case .number(let number) = self { return number }
      throw WrongField()
    }
  }
  var array: [Vector.Field] {
    get throws {
      if case .array(let array) = self { return array }
      throw WrongField()
    }
  }
  var object: Vector {
    get throws {
      if case .object(let object) = self { return Vector(object) }
      throw WrongField()
    }
  }
}
