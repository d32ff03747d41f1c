"""Docs/Formats.md §2: the sealed record and its two parts."""

from dataclasses import dataclass, field

from .cbor import Map, decode, encode
from .notation import H, K, decrypt, same, unpad, verify
from .refusal import (
    INT64_MAX,
    INT64_MIN,
    UINT64_MAX,
    ascending,
    boolean,
    characters,
    elements,
    octets,
    require,
    unsigned,
    version,
)

RECORD_MAX = 16 << 20
VALUE_MAX = 1 << 20
HISTORY_MAX = 10
HISTORY_VALUE_MAX = 200 << 10
VECTOR_MAX = 4096
REGISTERS_MAX = 128
SECRET_NAMES = {"v_Data", "binn", "bini", "bin0", "bin1", "bin2", "bin3"}
CLASS_A, CLASS_P, CLASS_C, CLASS_D = 1, 2, 3, 4
# Strictest first.
STRICTNESS = [CLASS_P, CLASS_A, CLASS_C, CLASS_D]
PRIMARY_KEYS = {
    1: ["acct", "svce", "agrp"],
    2: ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path", "agrp"],
    3: ["ctyp", "issr", "slnr", "agrp"],
    4: ["kcls", "type", "crtr", "bsiz", "esiz", "klbl", "atag", "sdat", "edat", "agrp"],
}
NUMBERS = {"ptcl", "port", "ctyp", "kcls", "type", "crtr", "bsiz", "esiz", "sdat", "edat"}
CLASSES = {
    "akpu": CLASS_P, "aku": CLASS_A, "ak": CLASS_A, "cku": CLASS_C, "ck": CLASS_C, "dku": CLASS_D, "dk": CLASS_D,
}  # fmt: skip


@dataclass
class Envelope:
    """A record whose form is right; nothing in it is believed yet."""

    device_only: bool
    epoch: int
    sealing_class: int
    author: bytes
    head: bytes
    nonce: bytes
    commitment: bytes
    attributes_part: bytes
    secret_part: bytes
    signature: bytes
    header: bytes


@dataclass
class Attributes:
    item_class: int
    vector: list
    delete_context: list
    registers: dict
    modification_time: int
    secret_in_conflict: bool
    raw: bytes = field(repr=False, default=b"")


@dataclass
class Secret:
    registers: dict
    history: list
    raw: bytes = field(repr=False, default=b"")


def _sealing_key(value):
    require(isinstance(value, list) and value, "sealing key: not an array")
    kind = unsigned(value[0], "sealing key kind", 0, 1)
    if kind == 0:
        elements(value, 3, "sealing key")
        epoch = unsigned(value[1], "sealing key epoch", 1)
        sealing_class = unsigned(value[2], "sealing key class", 1, 4)
        require(sealing_class in (CLASS_A, CLASS_C), "sealing key class: out of range")
        return False, epoch, sealing_class
    elements(value, 2, "sealing key")
    return True, 0, unsigned(value[1], "sealing key class", 1, 4)


def _part(value, what):
    octets(value, None, what)
    require(len(value) >= 256 + 16, f"{what}: wrong length")
    return value


def parse(record):
    require(len(record) <= RECORD_MAX, "record: too long")
    item = elements(decode(record, "record"), 9, "record")
    version(item[0], "record")
    device_only, epoch, sealing_class = _sealing_key(item[1])
    signed = not device_only
    return Envelope(
        device_only,
        epoch,
        sealing_class,
        octets(item[2], 32 if signed else 0, "author"),
        octets(item[3], 32 if signed else 0, "head"),
        octets(item[4], 24, "nonce"),
        octets(item[5], 32, "commitment"),
        _part(item[6], "attributes part"),
        _part(item[7], "secret part"),
        octets(item[8], 64 if signed else 0, "signature"),
        encode(item[:6]),
    )


def record_key(sealing_key, purpose, vault, slot, nonce):
    return K(sealing_key, "lockstep/record/1", purpose, vault, slot, nonce)


def check_signature(envelope, vault, slot, author_push_key):
    """The signature against the push-signing key that the chain gives for the author."""
    if envelope.device_only:
        return
    require(author_push_key is not None, "author: not in the chain")
    body = H("lockstep/record-body/1", envelope.header, envelope.attributes_part, envelope.secret_part)
    verify(author_push_key, envelope.signature, "signature", "lockstep/record-signature/1", vault, slot, body)


def check_commitment(envelope, vault, slot, sealing_key):
    expected = record_key(sealing_key, "commitment", vault, slot, envelope.nonce)
    require(same(expected, envelope.commitment), "commitment: does not match")


def open_attributes(envelope, vault, slot, sealing_key):
    """The attributes part alone, as listing and matching open it. Signature and commitment come before."""
    plain = decrypt(
        record_key(sealing_key, "attributes", vault, slot, envelope.nonce), envelope.nonce,
        envelope.attributes_part, "attributes part",
        "lockstep/record-part/1", "attributes", vault, slot, envelope.header,
    )  # fmt: skip
    return read_attributes(unpad(plain, "attributes part"))


def open_secret(envelope, vault, slot, sealing_key, attributes):
    plain = decrypt(
        record_key(sealing_key, "secret", vault, slot, envelope.nonce), envelope.nonce,
        envelope.secret_part, "secret part",
        "lockstep/record-part/1", "secret", vault, slot, envelope.header,
        H("lockstep/attributes-part/1", envelope.attributes_part),
    )  # fmt: skip
    return read_secret(unpad(plain, "secret part"), attributes)


def open_record(record, vault, slot, sealing_key, author_push_key=None):
    envelope = parse(record)
    check_signature(envelope, vault, slot, author_push_key)
    check_commitment(envelope, vault, slot, sealing_key)
    attributes = open_attributes(envelope, vault, slot, sealing_key)
    secret = open_secret(envelope, vault, slot, sealing_key, attributes)
    return envelope, attributes, secret


# The plaintexts.


def read_vector(value, what):
    elements(value, None, what)
    require(len(value) <= VECTOR_MAX, f"{what}: too many devices")
    vector = []
    for pair in value:
        elements(pair, 2, f"{what} pair")
        device = octets(pair[0], 32, f"{what} device id")
        vector.append((device, unsigned(pair[1], f"{what} counter", 1)))
    ascending([device for device, _ in vector], f"{what} device")
    return vector


def check_value(value):
    if value is None or isinstance(value, (bool, bytes, str)):
        return value
    if isinstance(value, int):
        return unsigned(value, "value", INT64_MIN, INT64_MAX)
    require(isinstance(value, list), "value: wrong type")
    elements(value, 2, "date")
    unsigned(value[0], "date mark", 0, 0)
    unsigned(value[1], "date", INT64_MIN, INT64_MAX)
    return value


def read_writes(value, vector, what, may_be_empty=False):
    elements(value, None, what)
    require(may_be_empty or value, f"{what}: without a write")
    places, dots = [], set()
    for write in value:
        elements(write, 4, "write")
        check_value(write[0])
        index = unsigned(write[1], "write index", 0, UINT64_MAX)
        require(index < len(vector), "write index: not in the vector")
        counter = unsigned(write[2], "write counter", 1)
        require(counter <= vector[index][1], "write counter: above the vector")
        time = unsigned(write[3], "write time")
        require((index, counter) not in dots, f"{what}: dot twice")
        dots.add((index, counter))
        # The vector is sorted by device id, so the index orders as the id does.
        places.append((time, index, counter))
    ascending(places, f"{what}: writes")
    return value


def read_registers(value, vector, secret):
    require(isinstance(value, Map), "registers: not a map")
    require(len(value.pairs) <= REGISTERS_MAX, "registers: too many")
    registers = {}
    for name, writes in value.pairs:
        characters(name, 1, 64, "attribute name")
        if secret:
            require(name in SECRET_NAMES, "registers: not a secret attribute")
        else:
            require(name not in SECRET_NAMES, "registers: secret attribute")
        registers[name] = read_writes(writes, vector, "register")
    return registers


def read_attributes(plain):
    item = elements(decode(plain, "attributes"), 6, "attributes")
    version(item[0], "attributes")
    item_class = unsigned(item[1], "item class", 1, 4)
    vector = read_vector(item[2], "vector")
    delete_context = read_vector(item[3], "delete context")
    counters = dict(vector)
    for device, counter in delete_context:
        require(counter <= counters.get(device, 0), "delete context: above the vector")
    registers = read_registers(item[4], vector, secret=False)
    summary = elements(item[5], 2, "summary")
    time = unsigned(summary[0], "modification time")
    conflict = boolean(summary[1], "secret in conflict")
    return Attributes(item_class, vector, delete_context, registers, time, conflict, bytes(plain))


def value_size(value):
    if isinstance(value, str):
        return len(value.encode("utf-8"))
    return len(value) if isinstance(value, bytes) else 0


def read_secret(plain, attributes):
    item = elements(decode(plain, "secret"), 3, "secret")
    version(item[0], "secret")
    registers = read_registers(item[1], attributes.vector, secret=True)
    history = elements(item[2], None, "history")
    require(len(history) <= HISTORY_MAX, "history: too many")
    read_writes(history, attributes.vector, "history", may_be_empty=True)
    for writes in registers.values():
        for write in writes:
            require(value_size(write[0]) <= VALUE_MAX, "secret value: too long")
    still_open = {encode(write) for write in registers.get("v_Data", [])}
    for write in history:
        require(write[0] is not None, "history: null")
        require(encode(write) not in still_open, "history: a write that is still open")
        require(value_size(write[0]) <= HISTORY_VALUE_MAX, "history: value too long")
    check_summary(attributes, registers)
    return Secret(registers, history, bytes(plain))


def check_summary(attributes, secret_registers):
    """What the attributes part says about both parts is recomputed once both are open."""
    every = list(attributes.registers.values()) + list(secret_registers.values())
    newest = max((write[3] for writes in every for write in writes), default=0)
    require(newest == attributes.modification_time, "modification time: does not match")
    conflict = any(len({encode(write[0]) for write in writes}) > 1 for writes in secret_registers.values())
    require(conflict == attributes.secret_in_conflict, "secret in conflict: does not match")


def is_tombstone(attributes, secret):
    deleted = dict(attributes.delete_context)
    every = list(attributes.registers.values()) + list(secret.registers.values())
    return bool(attributes.delete_context) and all(write[2] <= deleted.get(attributes.vector[write[1]][0], 0) for writes in every for write in writes)


# Slot and class.


def counted(value):
    """A value as it counts in a slot and in an index tag."""
    if isinstance(value, bool):
        return 1 if value else 0
    if isinstance(value, str):
        return value.encode("utf-8")
    return value[1] if isinstance(value, list) else value


def slot_of(slot_key, item_class, values):
    """`values` maps a primary key's attribute names to values; an absent one may be missing or None."""
    ordered = []
    for name in PRIMARY_KEYS[item_class]:
        value = values.get(name)
        if value is None:
            value = 0 if name in NUMBERS else b""
        ordered.append(counted(value))
    return K(slot_key, "lockstep/slot/1", item_class, ordered)


def sealing_class_of(registers, device_only):
    # Null is no value; what this reader does not know counts as "ak".
    codes = [write[0] for write in registers.get("pdmn", []) if write[0] is not None] or ["ak"]
    classes = [CLASSES.get(code, CLASS_A) if isinstance(code, str) else CLASS_A for code in codes]
    strictest = min(classes, key=STRICTNESS.index)
    return strictest if device_only else {CLASS_P: CLASS_A, CLASS_D: CLASS_C}.get(strictest, strictest)


def check_place(envelope, attributes, slot, slot_key):
    """After opening: does the record belong where it lay? (A vault quarantines it otherwise.)"""
    names = [name for name in PRIMARY_KEYS[attributes.item_class] if name in attributes.registers]
    # Writes ascend: the last is the greatest.
    values = {name: attributes.registers[name][-1][0] for name in names}
    require(same(slot_of(slot_key, attributes.item_class, values), slot), "slot: does not match")
    expected = sealing_class_of(attributes.registers, envelope.device_only)
    require(expected == envelope.sealing_class, "class: does not match the accessibility")
