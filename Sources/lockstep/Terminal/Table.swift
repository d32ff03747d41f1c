import TextCoding

/// Columns for a person. What a cell holds is made harmless for the terminal.
struct Table {
  let header: [String]
  private var rows: [[String]] = []

  init(_ header: String...) {
    self.header = header
  }

  mutating func add(_ cells: [String]) {
    rows.append(cells.map(TerminalText.escape))
  }

  var text: String {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
