import CBOR

/// Why a request failed.
public struct AgentFailure: Error, Equatable, Sendable {
  /// The status.
  public let status: AgentStatus
  /// One sentence: what, why, and what to do. It never holds a secret.
  public let message: String

  /// A failure.
  public init(_ status: AgentStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The failure that a message which is no request is answered with.
  public init(_ error: AgentWireError) {
    self.init(error.status, error.message)
  }
}

/// What a request brought, by its operation.
public enum AgentResult: Equatable, Sendable {
  /// Nothing but success: unlock, lock, change-passphrase, invite-cancel.
  case done
  /// status.
  case status(StatusResult)
  /// initialize.
  case initialized(InitializeResult)
  /// add.
  case added(AddResult)
  /// find.
  case found(FindResult)
  /// update and remove.
  case count(CountResult)
  /// sync and vault-list.
  case vaults(VaultsResult)
  /// device-list.
  case devices(DeviceListResult)
  /// invite-begin.
  case invitation(InviteResult)
  /// invite-wait and invite-decide.
  case candidate(CandidateResult)
  /// join and recover.
  case joined(JoinResult)
  /// conflicts.
  case conflicts(ConflictsResult)
}

/// The last message that answers a request: `[version, status, result]`.
public enum AgentReply: Equatable, Sendable {
  /// What the request brought.
  case success(AgentResult)
  /// Why it failed.
  case failure(AgentFailure)

  /// The messages to send in this order: one, or several if the items found are too many for one.
  public var encodedMessages: [[UInt8]] {
    guard case .success(.found(let found)) = self else { return [encoded()] }
    var messages: [[UInt8]] = []
    var items = CBORWriter(capacity: 4_096)
    var count = 0
    for item in found.items {
      if items.bytes.count >= AgentProtocol.chunkBytes {
        messages.append(AgentMessage.itemsMessage(count, items.bytes))
        items = CBORWriter(capacity: AgentProtocol.chunkBytes)
        count = 0
      }
      item.write(to: &items)
      count += 1
    }
    var writer = Self.head(.success, capacity: items.bytes.count + 64)
    writer.map(found.lockedCount > 0 ? 2 : 1)
    writer.text("items")
    writer.array(count)
    writer.encoded(items.bytes)
    if found.lockedCount > 0 {
      writer.text("locked")
      writer.unsigned(UInt64(found.lockedCount))
    }
    messages.append(writer.bytes)
    return messages
  }

  private static func head(_ status: AgentStatus, capacity: Int) -> CBORWriter {
    var writer = CBORWriter(capacity: capacity)
    writer.array(3)
    writer.unsigned(AgentProtocol.version)
    writer.integer(Int64(status.rawValue))
    return writer
  }

  private func encoded() -> [UInt8] {
    switch self {
    case .failure(let failure):
      // A failure never looks like a success, whatever the caller put in.
      let status = failure.status == .success ? AgentStatus.internalError : failure.status
      var writer = Self.head(status, capacity: 256)
      writer.map(1)
      writer.text("message")
      writer.text(failure.message)
      return writer.bytes
    case .success(let result):
      var writer = Self.head(.success, capacity: 256)
      result.map.write(to: &writer)
      return writer.bytes
    }
  }

  init(
    status: AgentStatus, to operation: AgentOperation, reading reader: inout WireReader
  ) throws(AgentWireError) {
    if status == .success {
      self = .success(try AgentResult(of: operation, reading: &reader))
      return
    }
    var message: String?
    try reader.map { name, reader throws(AgentWireError) in
      guard name == "message" else { throw .unknownField(name) }
      message = try reader.text(limit: 64 << 10)
    }
    self = .failure(AgentFailure(status, try message.required("message")))
  }
}

extension AgentResult {
  /// Of everything but `found`, which is written by itself.
  fileprivate var map: any WireMap {
    switch self {
    case .done, .found: NoFields()
    case .status(let result): result
    case .initialized(let result): result
    case .added(let result): result
    case .count(let result): result
    case .vaults(let result): result
    case .devices(let result): result
    case .invitation(let result): result
    case .candidate(let result): result
    case .joined(let result): result
    case .conflicts(let result): result
    }
  }

  fileprivate init(of operation: AgentOperation, reading reader: inout WireReader) throws(AgentWireError) {
    switch operation {
    case .unlock, .lock, .changePassphrase, .inviteCancel:
      _ = try NoFields(reading: &reader)
      self = .done
    case .status: self = .status(try StatusResult(reading: &reader))
    case .initialize: self = .initialized(try InitializeResult(reading: &reader))
    case .add: self = .added(try AddResult(reading: &reader))
    case .find: self = .found(try FindResult(reading: &reader))
    case .update, .remove: self = .count(try CountResult(reading: &reader))
    case .sync, .vaultList: self = .vaults(try VaultsResult(reading: &reader))
    case .deviceList: self = .devices(try DeviceListResult(reading: &reader))
    case .inviteBegin: self = .invitation(try InviteResult(reading: &reader))
    case .inviteWait, .inviteDecide: self = .candidate(try CandidateResult(reading: &reader))
    case .join, .recover: self = .joined(try JoinResult(reading: &reader))
    case .conflicts: self = .conflicts(try ConflictsResult(reading: &reader))
    }
  }
}

extension FindResult {
  fileprivate init(reading reader: inout WireReader) throws(AgentWireError) {
    var items: [FoundItem]?
    var lockedCount = 0
    try reader.map { name, reader throws(AgentWireError) in
      switch name {
      case "items": items = try reader.array { reader throws(AgentWireError) in try FoundItem(reading: &reader) }
      case "locked": lockedCount = try reader.count()
      default: throw .unknownField(name)
      }
    }
    self.init(items: try items.required("items"), lockedCount: lockedCount)
  }
}
