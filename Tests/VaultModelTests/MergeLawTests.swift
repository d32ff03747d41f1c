import Foundation
import Testing
import VaultModel

/// The laws of merging over generated histories: 104,000 triples of states, and every state against its second
/// definition. `LOCKSTEP_SEED` repeats one shard.
@Suite struct MergeLawTests {
  static let seeds: [UInt64] = {
    if let text = ProcessInfo.processInfo.environment["LOCKSTEP_SEED"], let seed = UInt64(text) { return [seed] }
    return [1, 2, 3, 4, 5, 6, 7, UInt64.random(in: .min ... .max)]
  }()
  static let triplesPerSeed = 13_000

  @Test(arguments: seeds) func `Merging obeys its laws and loses no write`(_ seed: UInt64) throws {
    print("MergeLawTests: seed \(seed)")
    var random = SplitMix64(seed: seed)
    var triples = 0
    while triples < Self.triplesPerSeed {
      let history = try GossipHistory(
        steps: 3 + random.below(28), devices: 2 + random.below(3), fewValues: random.oneIn(2), random: &random)
      var byVector: [VersionVector: ItemState] = [:]
      for state in history.states {
        if let broken = Self.brokenRule(state, in: history, &byVector) {
          Issue.record("seed \(seed), triple \(triples): \(broken)")
          return
        }
      }
      for _ in 0..<12 {
        triples += 1
        let (a, b, c) = (history.pick(&random), history.pick(&random), history.pick(&random))
        if let broken = Self.brokenLaw(a, b, c, in: history, &byVector) {
          Issue.record("seed \(seed), triple \(triples): \(broken)")
          return
        }
      }
    }
  }

  private static func brokenLaw(
    _ a: GossipHistory.State, _ b: GossipHistory.State, _ c: GossipHistory.State, in history: GossipHistory,
    _ byVector: inout [VersionVector: ItemState]
  ) -> String? {
    let ab = a.item.merging(b.item)
    let abc = ab.merging(c.item)
    if b.item.merging(a.item) != ab { return "not commutative" }
    if a.item.merging(b.item.merging(c.item)) != abc { return "not associative" }
    if a.item.merging(a.item) != a.item { return "not idempotent" }
    if ab.merging(a.item) != ab || a.item.merging(ab) != ab { return "what was merged is not absorbed" }
    return brokenRule(.init(item: ab, seen: a.seen | b.seen), in: history, &byVector)
      ?? brokenRule(.init(item: abc, seen: a.seen | b.seen | c.seen), in: history, &byVector)
  }

  /// Equal vectors mean equal items, and each is what its writes say; that is computed once for each vector.
  private static func brokenRule(
    _ state: GossipHistory.State, in history: GossipHistory, _ byVector: inout [VersionVector: ItemState]
  ) -> String? {
    if let known = byVector[state.item.vector] {
      return known == state.item ? nil : "equal vectors, unequal items:\n\(known)\n\(state.item)"
    }
    byVector[state.item.vector] = state.item
    let expected = history.expectedItem(state.seen)
    if expected != state.item { return "a write was lost or kept wrongly:\n\(expected)\n\(state.item)" }
    do { try state.item.check() } catch { return "an honest item is refused: \(error)" }
    return nil
  }
}

extension GossipHistory {
  func pick(_ random: inout SplitMix64) -> State { states[random.below(states.count)] }
}
