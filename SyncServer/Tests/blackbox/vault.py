"""A vault as its devices know it, and requests about it."""

import os

from client import OCTETS, Client, encode
from lockstep_reader.notation import H
from lockstep_writer.people import ADMIN, Chain, Device, RecoveryKey


class Positioned(Chain):
    """A chain whose revocations name the feed that the relay has."""

    position = (bytes(16), 0)

    def copy(self):
        other = super().copy()
        other.__class__ = Positioned
        return other

    def revoke_body(self, *arguments, **options):
        return super().revoke_body(*arguments, **options)[:6] + list(self.position)


class Vault:
    def __init__(self, relay, label=None):
        self.relay = relay
        self.client = Client(relay)
        # Names seed keys, so every vault has devices of its own.
        self.label = label or os.urandom(8).hex()
        self.alice = self.device("alice")
        self.paper = RecoveryKey(f"paper of {self.label}")
        self.chain = Positioned(self.label).genesis(self.alice, [self.paper])
        self.incarnation = None

    @classmethod
    def registered(cls, relay):
        vault = cls(relay)
        answer = vault.register()
        assert answer.status == 201, answer
        vault.incarnation = answer.value[1]
        return vault

    def device(self, name):
        return Device(f"{name} of {self.label}")

    @property
    def path(self):
        return f"/v1/vaults/{self.chain.vault.hex()}"

    def register(self, invite=None, device=None):
        body = encode([1, invite, self.chain.entries[0], []])
        return self.client.signed("POST", "/v1/vaults", device or self.alice, body)

    def get(self, what, device=None, client=None):
        return (client or self.client).signed("GET", self.path + what, device or self.alice)

    def append(self, entry, head, device=None, keyrings=(), repair=False):
        return self.client.signed("POST", self.path + "/chain", device or self.alice, encode([1, head, entry, list(keyrings), repair]))

    def grow(self, change, device=None, **options):
        """Lets `change` add an entry to the chain and sends it."""
        head = self.chain.head
        change(self.chain)
        return self.append(self.chain.entries[-1], head, device, **options)

    def join(self, name, role=ADMIN):
        device = self.device(name)
        answer = self.grow(lambda chain: chain.add_device(device, role, self.alice))
        assert answer.status == 200, answer
        return device

    def record(self, device=None, epoch=None, size=300):
        """A sealed record as far as a relay looks into it."""
        author = (device or self.alice).id
        return encode([1, [0, epoch or self.chain.epoch, 3], author, os.urandom(32), os.urandom(24), os.urandom(32), os.urandom(16), os.urandom(size), os.urandom(64)])

    def purge(self, slot, sequence, record, device=None):
        author = (device or self.alice).id
        return encode([1, slot, sequence, H("lockstep/record-hash/1", record), self.incarnation, os.urandom(32), author, os.urandom(64)])

    def checkpoint(self, device=None, size=200):
        return encode([1, (device or self.alice).id, self.chain.epoch, os.urandom(24), os.urandom(size), os.urandom(64)])

    def push(self, *items, device=None, client=None, incarnation=None):
        body = encode([1, incarnation or self.incarnation, [list(item) for item in items]])
        return (client or self.client).signed("POST", self.path + "/records", device or self.alice, body)

    def store(self, record=None, slot=None, base=0, **options):
        """Pushes one record that must be stored; its slot and sequence."""
        slot = slot or os.urandom(32)
        answer = self.push([slot, base, 0, record or self.record()], **options)
        assert answer.status == 200, answer
        [(kind, sequence)] = answer.value[1]
        assert kind == 0
        return slot, sequence

    def publish(self, checkpoint=None, device=None):
        body = encode([1, self.incarnation, checkpoint or self.checkpoint(device)])
        return self.client.signed("PUT", self.path + "/checkpoint", device or self.alice, body)

    def mailbox(self, method, name, device=None):
        body = encode([1]) if method == "PUT" else b""
        return self.client.signed(method, f"{self.path}/mailboxes/{name.hex()}", device or self.alice, body)

    def answer_pairing(self, name, letter, device=None):
        return self.client.signed("PUT", f"{self.path}/mailboxes/{name.hex()}/answer", device or self.alice, letter, OCTETS)

    def request_pairing(self, name, letter):
        return self.client.send("PUT", f"/v1/mailboxes/{name.hex()}/request", letter, type=OCTETS)
