import Foundation
import TextCoding
import VaultCrypto

/// A file of Tests/Vectors, as its README describes them.
struct VectorFile {
  let content: [String: Any]
  var positive: [Vector] { list("positive") }
  var negative: [Vector] { list("negative") }

  static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Vectors")

  init(_ name: String) throws {
    let data = try Data(contentsOf: Self.directory.appending(path: "\(name).json"))
    guard let content = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw VectorError.missing(name)
    }
    self.content = content
    guard !positive.isEmpty else { throw VectorError.missing("positive vectors of \(name)") }
  }

  /// A chain that several vectors share.
  func chain(_ name: String) throws -> [[UInt8]] {
    guard let chains = content["chains"] as? [String: [String]], let entries = chains[name] else {
      throw VectorError.missing(name)
    }
    return try entries.map(bytes)
  }

  private func list(_ key: String) -> [Vector] {
    (content[key] as? [[String: Any]] ?? []).map { Vector(fields: $0) }
  }
}

enum VectorError: Error {
  case missing(String)
}

func bytes(_ hex: String) throws -> [UInt8] {
  guard let bytes = Hex.decode(hex) else { throw VectorError.missing("hex") }
  return bytes
}

struct Vector {
  let fields: [String: Any]

  var name: String { fields["name"] as? String ?? "?" }
  var expected: Vector { Vector(fields: fields["expected"] as? [String: Any] ?? [:]) }

  func get<Value>(_ key: String, _ type: Value.Type = Value.self) throws -> Value {
    guard let value = fields[key] as? Value else { throw VectorError.missing("\(name): \(key)") }
    return value
  }
  func text(_ key: String) throws -> String { try get(key) }
  func number(_ key: String) throws -> UInt64 { try get(key, NSNumber.self).uint64Value }
  func bytes(_ key: String) throws -> [UInt8] {
    guard let bytes = Hex.decode(try text(key)) else { throw VectorError.missing("\(name): \(key)") }
    return bytes
  }
  func vectors(_ key: String) throws -> [Vector] { try get(key, [[String: Any]].self).map { Vector(fields: $0) } }
  func vector(_ key: String) throws -> Vector { Vector(fields: try get(key)) }
  func key<Role: KeyRole>(_ key: String, _ role: Role.Type = Role.self) throws -> SharedKey<Role> {
    var bytes = try bytes(key)
    return SharedKey(try SymmetricKey<Role>(consuming: &bytes))
  }
}
