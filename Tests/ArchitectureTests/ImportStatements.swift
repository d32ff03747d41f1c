/// The modules that a Swift source imports, whatever stands before the word `import`.
enum ImportStatements {
  private static let modifiers: Set<String> = [
    "public", "package", "internal", "fileprivate", "private", "@preconcurrency", "@testable", "@_exported",
    "@_implementationOnly",
  ]
  private static let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]

  static func modules(in source: String) -> Set<String> {
    var modules: Set<String> = []
    for line in source.split(whereSeparator: { $0.isNewline || $0 == ";" }) {
      var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })[...]
      while let word = words.first, modifiers.contains(String(word)) || word.hasPrefix("@_spi(") { words.removeFirst() }
      guard words.first == "import" else { continue }
      words.removeFirst()
      if let word = words.first, kinds.contains(String(word)) { words.removeFirst() }
      if let module = words.first?.split(separator: ".").first { modules.insert(String(module)) }
    }
    return modules
  }
}
