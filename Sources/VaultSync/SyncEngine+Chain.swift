internal import DeviceChain
internal import RelayWire
internal import VaultModel
internal import VaultStore

/// The device chain and the keyrings that belong to it, as the relay serves them.
extension SyncEngine {
  /// All keyrings of a vault together: more than this is no honest relay's.
  public static let mostKeyringBytes = 256 << 20
  /// The largest keyrings that there can be fit into one body this many at a time.
  private static let keyringsPerRequest = 64

  /// Brings chain and keys to where a page says that the relay is, before any of its records is looked at: a record names the
  /// chain entry that its author knew, and its epoch.
  func follow(_ page: ChangesPage, from point: SyncPoint) throws {
    if page.chainLength < point.chainLength { try giveBack(from: page.chainLength) }
    let isLonger = page.chainLength > point.chainLength
    if isLonger { try followChain(to: page.chainLength) }
    // Not for each page: while keyrings are missing, records wait.
    if isLonger || !page.more { try fetchKeyrings() }
  }

  /// Fetches and verifies the chain up to at least `length` entries.
  public func followChain(to length: UInt64) throws {
    while true {
      let held = try access.withVault { $0.chain.length }
      guard held < length else { return }
      let page = try asking { () throws(RelayError) in try api.chain(from: held) }
      guard !page.entries.isEmpty else {
        throw SyncError.misbehaved("it says that the device chain has \(length) entries and serves \(page.chainLength)")
      }
      try extend(page.entries, from: held)
    }
  }

  private func extend(_ entries: [[UInt8]], from held: UInt64) throws {
    let clock = access.clock
    let isContinued = try access.withVault { vault in
      // Another thread may have been faster.
      guard vault.chain.length == held else { return true }
      do {
        try vault.extendChain(entries)
      } catch is ChainError {
        return false
      }
      // A record may have waited for the entry that names its author.
      try vault.mergeInbox(.everything, clock: clock)
      return true
    }
    if !isContinued {
      let served = try wholeChain()
      try access.withVault { try $0.judgeChain(served) }
    }
    try access.withVault { try $0.checkSyncable() }
  }

  private func wholeChain() throws -> [[UInt8]] {
    var entries: [[UInt8]] = []
    while true {
      let page = try asking { () throws(RelayError) in try api.chain(from: UInt64(entries.count)) }
      entries += page.entries
      guard !page.entries.isEmpty, UInt64(entries.count) < min(page.chainLength, RelayLimits.chainLength) else {
        return entries
      }
    }
  }

  /// Gives the relay what it lost of the chain, and all keyrings.
  private func giveBack(from length: UInt64) throws {
    let (entries, keyrings) = try access.withVault { vault in
      vault.reportLostEntries(length)
      return (try vault.lostEntries(from: length), try vault.currentKeyrings())
    }
    try asking { () throws(RelayError) in
      for lost in entries {
        do throws(RelayError) {
          _ = try api.append(expectedHead: lost.head, entry: lost.entry, keyrings: lost.keyrings, isRepair: true)
        } catch {
          // Somebody else was faster; or the chain goes on differently there, which the next page shows.
          guard error.problemCode == .chainMoved else { throw error }
          return
        }
      }
      for start in stride(from: 0, to: keyrings.count, by: Self.keyringsPerRequest) {
        try api.putKeyrings(Array(keyrings[start...].prefix(Self.keyringsPerRequest)))
      }
    }
  }

  /// Fetches the keyrings of a new epoch.
  func fetchKeyrings() throws {
    guard try access.withVault({ $0.needsKeyrings }) else { return }
    var keyrings: [[UInt8]] = []
    var bytes = 0
    var from: UInt64? = 0
    while let number = from {
      let page = try asking { () throws(RelayError) in try api.keyrings(from: number) }
      keyrings += page.keyrings
      bytes += page.keyrings.reduce(0) { $0 + $1.count }
      guard bytes <= Self.mostKeyringBytes else { throw SyncError.misbehaved("its keyrings do not end") }
      from = page.next
    }
    let clock = access.clock
    try access.withVault { [keyrings] in try $0.takeKeyrings(keyrings, clock: clock) }
  }

  /// Runs a request. 403 is only a claim: the chain, which stays open to a revoked device, must say it too.
  func asking<Answer>(_ body: () throws(RelayError) -> Answer) throws -> Answer {
    do {
      return try body()
    } catch RelayError.cancelled {
      throw SyncError.cancelled
    } catch let error where error.problemCode == .revoked {
      try readChain()
      throw SyncError.relay(error)
    } catch let error where error.problemCode == .notADevice {
      try introduceItself()
      throw SyncError.relay(error)
    } catch {
      throw SyncError.relay(error)
    }
  }

  /// Follows the chain as far as it is served; throws `revoked` if it says so. Asks plainly: its own failure explains nothing.
  private func readChain() throws {
    while true {
      let held = try access.withVault { $0.chain.length }
      guard let page = try? api.chain(from: held), !page.entries.isEmpty else { break }
      try access.withVault { vault in
        guard vault.chain.length == held else { return }
        do { try vault.extendChain(page.entries) } catch is ChainError {
          throw SyncError.misbehaved("it serves a device chain that does not verify")
        }
      }
    }
    try access.withVault { try $0.checkSyncable() }
  }

  /// The relay does not know this device. If it lost the entry that added it, and nothing before, this device can give it back.
  private func introduceItself() throws {
    let entries = try access.withVault { vault -> [LostEntry] in
      try vault.checkSyncable()
      guard let number = vault.chain.device(vault.row.deviceID.bytes)?.entryNumber, number > 0 else { return [] }
      return try vault.lostEntries(from: number)
    }
    for lost in entries {
      do throws(RelayError) {
        _ = try api.append(expectedHead: lost.head, entry: lost.entry, keyrings: lost.keyrings, isRepair: true)
      } catch { return }
      try access.withVault { $0.report("the relay had forgotten this device") }
    }
  }
}
