import CBOR
import DeviceChain
import Foundation
import RelayWire
import TextCoding
import Testing
import VaultCrypto
import VaultModel

@testable import Membership

/// Writes Tests/Vectors/swift/{chain,keyring,recovery,pairing}.json, which the independent reader opens. Keys are fresh, so it runs
/// only where LOCKSTEP_WRITE_VECTORS is set, when a format changed.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["LOCKSTEP_WRITE_VECTORS"] != nil))
struct SwiftVectors {
  @Test func `Vectors of the membership are written`() throws {
    let key = RecoveryKey.random()
    var vault = try TestVault(recovery: key.identity())
    let birch = try vault.join(.admin, name: "birch \u{1F333}")
    let cedar = try vault.join(.writer, name: "")
    let before = (a: vault.a, c: vault.c)
    let keyrings = try vault.rotate(removing: [cedar.device])
    let life = try livedThrough(vault, birch)
    vault.append(try ChainAuthor.resealDone(vault.state, epoch: 2, by: birch.a, time: TestVault.now))
    let alder = DeviceKeys.random()
    vault.append(
      try ChainAuthor.replaceDevice(
        vault.state, vault.keys.a, by: alder, name: "alder again", vault.c, time: TestVault.now))
    vault.append(try ChainAuthor.leave(vault.state, birch.a, time: TestVault.now))
    let chains = ["main": vault.entries.map(Hex.encode)]
    try write(
      "chain", [chainVector("main", vault), chainVector("all types", life)],
      chains.merging(["all types": life.entries.map(Hex.encode)]) { $1 })
    let device = birch.device.bytes
    let seeds = (birch.a.exchange.exportSeed(), birch.c.exchange.exportSeed())
    let pairing = PairingSecret.random(vault: vault.state.vault)
    let joining = try Keyring.seal(vault.a, vault.c, to: vault.member(birch), joiningBy: pairing, vault.state)
    let (oldA, oldC) = try (#require(before.a.keys.key(epoch: 1)), #require(before.c.keys.key(epoch: 1)))
    var secretBytes = key.exportSecret()
    let recoverySeed = vault.recovery.sealing.exportSeed()
    let shared = vault.recovery.preSharedKey.bytes
    try write(
      "keyring",
      [
        keyringVector(try keyrings.first(.a, for: device), vault, seeds.0, oldA.bytes),
        keyringVector(try keyrings.first(.c, for: device), vault, seeds.1, oldC.bytes),
        keyringVector(joining.a, vault, seeds.0, pairing.exportSecret()),
        keyringVector(joining.c, vault, seeds.1, pairing.exportSecret()),
        keyringVector(try keyrings.first(.a, for: vault.recovery.id), vault, recoverySeed, shared, secretBytes),
        keyringVector(try keyrings.first(.c, for: vault.recovery.id), vault, recoverySeed, shared, secretBytes),
      ], chains)
    wipe(&secretBytes)
    try write("recovery", try (0..<4).map { try recoveryVector("key \($0)", RecoveryKey.random()) })
    try write("pairing", try pairingVectors(&vault, by: alder.a))
  }

  /// The rest of the eight types: a second recovery key installed, a device that it recovers, another role, a device under
  /// new keys, and a revocation, by the recovery key, that names the old id and the first recovery key.
  private func livedThrough(_ vault: TestVault, _ admin: DeviceKeys) throws -> TestVault {
    var vault = vault
    let now = TestVault.now
    let second = RecoveryKey.random().identity()
    vault.append(try ChainAuthor.setRecovery(vault.state, second, name: "drawer", vault.c, by: admin.a, time: now))
    vault.a = vault.a.adding(second)
    let recovered = DeviceKeys.random()
    vault.append(
      try ChainAuthor.recoverDevice(
        vault.state, recovered, name: "recovered", as: .writer, vault.c, by: second, time: now))
    vault.append(
      try ChainAuthor.setRole(
        vault.state, of: recovered.device, to: .reader, TestVault.position, by: admin.a, time: now))
    vault.append(
      try ChainAuthor.replaceDevice(
        vault.state, vault.keys.a, by: DeviceKeys.random(), name: "replaced", vault.c, time: now))
    let (nextA, nextC) = (vault.a.rotated(removing: [vault.recovery.id]), vault.c.rotated())
    vault.append(
      try ChainAuthor.revoke(
        vault.state, devices: [vault.keys.device], recoveryKeys: [vault.recovery.id], nextA, nextC,
        TestVault.position, by: .recoveryKey(second), time: now))
    (vault.a, vault.c) = (nextA, nextC)
    vault.append(try ChainAuthor.leave(vault.state, recovered.a, time: now))
    vault.append(try ChainAuthor.resealDone(vault.state, epoch: 3, by: admin.a, time: now))
    return vault
  }

  private func chainVector(_ name: String, _ vault: TestVault) throws -> [String: Any] {
    let state = vault.state
    var commitments: [String: [String]] = [:]
    for epoch in 1...state.epoch {
      let pair = try #require(state.commitments(epoch: epoch))
      commitments["\(epoch)"] = [Hex.encode(pair.a), Hex.encode(pair.c)]
    }
    let devices: [[String: Any]] = try state.activeDevices.map {
      [
        "id": Hex.encode($0.id), "name": try SealedName.open($0.name, for: $0.id, vault.c),
        "role": $0.role.rawValue, "left": $0.hasLeft, "chain_signing": Hex.encode($0.keys.chainSigning),
        "exchange_a": Hex.encode($0.keys.exchangeA), "push_signing": Hex.encode($0.keys.pushSigning),
        "exchange_c": Hex.encode($0.keys.exchangeC),
      ]
    }
    let recoveries = try state.activeRecoveryKeys.map {
      [
        "id": Hex.encode($0.id), "name": try SealedName.open($0.keys.name, for: $0.id, vault.c),
        "locator": Hex.encode($0.keys.locator),
      ]
    }
    return [
      "name": name, "kind": "chain", "chain": name,
      "c_keys": Dictionary(
        uniqueKeysWithValues: vault.c.keys.entries.map { ("\($0.epoch)", Hex.encode($0.key.bytes)) }),
      "expected": [
        "vault": Hex.encode(state.vaultID), "head": Hex.encode(state.head), "number": state.number,
        "epoch": state.epoch, "salt": Hex.encode(state.salt), "commitments": commitments, "devices": devices,
        "recoveries": recoveries, "resealed": state.resealedEpoch,
      ] as [String: Any],
    ]
  }

  private func keyringVector(
    _ sealed: SealedKeyring, _ vault: TestVault, _ seed: [UInt8], _ wrapSecret: [UInt8], _ recoverySecret: [UInt8] = []
  ) -> [String: Any] {
    let isA = sealed.kind == .a
    let entries = isA ? vault.a.keys.entries : vault.c.keys.entries
    var expected: [String: Any] = [
      "vault": Hex.encode(sealed.vaultID), "epoch": sealed.epoch,
      "keys": entries.map { [$0.epoch, Hex.encode($0.key.bytes)] as [Any] },
      "contents": Hex.encode(isA ? vault.a.exportContents() : vault.c.exportContents()),
    ]
    if isA {
      expected["recoveries"] = vault.a.recovery.map { [Hex.encode($0.id), Hex.encode($0.key.bytes)] }
    } else {
      expected["slot_key"] = Hex.encode(vault.c.slotKey.bytes)
      expected["set_hash_key"] = Hex.encode(vault.c.setHashKey.bytes)
    }
    return [
      "name": "kind \(sealed.kind.rawValue), wrap \(sealed.wrap.rawValue)", "chain": "main",
      "kind": sealed.kind.rawValue, "recipient": Hex.encode(sealed.recipient), "recipient_seed": Hex.encode(seed),
      "recovery_secret": Hex.encode(recoverySecret), "wrap": sealed.wrap.rawValue,
      "wrap_secret": Hex.encode(wrapSecret), "keyring": Hex.encode(sealed.encoded), "expected": expected,
    ]
  }

  private func recoveryVector(_ name: String, _ key: borrowing RecoveryKey) throws -> [String: Any] {
    let identity = key.identity()
    return [
      "name": name, "typed": key.text(),
      "expected": [
        "secret": Hex.encode(key.exportSecret()), "text": key.text(), "recovery_id": Hex.encode(identity.id),
        "signing_public": Hex.encode(identity.signing.publicKey),
        "signing_seed": Hex.encode(identity.signing.exportSeed()),
        "sealing_public": Hex.encode(identity.sealing.publicKey),
        "sealing_seed": Hex.encode(identity.sealing.exportSeed()),
        "pre_shared_key": Hex.encode(identity.preSharedKey.bytes), "locator": Hex.encode(identity.locator),
      ],
    ]
  }

  private func pairingVectors(_ vault: inout TestVault, by admin: DeviceKeysA) throws -> [[String: Any]] {
    let secret = PairingSecret.random(vault: vault.state.vault)
    let code = try #require(PairingCode(relay: "https://relay.example:8443", secret: secret))
    let joiner = DeviceKeys.random()
    let request = try PairingRequest(joiner, name: "dogwood", secret)
    let added = try ChainAuthor.addDevice(
      vault.state, request, .reader, secret, vault.c, by: admin, time: TestVault.now)
    vault.append(added)
    let sealed = try Keyring.seal(vault.a, vault.c, to: vault.member(joiner), joiningBy: secret, vault.state)
    let approval = PairingAnswer.Approval(
      role: .reader, head: added.state.head, number: added.state.number, keyringA: sealed.a, keyringC: sealed.c,
      checkpoint: [1, 2, 3])
    let contents: CBORValue = [
      1, request.device.value, .text(request.name), .bytes(request.nameSalt), .bytes(request.joinSignature),
    ]
    let known = [
      "vault": Hex.encode(secret.vault.bytes), "secret": Hex.encode(secret.exportSecret()),
      "request": Hex.encode(request.encoded),
    ]
    let codeExpected = known.filter { $0.key != "request" }.merging([
      "relay": code.relay, "text": code.text(), "mailbox_key": Hex.encode(secret.mailbox),
      "request_key": Hex.encode(secret.key("request").exportBytes()),
      "answer_key": Hex.encode(secret.key("answer").exportBytes()),
      "keyring_key": Hex.encode(secret.key("keyring").exportBytes()),
    ]) { $1 }
    let keys = request.device
    let requestExpected: [String: Any] = [
      "device": [keys.chainSigning, keys.exchangeA, keys.pushSigning, keys.exchangeC].map(Hex.encode),
      "id": Hex.encode(request.deviceID.bytes), "fingerprint": Fingerprint.text(request.deviceID),
      "name": request.name, "name_salt": Hex.encode(request.nameSalt),
      "name_commitment": Hex.encode(try SealedName.commitment(request.name, salt: request.nameSalt)),
      "join_signature": Hex.encode(request.joinSignature), "contents": Hex.encode(contents.encoded),
    ]
    func answer(_ name: String, _ answer: PairingAnswer, _ expected: [String: Any]) throws -> [String: Any] {
      var vector: [String: Any] = known
      vector["name"] = name
      vector["kind"] = "answer"
      vector["answer"] = Hex.encode(try answer.sealed(to: request, secret))
      vector["expected"] = expected
      return vector
    }
    return [
      ["name": "code", "kind": "code", "code": code.text(), "expected": codeExpected],
      (known as [String: Any]).merging(["name": "request", "kind": "request", "expected": requestExpected]) { $1 },
      try answer(
        "approved", .approved(approval),
        [
          "outcome": 1, "role": 3, "head": Hex.encode(approval.head), "number": approval.number,
          "keyring_a": Hex.encode(sealed.a.encoded), "keyring_c": Hex.encode(sealed.c.encoded), "checkpoint": "010203",
        ]),
      try answer(
        "refused", .refused,
        ["outcome": 0, "role": 0, "head": "", "number": 0, "keyring_a": "", "keyring_c": "", "checkpoint": ""]),
    ]
  }

  private func write(_ name: String, _ positive: [[String: Any]], _ chains: [String: [String]]? = nil) throws {
    var content: [String: Any] = ["format": name, "version": 1, "positive": positive, "negative": [] as [Any]]
    content["chains"] = chains
    let directory = VectorFile.directory.appending(path: "swift")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let data = try JSONSerialization.data(
      withJSONObject: content, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    try (data + Data("\n".utf8)).write(to: directory.appending(path: "\(name).json"))
  }
}
