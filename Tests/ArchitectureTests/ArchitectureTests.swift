import Foundation
import Testing

/// Docs/Architecture.md's table of targets, held against Package.swift and every source file.
@Suite struct ArchitectureTests {
  /// Of the system, beside the C libraries that have targets of their own.
  static let systemModules: Set<String> = ["Glibc", "Synchronization"]

  let table: [String: Set<String>]
  let files: [String]

  init() throws {
    table = try TargetTable.parse(Repository.text(of: "Docs/Architecture.md"))
    files = Repository.swiftFiles(below: Repository.sourceFolders)
  }

  @Test("There is a table and there are sources to compare with it")
  func corporaAreNotEmpty() throws {
    #expect(table.count >= 20)
    #expect(files.count >= 20)
    let withFiles = Set(try files.map(Repository.target(of:)))
    #expect(withFiles.isSubset(of: Set(table.keys)), "folders without a row: \(withFiles.subtracting(table.keys))")
  }

  @Test("The table and Package.swift name the same targets with the same imports")
  func tableMatchesManifest() throws {
    let manifest = try Manifest.load().dependencies
    #expect(Set(manifest.keys) == Set(table.keys))
    for (target, imports) in manifest.sorted(by: { $0.key < $1.key }) {
      #expect(table[target] == imports, "\(target)")
    }
  }

  @Test("No file imports what its target's row does not list")
  func filesImportOnlyWhatTheTableAllows() throws {
    for file in files {
      let target = try Repository.target(of: file)
      let allowed = try #require(table[target], "\(target) has no row").union(Self.systemModules)
      let imported = ImportStatements.modules(in: try Repository.text(of: file))
      #expect(imported.isSubset(of: allowed), "\(file) imports \(imported.subtracting(allowed).sorted())")
    }
  }

  @Test("No row allows an import that no file of its target uses")
  func tableAllowsNothingUnused() throws {
    var used: [String: Set<String>] = [:]
    for file in files {
      used[try Repository.target(of: file), default: []].formUnion(
        ImportStatements.modules(in: try Repository.text(of: file)))
    }
    for (target, imports) in used.sorted(by: { $0.key < $1.key }) {
      let unused = try #require(table[target]).subtracting(imports)
      #expect(unused.isEmpty, "\(target) may import \(unused.sorted()) and never does")
    }
  }

  @Test("No program's source imports Foundation in any form")
  func noFoundation() throws {
    for file in files {
      let imported = ImportStatements.modules(in: try Repository.text(of: file))
      #expect(!imported.contains { $0.hasPrefix("Foundation") }, "\(file)")
    }
  }

  @Test("No Swift file has more than 800 lines")
  func filesAreShort() throws {
    let all = Repository.swiftFiles(below: Repository.sourceFolders + ["Tests", "SyncServer/Tests"])
    #expect(all.count > files.count)
    for file in all {
      let lines = try Repository.text(of: file).split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 801, "\(file) has \(lines) lines")
    }
  }

  @Test(
    "Imports are recognised behind every modifier, and nothing else is",
    arguments: [
      ("import Glibc", ["Glibc"]), ("public import CBOR", ["CBOR"]),
      ("@preconcurrency import Glibc", ["Glibc"]), ("@testable internal import VaultModel", ["VaultModel"]),
      ("import struct Foundation.URL", ["Foundation"]), ("  import CSQLite; import CCurl", ["CSQLite", "CCurl"]),
      ("// import Foundation", []), ("let important = 1", []), ("importer()", []),
    ])
  func importsAreRecognised(source: String, modules: [String]) {
    #expect(ImportStatements.modules(in: source) == Set(modules))
  }

  @Test("A row that does not have the table's form is refused")
  func badRowsAreRefused() {
    for row in [
      "| `A` | B | text |", "| `A` | `B` |", "| `A` `C` | none | text |", "| `A` | none | x |\n| `A` | none | y |",
    ] {
      #expect(throws: ArchitectureProblem.self) { try TargetTable.parse("## Targets\n\(row)\n") }
    }
    #expect(throws: ArchitectureProblem.self) { try TargetTable.parse("# No targets\n") }
  }
}
