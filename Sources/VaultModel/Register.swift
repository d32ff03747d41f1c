/// The open writes of one attribute: those that no later write of the attribute had seen. More than one means that
/// devices wrote while apart.
public struct Register: Hashable, Sendable {
  /// The open writes in ascending order. Invariant: at least one, none twice.
  public let writes: [Write]

  /// The register of these writes in any order; nil if there are none.
  public init?(_ writes: [Write]) {
    guard !writes.isEmpty else { return nil }
    self.writes = Write.canonical(writes)
  }

  /// The register after a write that had seen everything in it.
  init(_ write: Write) {
    writes = [write]
  }

  /// The write whose value is shown: the greatest.
  public var shown: Write { writes[writes.count - 1] }

  /// One write for each distinct value, the greatest of those that wrote it; the shown one first. Equal values are no
  /// conflict for a person, although every dot is kept.
  public var distinct: [Write] {
    var distinct: [Write] = []
    for write in writes.reversed() where !distinct.contains(where: { $0.value == write.value }) {
      distinct.append(write)
    }
    return distinct
  }
}

extension Write {
  /// `writes` in ascending order without repetitions.
  static func canonical(_ writes: [Write]) -> [Write] {
    guard writes.count > 1 else { return writes }
    var canonical: [Write] = []
    canonical.reserveCapacity(writes.count)
    for write in writes.sorted(by: { $0.precedes($1) }) where canonical.last != write { canonical.append(write) }
    return canonical
  }
}

extension [Write] {
  /// Whether one of the writes has this dot.
  func holds(_ dot: Dot) -> Bool { contains { $0.dot == dot } }

  /// The writes without those that share their dot with a greater one. Honest devices never share dots.
  var greatestOfEachDot: [Write] {
    guard count > 1, Set(lazy.map(\.dot)).count < count else { return self }
    return filter { write in !contains { $0.dot == write.dot && write.precedes($0) } }
  }
}
