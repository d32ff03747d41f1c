/// The table under "Targets" in Docs/Architecture.md: target → the modules it may import.
enum TargetTable {
  static func parse(_ document: String) throws -> [String: Set<String>] {
    let lines = document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let heading = lines.firstIndex(of: "## Targets") else {
      throw ArchitectureProblem("Docs/Architecture.md has no heading \"## Targets\"")
    }
    var table: [String: Set<String>] = [:]
    for line in lines[(heading + 1)...] {
      if line.hasPrefix("## ") { break }
      guard line.hasPrefix("| `") else { continue }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map(String.init)
      guard cells.count == 3, let target = names(in: cells[0]).first, names(in: cells[0]).count == 1 else {
        throw ArchitectureProblem("this row does not have the form `target` | imports | what it is: \(line)")
      }
      let imports = names(in: cells[1])
      guard !imports.isEmpty || cells[1] == " none " else {
        throw ArchitectureProblem("the second cell lists neither targets nor \"none\": \(line)")
      }
      guard table.updateValue(Set(imports), forKey: target) == nil else {
        throw ArchitectureProblem("\(target) stands in the table twice")
      }
    }
    return table
  }

  /// What stands between backticks in a cell.
  private static func names(in cell: String) -> [String] {
    let pieces = cell.split(separator: "`", omittingEmptySubsequences: false)
    return pieces.indices.filter { $0 % 2 == 1 }.map { String(pieces[$0]) }
  }
}
