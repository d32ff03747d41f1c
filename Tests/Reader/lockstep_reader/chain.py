"""Docs/Formats.md §4: the device chain, entry by entry."""

from dataclasses import dataclass, field

from .cbor import decode
from .names import device_id, read_device, read_name, recovery_id
from .notation import H, verify
from .refusal import ascending, elements, octets, refuse, require, unsigned, version

ENTRY_MAX = 64 << 10
ENTRIES_MAX = 10_000
DEVICES_MAX = 1_000
RECOVERIES_MAX = 64
SIGNATURES_MAX = 16
DEVICE, RECOVERY, JOINING = 0, 1, 2
ADMIN, WRITER, READER = 1, 2, 3
ZERO_MAILBOX = bytes(32)


@dataclass
class Device:
    id: bytes
    keys: list
    name: list
    role: int
    left: bool = False


@dataclass
class Recovery:
    id: bytes
    signing: bytes
    sealing: bytes
    commitment: bytes
    locator: bytes
    name: list


@dataclass
class State:
    """What a chain says after its newest entry."""

    vault: bytes = b""
    head: bytes = b""
    number: int = -1
    salt: bytes = b""
    slot_commitment: bytes = b""
    set_hash_commitment: bytes = b""
    # commitments[epoch] = (A, C)
    commitments: dict = field(default_factory=dict)
    devices: dict = field(default_factory=dict)
    recoveries: dict = field(default_factory=dict)
    # Every device ever, active or not: id to keys. An id is never added twice.
    known_devices: dict = field(default_factory=dict)
    known_recoveries: dict = field(default_factory=dict)
    successors: dict = field(default_factory=dict)
    resealed: int = 0
    # The relay's incarnation and sequence at the newest revoke and set-role.
    marks: list = field(default_factory=list)

    @property
    def epoch(self):
        return len(self.commitments)


class _Signatures:
    """The signature list, consumed in the table's order."""

    def __init__(self, value, state, content, author):
        elements(value, None, "signatures")
        require(len(value) <= SIGNATURES_MAX, "signatures: too many")
        self.left = []
        for one in value:
            elements(one, 3, "signature")
            kind = unsigned(one[0], "signer kind", 0, 2)
            self.left.append((kind, octets(one[1], 32, "signer"), octets(one[2], 64, "signature")))
        require(self.left, "signatures: one is missing")
        require(self.left[0][1] == author, "author: not the first signer")
        self.state = state
        self.content = content

    def next(self, kinds):
        require(self.left, "signatures: one is missing")
        kind, signer, signature = self.left.pop(0)
        require(kind in kinds, "signatures: not the signer that the entry needs")
        return kind, signer, signature

    def by(self, wanted_kind, wanted, key):
        _, signer, signature = self.next((wanted_kind,))
        require(signer == wanted, "signatures: not the signer that the entry needs")
        verify(key, signature, "signature", "lockstep/chain-signature/1", self.content)

    def by_device(self, wanted=None, admin=False):
        """An active device, any or `wanted`; returns it."""
        _, signer, signature = self.next((DEVICE,))
        require(wanted is None or signer == wanted, "signatures: not the signer that the entry needs")
        device = self.state.devices.get(signer)
        require(device is not None, "signer: not active")
        require(not admin or device.role == ADMIN, "signer: not an admin")
        verify(device.keys[0], signature, "signature", "lockstep/chain-signature/1", self.content)
        return device

    def by_admin_or_recovery(self):
        """Returns the kind of the signer."""
        require(self.left, "signatures: one is missing")
        if self.left[0][0] != RECOVERY:
            self.by_device(admin=True)
            return DEVICE
        _, signer, signature = self.next((RECOVERY,))
        recovery = self.state.recoveries.get(signer)
        require(recovery is not None, "signer: not active")
        verify(recovery.signing, signature, "signature", "lockstep/chain-signature/1", self.content)
        return RECOVERY

    def by_joining(self, device, name, mailbox):
        _, signer, signature = self.next((JOINING,))
        require(signer == device_id(device), "signatures: not the signer that the entry needs")
        verify(
            device[0], signature, "join signature",
            "lockstep/join/1", self.state.vault, device, name[0], mailbox,
        )  # fmt: skip

    def end(self):
        require(not self.left, "signatures: one too many")


def read_recovery(value, newest_epoch):
    elements(value, 5, "recovery")
    for part, what in zip(value, ("signing key", "sealing key", "commitment", "locator")):
        octets(part, 32, f"recovery {what}")
    name = read_name(value[4], newest_epoch)
    return Recovery(recovery_id(value[0], value[1]), *value[:4], name)


def _admit_device(state, device, name, role):
    id = device_id(device)
    require(id not in state.known_devices, "device: added before")
    state.known_devices[id] = device
    state.devices[id] = Device(id, device, name, role)
    require(len(state.devices) <= DEVICES_MAX, "devices: too many")
    return id


def _admit_recovery(state, recovery):
    require(recovery.id not in state.known_recoveries, "recovery key: added before")
    taken = any(one.locator == recovery.locator for one in state.recoveries.values())
    require(not taken, "recovery locator: of an active recovery key")
    state.known_recoveries[recovery.id] = recovery
    state.recoveries[recovery.id] = recovery
    require(len(state.recoveries) <= RECOVERIES_MAX, "recovery keys: too many")


def _genesis(state, body, signatures, hash):
    elements(body, 5, "body")
    device = read_device(body[0])
    name = read_name(body[1], 1)
    salt = octets(body[2], 32, "salt")
    commitments = elements(body[3], 4, "commitments")
    for one in commitments:
        octets(one, 32, "key commitment")
    recoveries = [read_recovery(one, 1) for one in elements(body[4], None, "recovery keys")]
    state.vault, state.salt = hash, salt
    state.commitments[1] = (commitments[0], commitments[1])
    state.slot_commitment, state.set_hash_commitment = commitments[2:]
    id = _admit_device(state, device, name, ADMIN)
    for recovery in recoveries:
        _admit_recovery(state, recovery)
    signatures.by(DEVICE, id, device[0])
    for recovery in recoveries:
        signatures.by(RECOVERY, recovery.id, recovery.signing)


def _add_device(state, body, signatures, hash):
    elements(body, 4, "body")
    device = read_device(body[0])
    name = read_name(body[1], state.epoch)
    role = unsigned(body[2], "role", ADMIN, READER)
    mailbox = octets(body[3], 32, "mailbox")
    kind = signatures.by_admin_or_recovery()
    require(kind == DEVICE or mailbox == ZERO_MAILBOX, "mailbox: not zero for a recovered device")
    signatures.by_joining(device, name, mailbox)
    _admit_device(state, device, name, role)


def _active_successor(state, id):
    while id not in state.devices:
        require(id in state.successors, "revoke: removes what is not active")
        id = state.successors[id]
    return id


def _read_mark(state, incarnation, sequence):
    state.marks = [octets(incarnation, 16, "incarnation"), unsigned(sequence, "sequence")]


def _revoke(state, body, signatures, hash):
    elements(body, 8, "body")
    lists = {}
    for at, what in ((0, "removed devices"), (1, "removed recovery keys"), (4, "recipients"), (5, "recipients")):
        lists[at] = [octets(id, 32, "id") for id in elements(body[at], None, what)]
        ascending(lists[at], what)
    epoch = unsigned(body[2], "epoch")
    commitments = elements(body[3], 2, "commitments")
    for one in commitments:
        octets(one, 32, "key commitment")
    _read_mark(state, body[6], body[7])
    require(epoch == state.epoch + 1, "epoch: not the newest and one")
    signatures.by_admin_or_recovery()
    # Looked up before anything is removed: a list may name an old id and its successor.
    for id in {_active_successor(state, id) for id in lists[0]}:
        del state.devices[id]
    for id in lists[1]:
        require(id in state.recoveries, "revoke: removes what is not active")
        del state.recoveries[id]
    require(lists[4] == sorted(state.devices), "recipients: not the remaining devices")
    require(lists[5] == sorted(state.recoveries), "recipients: not the remaining recovery keys")
    state.commitments[epoch] = tuple(commitments)


def _set_role(state, body, signatures, hash):
    elements(body, 4, "body")
    id = octets(body[0], 32, "device id")
    role = unsigned(body[1], "role", ADMIN, READER)
    _read_mark(state, body[2], body[3])
    signatures.by_device(admin=True)
    require(id in state.devices, "device: not active")
    state.devices[id].role = role


def _leave(state, body, signatures, hash):
    elements(body, 0, "body")
    device = signatures.by_device()
    require(not device.left, "leave: left before")
    device.left = True


def _replace_device(state, body, signatures, hash):
    elements(body, 2, "body")
    device = read_device(body[0])
    name = read_name(body[1], state.epoch)
    old = signatures.by_device()
    signatures.by_joining(device, name, ZERO_MAILBOX)
    # The old one goes first: at the limit of devices a replacement is still allowed.
    del state.devices[old.id]
    state.successors[old.id] = _admit_device(state, device, name, old.role)


def _set_recovery(state, body, signatures, hash):
    elements(body, 1, "body")
    recovery = read_recovery(body[0], state.epoch)
    signatures.by_device(admin=True)
    signatures.by(RECOVERY, recovery.id, recovery.signing)
    _admit_recovery(state, recovery)


def _reseal_done(state, body, signatures, hash):
    elements(body, 1, "body")
    epoch = unsigned(body[0], "resealed epoch", 1, state.epoch)
    signatures.by_device(admin=True)
    state.resealed = max(state.resealed, epoch)


_RULES = {
    1: _genesis,
    2: _add_device,
    3: _revoke,
    4: _set_role,
    5: _leave,
    6: _replace_device,
    7: _set_recovery,
    8: _reseal_done,
}


def _append(state, entry):
    require(len(entry) <= ENTRY_MAX, "entry: too long")
    item = elements(decode(entry, "entry"), 3, "entry")
    version(item[0], "entry")
    content = octets(item[1], None, "content")
    inner = elements(decode(content, "content"), 8, "content")
    version(inner[0], "content")
    type = unsigned(inner[1], "type", 1, 8)
    first = state.number < 0
    require((type == 1) == first, "type: genesis is the first entry and no other")
    octets(inner[2], 0 if first else 32, "vault id")
    octets(inner[4], 0 if first else 32, "previous")
    number = unsigned(inner[3], "number")
    unsigned(inner[5], "time")
    author = octets(inner[6], 32, "author")
    require(inner[2] == state.vault, "vault id: of another chain")
    require(number == state.number + 1, "number: not the previous and one")
    require(number < ENTRIES_MAX, "entries: too many")
    require(inner[4] == state.head, "previous: not the hash of the entry before")
    signatures = _Signatures(item[2], state, content, author)
    hash = H("lockstep/chain-entry/1", content)
    _RULES[type](state, inner[7], signatures, hash)
    signatures.end()
    if not any(device.role == ADMIN for device in state.devices.values()):
        refuse("admins: none would be left")
    state.number, state.head = number, hash


def verify_chain(entries, vault=None):
    """The state after all `entries`. A refusal names the reason; nothing of a refused chain is used."""
    state = State()
    require(entries, "chain: empty")
    for entry in entries:
        _append(state, entry)
        require(vault is None or state.vault == vault, "vault id: of another chain")
    return state
