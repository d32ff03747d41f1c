import Foundation
import Testing

@Suite("Random runs of devices and relay")
struct SimulationTests {
  /// `LOCKSTEP_SIMULATION_SEED=17` runs that seed alone and prints what happens in it; `LOCKSTEP_SIMULATION_RUNS=5000` runs more.
  private static let environment = ProcessInfo.processInfo.environment
  private static let only = environment["LOCKSTEP_SIMULATION_SEED"].flatMap { UInt64($0) }
  private static let runs = environment["LOCKSTEP_SIMULATION_RUNS"].flatMap { Int($0) } ?? 240
  private static let lanes = 2

  @Test("After any run that heals, all devices hold the same, and every acknowledged write", arguments: 0..<lanes)
  func converges(lane: Int) throws {
    let seeds =
      Self.only.map { lane == 0 ? [$0] : [] } ?? stride(from: lane, to: Self.runs, by: Self.lanes).map(UInt64.init)
    for seed in seeds {
      let simulation = try Simulation(seed: seed)
      let faults: [String]
      do { faults = try simulation.run() } catch { faults = ["it threw \(error)"] }
      if Self.only != nil { print(simulation.trace.joined(separator: "\n")) }
      #expect(faults.isEmpty, "LOCKSTEP_SIMULATION_SEED=\(seed): \(faults.joined(separator: "; "))")
    }
  }
}
