"""record.json: Docs/Formats.md §2."""

from lockstep_reader.record import slot_of

from .base import E, File, H, K, Map, S, Seeded, encode, pad, signing_public, value_json

seeded = Seeded("record")
VAULT = seeded.key()
SLOT_KEY = seeded.key()
KEY_A = seeded.key()
KEY_C = seeded.key()
PUSH_SEED = seeded.key()
HEAD = seeded.key()
DEVICES = sorted(seeded.key() for _ in range(3))
AUTHOR = DEVICES[0]
NONCE = seeded.nonce()
TIME = 1_750_000_000_000
CONTEXT = "lockstep/record/1"
PART = "lockstep/record-part/1"


def item(item_class=1, vector=None, deleted=None, registers=None, secrets=None, history=None, summary=None, **other):
    """The two plaintexts, as values; every part can be replaced."""
    vector = [[DEVICES[0], 7], [DEVICES[1], 3]] if vector is None else vector
    if registers is None:
        registers = {
            "acct": [["alice@example.org", 0, 1, TIME]],
            "svce": [["mail", 0, 1, TIME]],
            "agrp": [["org.example.mail", 0, 1, TIME]],
            "pdmn": [["ak", 0, 1, TIME]],
            "labl": [["Mail", 0, 2, TIME + 5]],
        }
    secrets = {"v_Data": [[b"correct horse", 0, 3, TIME + 9]]} if secrets is None else secrets
    history = [] if history is None else history
    every = list(registers.values()) + list(secrets.values())
    if summary is None:
        newest = max((write[3] for writes in every for write in writes), default=0)
        conflict = any(len({encode(write[0]) for write in writes}) > 1 for writes in secrets.values())
        summary = [newest, conflict]
    attributes = [1, item_class, vector, deleted or [], Map(registers.items()), summary]
    secret = [1, Map(secrets.items()), history]
    return {"attributes": attributes, "secret": secret, **other}


def seal_record(
    attributes, secret, vault=VAULT, slot=None, key=KEY_A, sealing=(0, 1, 1), author=AUTHOR, head=HEAD,
    nonce=NONCE, push_seed=PUSH_SEED, version=1, slot_key=SLOT_KEY, sealed_vault=None, sealed_slot=None,
    commitment=None, header_in_parts=None, attributes_padded=None, secret_padded=None, attributes_part=None,
    secret_part=None, bound_attributes=None, change_parts=None, sign=True, signature=None,
):  # fmt: skip
    """A record; each argument after `slot_key` is a way to get exactly one thing wrong."""
    device_only = sealing[0] == 1
    slot = slot_of(slot_key, *primary(attributes)) if slot is None else slot
    v, s = sealed_vault or vault, sealed_slot or slot
    if device_only:
        author = head = b""
    commitment = commitment or K(key, CONTEXT, "commitment", v, s, nonce)
    elements = [version, list(sealing), author, head, nonce, commitment]
    header = encode(elements)
    bound = header_in_parts or header
    plain = attributes if isinstance(attributes, bytes) else encode(attributes)
    first = attributes_part or E(K(key, CONTEXT, "attributes", v, s, nonce), nonce, attributes_padded or pad(plain), PART, "attributes", v, s, bound)
    plain = secret if isinstance(secret, bytes) else encode(secret)
    second = secret_part or E(
        K(key, CONTEXT, "secret", v, s, nonce), nonce, secret_padded or pad(plain),
        PART, "secret", v, s, bound, H("lockstep/attributes-part/1", bound_attributes or first),
    )  # fmt: skip
    if change_parts:
        first, second = change_parts(first, second)
    if signature is None:
        body = H("lockstep/record-body/1", header, first, second)
        signature = b"" if device_only else S(push_seed, "lockstep/record-signature/1", vault, slot, body)
    return elements + [first, second, signature], slot


def primary(attributes):
    if isinstance(attributes, bytes):
        raise ValueError("a raw plaintext needs its slot")
    values = {}
    for name, writes in attributes[4].pairs:
        if writes and isinstance(writes[-1], list) and writes[-1]:
            values[name] = writes[-1][0]
    return (attributes[1] if attributes[1] in (1, 2, 3, 4) else 1), values


def registers_json(registers):
    return {name: writes_json(writes) for name, writes in registers.pairs}


def writes_json(writes):
    return [[value_json(value), index, counter, time] for value, index, counter, time in writes]


def inputs(record, slot, vault=VAULT, key=KEY_A, slot_key=SLOT_KEY, push_seed=PUSH_SEED, sealing=(0, 1, 1), **_):
    device_only = sealing[0] == 1
    return {
        "vault": vault.hex(),
        "slot": slot.hex(),
        "sealing_key": key.hex(),
        "slot_key": slot_key.hex(),
        "author_push_seed": "" if device_only else push_seed.hex(),
        "author_push_key": "" if device_only else signing_public(push_seed).hex(),
        "record": (record if isinstance(record, bytes) else encode(record)).hex(),
    }


def accept(file, name, tombstone=False, **given):
    record, slot = seal_record(**given)
    attributes, secret = given["attributes"], given["secret"]
    file.accept(
        name,
        **inputs(record, slot, **given),
        expected={
            "device_only": record[1][0] == 1,
            "epoch": record[1][1] if record[1][0] == 0 else 0,
            "class": record[1][-1],
            "author": record[2].hex(),
            "head": record[3].hex(),
            "attributes": encode(attributes).hex(),
            "secret": encode(secret).hex(),
            "item_class": attributes[1],
            "vector": [[device.hex(), counter] for device, counter in attributes[2]],
            "delete_context": [[device.hex(), counter] for device, counter in attributes[3]],
            "registers": registers_json(attributes[4]),
            "modification_time": attributes[5][0],
            "secret_in_conflict": attributes[5][1],
            "secret_registers": registers_json(secret[1]),
            "history": writes_json(secret[2]),
            "tombstone": tombstone,
        },
    )


def positives(file):
    accept(file, "a generic password of class A", **item())
    base = dict(item()["attributes"][4].pairs)
    accept(file, "class C, epoch 300", key=KEY_C, sealing=(0, 300, 3), **item(registers=base | {"pdmn": [["ck", 0, 1, TIME]]}))
    accept(file, "dk is class C in a vault", key=KEY_C, sealing=(0, 1, 3), **item(registers=base | {"pdmn": [["dk", 0, 1, TIME]]}))
    both = {"pdmn": [["ck", 0, 1, TIME], ["ak", 1, 2, TIME]]}
    accept(file, "the strictest of two open accessibilities counts", **item(registers=base | both))
    for name, writes in (
        ("no accessibility counts as ak", None),
        ("a null accessibility counts as ak", [[None, 0, 1, TIME]]),
        ("an unknown accessibility counts as ak", [["xx", 0, 1, TIME]]),
        ("an accessibility that is bytes counts as ak", [[b"ck", 0, 1, TIME]]),
        ("aku counts as ak in a vault", [["aku", 0, 1, TIME]]),
        ("akpu counts as ak in a vault", [["akpu", 0, 1, TIME]]),
        ("a null beside ck does not count", [["ck", 0, 1, TIME], [None, 1, 1, TIME]]),
        ("dku counts as ck in a vault", [["dku", 0, 1, TIME]]),
    ):
        registers = {key: value for key, value in base.items() if key != "pdmn"} | ({"pdmn": writes} if writes else {})
        lax = name.startswith(("dku", "a null beside"))
        accept(file, name, **item(registers=registers), **(dict(key=KEY_C, sealing=(0, 1, 3)) if lax else {}))
    twins = [["alice@example.org", 0, 1, TIME], [b"alice@example.org", 1, 1, TIME]]
    accept(file, "an account name as text and as bytes", **item(registers=base | {"acct": twins}))
    moved = [["mallory", 0, 1, TIME], ["alice@example.org", 1, 1, TIME]]
    accept(file, "the greatest write of the account name counts", **item(registers=base | {"acct": moved}))
    values = {
        "labl": [["Mail", 0, 2, TIME], ["Post", 1, 1, TIME], ["Mail", 0, 5, TIME + 2]],
        "cdat": [[[0, -86_400_000], 0, 1, TIME]],
        "mdat": [[[0, 2**63 - 1], 0, 1, TIME]],
        "crtr": [[-(2**63), 0, 1, TIME]],
        "type": [[2**63 - 1, 0, 1, TIME]],
        "invi": [[True, 0, 1, TIME]],
        "nega": [[False, 0, 1, TIME]],
        "cmnt": [[None, 0, 4, TIME]],
        "gena": [[b"\x00\x80\xff", 0, 1, TIME]],
        "n": [["", 0, 1, TIME]],
        "an unknown name of sixty-four bytes is kept, and it travels on..": [["\u00fcber \U0001f511", 1, 3, TIME]],
    }
    accept(file, "every kind of value, an unknown name, concurrent writes", **item(registers=base | values))
    conflict = {"v_Data": [[b"one", 0, 3, TIME + 9], [b"two", 1, 3, TIME + 9]]}
    accept(file, "a secret in conflict", **item(secrets=conflict))
    agreed = {"v_Data": [[b"one", 0, 3, TIME + 9], [b"one", 1, 3, TIME + 9]]}
    accept(file, "two open writes of one secret value are no conflict", **item(secrets=agreed))
    past = [[b"old %d" % n, 0, n, TIME + n] for n in range(1, 7)] + [[b"other", 1, n, TIME + 10 + n] for n in range(1, 4)]
    past.append([True, 0, 7, TIME + 99])
    accept(file, "ten values of history, newer than every open write",
           **item(vector=[[DEVICES[0], 9], [DEVICES[1], 3]], secrets={"v_Data": [[b"new", 0, 9, TIME + 9]]}, history=past))  # fmt: skip
    binaries = {name: [[name.encode() * 9, 0, 2, TIME]] for name in ("binn", "bini", "bin0", "bin1", "bin2", "bin3")}
    accept(file, "all secret attributes", **item(secrets=binaries | {"v_Data": [["text", 0, 2, TIME]]}))
    everything = [[DEVICES[0], 7], [DEVICES[1], 3]]
    accept(file, "a tombstone", tombstone=True, **item(deleted=everything, secrets={}))
    revived = base | {"labl": [["Mail", 0, 7, TIME + 5]]}
    accept(file, "a deletion that a later write survived", **item(deleted=[[DEVICES[0], 6]], registers=revived))
    accept(file, "128 registers", **item(registers=base | {f"x{n:03}": [[n, 0, 1, TIME]] for n in range(123)}))
    accept(file, "a secret of 5,000 bytes", **item(secrets={"v_Data": [[bytes(5000), 0, 1, TIME]]}))
    accept(file, "attributes of exactly 255 bytes", **sized(255))
    accept(file, "attributes of 256 bytes", **sized(256))
    internet = {
        "acct": [["alice", 0, 1, TIME]], "sdmn": [["realm", 0, 1, TIME]], "srvr": [["example.org", 0, 1, TIME]],
        "ptcl": [["htps", 0, 1, TIME]], "atyp": [["dflt", 0, 1, TIME]], "port": [[443, 0, 1, TIME]],
        "path": [["/login", 0, 1, TIME]], "agrp": [["g", 0, 1, TIME]], "pdmn": [["ak", 0, 1, TIME]],
    }  # fmt: skip
    accept(file, "an internet password", **item(item_class=2, registers=internet))
    sparse = {"srvr": internet["srvr"], "agrp": internet["agrp"], "pdmn": internet["pdmn"], "path": [[None, 0, 1, TIME]]}
    accept(file, "an internet password with most of its primary key absent", **item(item_class=2, registers=sparse))
    certificate = {
        "ctyp": [[3, 0, 1, TIME]], "issr": [[b"\x30\x01", 0, 1, TIME]], "slnr": [[b"\x01\x02", 0, 1, TIME]],
        "agrp": [["g", 0, 1, TIME]], "pdmn": [["ak", 0, 1, TIME]],
    }  # fmt: skip
    accept(file, "a certificate", **item(item_class=3, registers=certificate))
    key = {
        "kcls": [[1, 0, 1, TIME]], "type": [[73, 0, 1, TIME]], "bsiz": [[256, 0, 1, TIME]], "esiz": [[256, 0, 1, TIME]],
        "klbl": [[b"\xaa" * 20, 0, 1, TIME]], "atag": [[b"tag", 0, 1, TIME]], "sdat": [[[0, TIME], 0, 1, TIME]],
        "agrp": [["g", 0, 1, TIME]], "pdmn": [["ak", 0, 1, TIME]],
    }  # fmt: skip
    accept(file, "a key with a start date and no end date", **item(item_class=4, registers=key))
    for number, text in ((1, "aku"), (2, "akpu"), (3, "cku"), (4, "dku"), (1, "ak"), (3, "ck"), (4, "dk")):
        given = item(registers=base | {"pdmn": [[text, 0, 1, TIME]]})
        accept(file, f"a device-only item, {text}", key=KEY_C, sealing=(1, number), **given)


def sized(length):
    """Attributes whose encoding has exactly `length` bytes."""
    base = dict(item()["attributes"][4].pairs)
    for count in range(200):
        given = item(registers=base | {"note": [["x" * count, 0, 1, TIME]]}, vector=[[DEVICES[0], 7]])
        if len(encode(given["attributes"])) == length:
            return given
    # Without the label there is more room.
    del base["labl"]
    for count in range(200):
        given = item(registers=base | {"n": [["x" * count, 0, 1, TIME]]}, vector=[[DEVICES[0], 7]])
        if len(encode(given["attributes"])) == length:
            return given
    raise ValueError(length)


def write():
    from .record_refusals import negatives

    file = File("record")
    positives(file)
    negatives(file)
    return file
