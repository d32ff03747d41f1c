import AgentWire
import TextCoding
import VaultModel

/// `device list` and `device invite`.
enum DeviceCommands {
  static let list = Command(
    name: "device list", flags: [.json, .vault], summary: "list the devices of a vault"
  ) { invocation throws(CommandFailure) in
    let session = Session(invocation)
    let result = try session.callOnce(.deviceList(VaultArguments(vault: session.vault)))
    guard case .devices(let list) = result else { throw session.unexpected }
    if invocation.has("json") {
      try Output.writeLine(JSONValue.array(list.devices.map(json)).text(pretty: true))
      return
    }
    var table = Table("DEVICE", "ROLE", "FINGERPRINT", "ADDED", "")
    for device in list.devices {
      let remarks = [
        device.isThisDevice ? "this device" : nil, device.standing == .active ? nil : device.standing.rawValue,
      ]
      table.add([
        device.name.isEmpty ? "(locked)" : device.name, device.role.rawValue, device.fingerprint,
        TimeText.local(device.added), remarks.compactMap { $0 }.joined(separator: ", "),
      ])
    }
    try Output.writeLine(table.text)
  }

  private static func json(_ device: AgentDevice) -> JSONValue {
    .object([
      ("id", .string(Hex.encode(device.deviceID.bytes))), ("name", .string(device.name)),
      ("role", .string(device.role.rawValue)), ("fingerprint", .string(device.fingerprint)),
      ("added", ItemText.json(time: device.added)), ("thisDevice", .bool(device.isThisDevice)),
      ("standing", .string(device.standing.rawValue)),
    ])
  }

  static let invite = Command(
    name: "device invite",
    flags: [
      Flag(name: "role", placeholder: "ROLE", help: "admin (default), writer or reader"),
      Flag(name: "yes", help: "approve the first device that asks"), .vault,
    ],
    summary: "invite another device into a vault",
    details: [
      "Prints a one-time code for \"lockstep join\" and waits. Compare the fingerprint that is shown with the one on",
      "the other device before you approve.",
    ]
  ) { invocation throws(CommandFailure) in
    let role = try role(invocation)
    let terminal = invocation.has("yes") ? nil : Terminal()
    let session = Session(invocation)
    let begin = AgentRequest.inviteBegin(InviteArguments(vault: session.vault, role: role))
    guard case .invitation(let invitation) = try session.call(begin) else { throw session.unexpected }
    // After the relay was asked: that it is away is heard first. The invitation ends with this connection.
    guard invocation.has("yes") || terminal != nil else {
      throw .usage("there is no terminal to approve at: say --yes to approve the first device that asks")
    }
    try Output.writeLine(invitation.code)
    Output.say("On the other device: lockstep join CODE. The code ends at \(TimeText.local(invitation.expires)).")
    guard case .candidate(let candidate) = try session.callOnce(.inviteWait) else { throw session.unexpected }
    let name = TerminalText.escape(candidate.deviceName)
    Output.say("\"\(name)\" asks to join as \(role.rawValue). Its fingerprint is \(candidate.fingerprint).")
    let approve = try terminal?.confirm("Is that the fingerprint it shows, and may it join?") ?? true
    _ = try session.callOnce(.inviteDecide(DecideArguments(approve: approve)))
    guard approve else { throw CommandFailure("\"\(candidate.deviceName)\" was refused") }
    Output.say("\"\(name)\" is in the vault.")
  }

  private static func role(_ invocation: Invocation) throws(CommandFailure) -> AgentRole {
    guard let text = invocation.value("role") else { return .admin }
    guard let role = AgentRole(rawValue: text) else { throw .usage("--role is admin, writer or reader") }
    return role
  }
}
