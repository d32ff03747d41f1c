"""Devices, recovery keys and chains to write vectors with."""

from lockstep_reader.recovery import derive

from .base import E, H, K, S, Seeded, device_id, encode, exchange_public, key_commitment, name_commitment, pad, signing_public

GENESIS, ADD, REVOKE, ROLE, LEAVE, REPLACE, RECOVER, RESEAL = range(1, 9)
ADMIN, WRITER, READER = 1, 2, 3
ZERO = bytes(32)
TIME = 1_750_000_000_000


def sealed_name(seeded, owner, text, epoch, c_key, commitment=None):
    salt = seeded.key()
    commitment = commitment or name_commitment(salt, text)
    nonce = seeded.nonce()
    key = K(c_key, "lockstep/name/1", owner)
    sealed = E(key, nonce, pad(encode([salt, text])), "lockstep/name/1", owner, epoch, commitment)
    return [commitment, epoch, nonce, sealed]


class Device:
    def __init__(self, name):
        self.seeded = Seeded(f"device {name}")
        self.text = name
        self.chain_seed, self.a_seed, self.push_seed, self.c_seed = (self.seeded.key() for _ in range(4))
        self.keys = [
            signing_public(self.chain_seed),
            exchange_public(self.a_seed),
            signing_public(self.push_seed),
            exchange_public(self.c_seed),
        ]
        self.id = device_id(self.keys)

    def name(self, epoch, c_key):
        return sealed_name(Seeded(f"name of {self.text}/{epoch}"), self.id, self.text, epoch, c_key)

    def sign(self, content):
        return [0, self.id, S(self.chain_seed, "lockstep/chain-signature/1", content)]

    def join(self, vault, name, mailbox):
        return [2, self.id, S(self.chain_seed, "lockstep/join/1", vault, self.keys, name[0], mailbox)]


class RecoveryKey:
    def __init__(self, name):
        self.text = name
        self.secret = Seeded(f"recovery key {name}").key()
        given = derive(self.secret)
        self.signing_seed = given["signing_seed"]
        self.sealing_seed = given["sealing_seed"]
        self.pre_shared_key = given["pre_shared_key"]
        self.locator = given["locator"]
        self.signing = given["signing_public"]
        self.sealing = given["sealing_public"]
        self.id = given["recovery_id"]

    def body(self, salt, epoch, c_key):
        name = sealed_name(Seeded(f"name of {self.text}/{epoch}"), self.id, self.text, epoch, c_key)
        return [self.signing, self.sealing, key_commitment(self.pre_shared_key, "recovery", salt, 0), self.locator, name]

    def sign(self, content):
        return [1, self.id, S(self.signing_seed, "lockstep/chain-signature/1", content)]


class Chain:
    """Entries, one after the other. Nothing is checked here: the reader checks."""

    def __init__(self, label, devices=(), recoveries=()):
        self.seeded = Seeded(f"chain {label}")
        self.label = label
        self.salt = self.seeded.key()
        self.slot_key = self.seeded.key()
        self.set_hash_key = self.seeded.key()
        self.a_keys, self.c_keys = {}, {}
        self.entries, self.contents = [], []
        self.vault, self.head, self.number = b"", b"", 0
        self.new_epoch()

    def copy(self):
        other = object.__new__(Chain)
        other.__dict__ = dict(self.__dict__)
        other.a_keys, other.c_keys = dict(self.a_keys), dict(self.c_keys)
        other.entries, other.contents = list(self.entries), list(self.contents)
        return other

    def new_epoch(self):
        epoch = len(self.a_keys) + 1
        seeded = Seeded(f"chain {self.label}/epoch {epoch}")
        self.a_keys[epoch] = seeded.key()
        self.c_keys[epoch] = seeded.key()
        return epoch

    @property
    def epoch(self):
        return len(self.a_keys)

    def commitments(self, epoch=None):
        epoch = epoch or self.epoch
        return [
            key_commitment(self.a_keys[epoch], "A", self.salt, epoch),
            key_commitment(self.c_keys[epoch], "C", self.salt, epoch),
        ]

    def c(self, epoch=None):
        return self.c_keys[epoch or self.epoch]

    def content(self, type, body, author, vault=None, number=None, previous=None, time=None, version=1):
        return encode([
            version,
            type,
            self.vault if vault is None else vault,
            self.number if number is None else number,
            self.head if previous is None else previous,
            TIME + 1000 * self.number if time is None else time,
            author if isinstance(author, bytes) else author.id,
            body,
        ])  # fmt: skip

    def add(self, content, signatures):
        self.entries.append(encode([1, content, signatures]))
        self.contents.append(content)
        self.head = H("lockstep/chain-entry/1", content)
        if not self.vault:
            self.vault = self.head
        self.number += 1

    def sign_and_add(self, type, body, signers, joins=()):
        content = self.content(type, body, signers[0])
        self.add(content, [signer.sign(content) for signer in signers] + list(joins))
        return self

    # The eight types, well made.

    def genesis_body(self, device, recoveries=()):
        return [
            device.keys,
            device.name(1, self.c(1)),
            self.salt,
            self.commitments(1) + [key_commitment(self.slot_key, "slot", self.salt, 0), key_commitment(self.set_hash_key, "set-hash", self.salt, 0)],
            [recovery.body(self.salt, 1, self.c(1)) for recovery in recoveries],
        ]

    def genesis(self, device, recoveries=()):
        return self.sign_and_add(GENESIS, self.genesis_body(device, recoveries), [device, *recoveries])

    def add_device(self, device, role, signer):
        name = device.name(self.epoch, self.c())
        recovered = isinstance(signer, RecoveryKey)
        mailbox = ZERO if recovered else Seeded(f"mailbox of {device.text}").key()
        join = device.join(self.vault, name, mailbox)
        return self.sign_and_add(ADD, [device.keys, name, role, mailbox], [signer], [join])

    def revoke(self, signer, devices, recoveries, removed=(), removed_recoveries=()):
        """`devices` and `recoveries` remain."""
        epoch = self.new_epoch()
        return self.sign_and_add(REVOKE, self.revoke_body(epoch, devices, recoveries, removed, removed_recoveries), [signer])

    def revoke_body(self, epoch, devices, recoveries, removed=(), removed_recoveries=()):
        return [
            sorted(one.id for one in removed),
            sorted(one.id for one in removed_recoveries),
            epoch,
            self.commitments(epoch),
            sorted(one.id for one in devices),
            sorted(one.id for one in recoveries),
            bytes(range(16)),
            700 + epoch,
        ]

    def set_role(self, signer, device, role):
        return self.sign_and_add(ROLE, [device.id, role, bytes(range(16)), 42], [signer])

    def leave(self, device):
        return self.sign_and_add(LEAVE, [], [device])

    def replace(self, old, new):
        name = new.name(self.epoch, self.c())
        return self.sign_and_add(REPLACE, [new.keys, name], [old], [new.join(self.vault, name, ZERO)])

    def set_recovery(self, signer, recovery):
        return self.sign_and_add(RECOVER, [recovery.body(self.salt, self.epoch, self.c())], [signer, recovery])

    def reseal_done(self, signer, epoch):
        return self.sign_and_add(RESEAL, [epoch], [signer])
