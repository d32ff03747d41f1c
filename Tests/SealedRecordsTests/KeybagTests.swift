import CBOR
import SealedRecords
import Testing
import VaultCrypto

struct KeybagTests {
  private let secret = SharedKey(SymmetricKey<DeviceSecretRole>.random())
  private let passphrase = Array("correct horse".utf8)

  private func bytes(_ keys: UnlockedKeys) -> [[UInt8]?] {
    [
      keys.root.key.exportBytes(), keys.whenUnlocked.key.exportBytes(), keys.passcodeSet?.key.exportBytes(),
      keys.afterFirstUnlock.key.exportBytes(),
    ]
  }

  @Test("A keybag without a passphrase opens with the device secret alone and has no class P")
  func withoutPassphrase() throws {
    let (keybag, keys) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    #expect(!keybag.hasPassphrase)
    #expect(keys.passcodeSet == nil)
    let stored = try Keybag(decoding: keybag.encoded)
    #expect(stored == keybag)
    #expect(try bytes(stored.unlock(passphrase: nil, deviceSecret: secret.key)) == bytes(keys))
    #expect(throws: KeybagError.noPassphraseSet) {
      try stored.unlock(passphrase: passphrase, deviceSecret: secret.key)
    }
    #expect(
      Set(bytes(keys).compactMap { $0 } + [try stored.alwaysKey(deviceSecret: secret.key).key.exportBytes()]).count == 4
    )
  }

  @Test("A keybag with a passphrase opens with it and the device secret together")
  func withPassphrase() throws {
    let (keybag, keys) = try Keybag.create(passphrase: passphrase, deviceSecret: secret.key)
    #expect(keybag.hasPassphrase)
    #expect(keys.passcodeSet != nil)
    let stored = try Keybag(decoding: keybag.encoded)
    #expect(stored == keybag)
    #expect(try bytes(stored.unlock(passphrase: passphrase, deviceSecret: secret.key)) == bytes(keys))
    #expect(throws: KeybagError.wrongPassphrase) {
      try stored.unlock(passphrase: Array("wrong".utf8), deviceSecret: secret.key)
    }
    #expect(throws: KeybagError.wrongPassphrase) { try stored.unlock(passphrase: [], deviceSecret: secret.key) }
    #expect(throws: KeybagError.passphraseRequired) { try stored.unlock(passphrase: nil, deviceSecret: secret.key) }
    let foreign = SharedKey(SymmetricKey<DeviceSecretRole>.random())
    #expect(throws: KeybagError.damaged) { try stored.unlock(passphrase: passphrase, deviceSecret: foreign.key) }
    // Class D needs no passphrase, but the device secret.
    #expect(throws: Never.self) { try stored.alwaysKey(deviceSecret: secret.key) }
    #expect(throws: KeybagError.damaged) { try stored.alwaysKey(deviceSecret: foreign.key) }
  }

  @Test("An empty passphrase is a passphrase")
  func emptyPassphrase() throws {
    let (keybag, keys) = try Keybag.create(passphrase: [], deviceSecret: secret.key)
    #expect(keybag.hasPassphrase)
    #expect(try bytes(keybag.unlock(passphrase: [], deviceSecret: secret.key)) == bytes(keys))
  }

  @Test("A change of passphrase wraps the root key anew and keeps every class key")
  func change() throws {
    let (old, keys) = try Keybag.create(passphrase: passphrase, deviceSecret: secret.key)
    let unlocked = try old.unlock(passphrase: passphrase, deviceSecret: secret.key)
    let (new, _) = try old.changingPassphrase(
      to: Array("new".utf8), keys: unlocked, deviceSecret: secret.key)
    #expect(try bytes(new.unlock(passphrase: Array("new".utf8), deviceSecret: secret.key)) == bytes(keys))
    #expect(throws: KeybagError.wrongPassphrase) {
      try new.unlock(passphrase: passphrase, deviceSecret: secret.key)
    }
    let (before, after) = (try CBORValue(decoding: old.encoded), try CBORValue(decoding: new.encoded))
    #expect(before.elements[1] == after.elements[1])
    #expect(before.elements[2] != after.elements[2])
    #expect(before.elements[3] != after.elements[3])
    #expect(before.elements[4] == after.elements[4])
  }

  @Test("A first passphrase makes class P, removing it destroys class P, a new one makes another")
  func passcodeClass() throws {
    let (none, first) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    let (some, second) = try none.changingPassphrase(to: passphrase, keys: first, deviceSecret: secret.key)
    #expect(bytes(second)[2] != nil)
    #expect(try bytes(some.unlock(passphrase: passphrase, deviceSecret: secret.key)) == bytes(second))

    let (again, third) = try some.changingPassphrase(to: nil, keys: second, deviceSecret: secret.key)
    #expect(bytes(third)[2] == nil)
    #expect(try bytes(again.unlock(passphrase: nil, deviceSecret: secret.key)) == bytes(first))
    #expect(try CBORValue(decoding: again.encoded).elements[4].elements.count == 3)

    let (_, fourth) = try again.changingPassphrase(to: passphrase, keys: third, deviceSecret: secret.key)
    #expect(bytes(fourth)[2] != bytes(second)[2])
    for keys in [second, third, fourth] {
      #expect(bytes(keys)[0] == bytes(first)[0] && bytes(keys)[1] == bytes(first)[1])
      #expect(bytes(keys)[3] == bytes(first)[3])
    }
  }

  @Test("A forgotten passphrase costs class P alone")
  func forgotten() throws {
    let (old, keys) = try Keybag.create(passphrase: passphrase, deviceSecret: secret.key)
    // The root key as a recovery key would give it.
    let recovered = try old.classKeys(keys.root)
    let (new, renewed) = try old.changingPassphrase(
      to: Array("new".utf8), keys: recovered, deviceSecret: secret.key, passcodeItems: .destroyed)
    #expect(bytes(renewed)[2] != bytes(keys)[2] && bytes(renewed)[2] != nil)
    #expect(bytes(renewed)[1] == bytes(keys)[1] && bytes(renewed)[3] == bytes(keys)[3])
    #expect(try bytes(new.unlock(passphrase: Array("new".utf8), deviceSecret: secret.key)) == bytes(renewed))
  }

  @Test("Keys or a device secret of elsewhere do not rewrap a keybag")
  func foreignKeys() throws {
    let (keybag, keys) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    let (_, others) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    let foreign = SharedKey(SymmetricKey<DeviceSecretRole>.random())
    #expect(throws: KeybagError.damaged) {
      try keybag.changingPassphrase(to: nil, keys: others, deviceSecret: secret.key)
    }
    #expect(throws: KeybagError.damaged) {
      try keybag.changingPassphrase(to: nil, keys: keys, deviceSecret: foreign.key)
    }
  }

  @Test("A new passphrase must cost at least the minimum")
  func costFloor() throws {
    let (keybag, keys) = try Keybag.create(passphrase: nil, deviceSecret: secret.key)
    for parameters in [
      try PasswordHashParameters(operations: 2, memoryKiB: 64 * 1024),
      try PasswordHashParameters(operations: 3, memoryKiB: 64 * 1024 - 1),
    ] {
      #expect(throws: KeybagError.costTooLow) {
        try Keybag.create(passphrase: passphrase, parameters: parameters, deviceSecret: secret.key)
      }
      #expect(throws: KeybagError.costTooLow) {
        try keybag.changingPassphrase(
          to: passphrase, parameters: parameters, keys: keys, deviceSecret: secret.key)
      }
    }
  }
}
