import DeviceChain
import RelayWire
import Testing
import VaultCrypto

/// Forks, and histories in general.
@Suite struct ChainForkTests {
  @Test func `Two valid successors of one head are evidence; the same content signed twice, or an invalid one, is not`()
    throws
  {
    let world = try TestWorld()
    let one = entry(world.state, .leave, [.device(world.reader)])
    let other = entry(world.state, world.revocation([world.reader.id]), [.device(world.second)])
    let fork = try #require(ChainFork(after: world.state, one, other))
    #expect(fork.number == 4 && fork.previous == world.state.head)
    #expect(fork.first == one.encoded && fork.second == other.encoded)
    #expect(ChainFork(after: world.state, one, one) == nil)
    let invalid = entry(world.state, world.revocation(), [.device(world.reader)])
    #expect(ChainFork(after: world.state, one, invalid) == nil)
  }

  @Test func `A served chain is the same, behind, ahead, a fork or invalid`() throws {
    var world = try TestWorld()
    let vaultID = world.state.vaultID
    let held = world.entries.map(\.encoded)
    #expect(ChainFork.compare(held: held, served: held, vaultID: vaultID) == .same)
    #expect(ChainFork.compare(held: held, served: Array(held.dropLast()), vaultID: vaultID) == .behind)
    let rival = entry(world.state, .leave, [.device(world.reader)])
    try world.append(entry(world.state, .leave, [.device(world.writer)]))
    let longer = world.entries.map(\.encoded)
    #expect(ChainFork.compare(held: held, served: longer, vaultID: vaultID) == .extends(world.state))
    guard case .fork(let fork) = ChainFork.compare(held: longer, served: held + [rival.encoded], vaultID: vaultID)
    else {
      Issue.record("two successors of one head are a fork")
      return
    }
    #expect(fork.number == 4 && fork.second == rival.encoded)
    #expect(
      ChainFork.compare(held: longer, served: Array(longer.dropFirst()), vaultID: vaultID)
        == .invalid(.misplacedGenesis))
    let other = try TestWorld()
    #expect(
      ChainFork.compare(held: longer, served: other.entries.map(\.encoded), vaultID: vaultID) == .invalid(.wrongVault))
    #expect(ChainFork.compare(held: longer, served: [], vaultID: vaultID) == .invalid(.misplacedGenesis))
  }

  @Test
  func `Random valid histories are accepted, agree with a plain list of members, and their heads depend on the order`()
    throws
  {
    for _ in 0..<30 {
      var world = try TestWorld()
      var members: [[UInt8]: (TestDevice, DeviceRole)] = [:]
      for (device, role) in [
        (world.first, DeviceRole.admin), (world.second, .admin), (world.writer, .writer), (world.reader, .reader),
      ] { members[device.id] = (device, role) }
      for _ in 0..<20 { try step(&world, &members) }
      #expect(world.state.activeDevices.map(\.id) == sorted(Array(members.keys)))
      #expect(world.state.activeDevices.allSatisfy { members[$0.id]?.1 == $0.role })
      let again = try ChainState(verifying: world.entries.map(\.encoded), vaultID: world.state.vaultID)
      #expect(again == world.state)
    }
  }

  /// One random act by a random admin.
  private func step(_ world: inout TestWorld, _ members: inout [[UInt8]: (TestDevice, DeviceRole)]) throws {
    let admins = members.values.filter { $0.1 == .admin }.map(\.0)
    let admin = try #require(admins.randomElement())
    let target = try #require(members.values.randomElement())
    let role = try #require(DeviceRole.allCases.randomElement())
    let spare = admins.count > 1 || target.1 != .admin
    switch Int.random(in: 0..<5) {
    case 0:
      let device = TestDevice()
      try world.append(world.addition(device, role, nameEpoch: world.state.epoch, by: .device(admin)))
      members[device.id] = (device, role)
    case 1 where spare:
      try world.append(entry(world.state, world.revocation([target.0.id]), [.device(admin)]))
      members[target.0.id] = nil
    case 2 where spare || role == .admin:
      let body = SetRoleBody(device: target.0.id, role: role, position: anyPosition)
      try world.append(entry(world.state, .setRole(body), [.device(admin)]))
      members[target.0.id] = (target.0, role)
    case 3:
      let device = TestDevice()
      try world.append(world.replacement(of: target.0, by: device))
      members[target.0.id] = nil
      members[device.id] = (device, target.1)
    default: try world.append(entry(world.state, world.revocation(), [.device(admin)]))
    }
  }

  @Test func `The same acts in another order end at another head`() throws {
    let world = try TestWorld()
    var one = world
    var other = world
    try one.append(entry(one.state, .leave, [.device(world.reader)]))
    try one.append(entry(one.state, .leave, [.device(world.writer)]))
    try other.append(entry(other.state, .leave, [.device(world.writer)]))
    try other.append(entry(other.state, .leave, [.device(world.reader)]))
    #expect(one.state.head != other.state.head)
    #expect(one.state.devices == other.state.devices)
  }
}
