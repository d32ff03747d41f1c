"""The negative half of record.json: one thing wrong in each."""

from .base import Map, Seeded, encode, flip, pad, raw_array
from .records import AUTHOR, DEVICES, HEAD, KEY_C, NONCE, SLOT_KEY, TIME, VAULT, inputs, item, seal_record


def negatives(file):
    def refuse(name, why, stage, record=None, slot=None, **given):
        """A record that is wrong in one place: `record` if given, else what `given` seals to."""
        shown = {k: v for k, v in given.items() if k in ("vault", "key", "slot_key", "push_seed", "sealing")}
        if record is None:
            record, slot = seal_record(slot=slot, **given)
        file.refuse(name, why, stage=stage, **inputs(record, slot, **shown))

    good, slot = seal_record(**item())
    raw = encode(good)
    device, device_slot = seal_record(key=KEY_C, sealing=(1, 1), **item())
    form(refuse, good, slot, raw, device, device_slot)
    sealing(refuse, good, slot, device, device_slot)
    plaintexts(refuse, slot)
    places(refuse)


def form(refuse, good, slot, raw, device, device_slot):
    def broken(name, why, record):
        refuse(name, why, "form", record, slot)

    def replaced(at, value):
        return good[:at] + [value] + good[at + 1 :]

    broken("empty", "cbor: ends too early", b"")
    broken("a byte after the end", "record: bytes after the end", raw + b"\x00")
    broken("a byte is missing at the end", "cbor: ends too early", raw[:-1])
    broken("a map", "record: not an array", b"\xa0")
    broken("eight elements", "record: wrong number of elements", good[:8])
    broken("ten elements", "record: wrong number of elements", good + [b""])
    long_head = raw_array([b"\x18\x01"] + [encode(element) for element in good[1:]])
    broken("a head that is not the shortest", "cbor: head not the shortest", long_head)
    broken("an array of indefinite length", "cbor: indefinite length", b"\x9f" + raw[1:] + b"\xff")
    broken("version 0", "record version: unknown", replaced(0, 0))
    refuse("version 2, well made", "record version: unknown", "form", version=2, **item())
    broken("version as text", "record version: not an integer", replaced(0, "1"))
    refuse("epoch 0", "sealing key epoch: out of range", "form", sealing=(0, 0, 1), **item())
    refuse("class P under a vault's key", "sealing key class: out of range", "form", sealing=(0, 1, 2), **item())
    refuse("class D under a vault's key", "sealing key class: out of range", "form", sealing=(0, 1, 4), **item())
    refuse("class 0 under a device key", "sealing key class: out of range", "form", sealing=(1, 0), **item())
    refuse("class 5 under a device key", "sealing key class: out of range", "form", sealing=(1, 5), **item())
    refuse("a sealing key of kind 2", "sealing key kind: out of range", "form", sealing=(2, 1, 1), **item())
    refuse("a vault's sealing key with four elements", "sealing key: wrong number of elements", "form", sealing=(0, 1, 1, 1), **item())
    refuse("a device sealing key with three elements", "sealing key: wrong number of elements", "form", sealing=(1, 1, 1), **item())
    broken("the sealing key is a number", "sealing key: not an array", replaced(1, 1))
    refuse("the author has 31 bytes", "author: wrong length", "form", author=AUTHOR[:31], **item())
    refuse("no author under a vault's key", "author: wrong length", "form", author=b"", **item())
    refuse("no head under a vault's key", "head: wrong length", "form", head=b"", **item())
    refuse("the head has 33 bytes", "head: wrong length", "form", head=HEAD + b"\x00", **item())
    broken("the nonce has 23 bytes", "nonce: wrong length", replaced(4, NONCE[:23]))
    broken("the commitment has 31 bytes", "commitment: wrong length", replaced(5, good[5][:31]))
    broken("the attributes part is text", "attributes part: not a byte string", replaced(6, "x" * 272))
    broken("the attributes part is empty", "attributes part: wrong length", replaced(6, b""))
    broken("the secret part is empty", "secret part: wrong length", replaced(7, b""))
    short = seal_record(attributes_padded=encode(item()["attributes"]) + b"\x80", **item())[0]
    broken("the attributes part is shorter than any padded one", "attributes part: wrong length", replaced(6, short[6]))
    broken("no signature under a vault's key", "signature: wrong length", replaced(8, b""))
    broken("the signature has 63 bytes", "signature: wrong length", replaced(8, good[8][:63]))

    def of_device(name, why, at, value):
        refuse(name, why, "form", device[:at] + [value] + device[at + 1 :], device_slot, key=KEY_C, sealing=(1, 1))

    of_device("an author under a device key", "author: wrong length", 2, AUTHOR)
    of_device("a head under a device key", "head: wrong length", 3, HEAD)
    of_device("a signature under a device key", "signature: wrong length", 8, good[8])


def sealing(refuse, good, slot, device, device_slot):
    other = Seeded("record/other")

    def altered(name, at, value):
        refuse(f"altered after signing: {name}", "signature: does not verify", "signature", good[:at] + [value] + good[at + 1 :], slot)

    altered("the epoch", 1, [0, 2, 1])
    altered("the class", 1, [0, 1, 3])
    altered("the author", 2, flip(AUTHOR))
    altered("the head", 3, flip(HEAD, 31))
    altered("the nonce", 4, flip(NONCE, 12))
    altered("the commitment", 5, flip(good[5], 31, 0x80))
    altered("a bit of the attributes part", 6, flip(good[6], 100))
    altered("a bit of the secret part", 7, flip(good[7], -1))
    altered("a bit of the signature", 8, flip(good[8], 40))
    refuse("signed by another device", "signature: does not verify", "signature",
           seal_record(push_seed=other.key(), **item())[0], slot)  # fmt: skip
    refuse("moved to another slot", "signature: does not verify", "signature", good, flip(slot))
    refuse("moved to another vault", "signature: does not verify", "signature", good, slot, vault=flip(VAULT))
    refuse("wrong commitment, the rest well made", "commitment: does not match", "commitment", commitment=other.key(), **item())
    refuse("another sealing key", "commitment: does not match", "commitment", good, slot, key=other.key())
    refuse("sealed for another slot, signed for this one", "commitment: does not match", "commitment", sealed_slot=other.key(), **item())
    refuse("sealed for another vault, signed for this one", "commitment: does not match", "commitment", sealed_vault=other.key(), **item())

    first = "attributes part: does not open"
    second = "secret part: does not open"
    refuse("attributes part altered before signing", first, "attributes part", change_parts=lambda a, s: (flip(a, 9), s), **item())
    refuse("secret part altered before signing", second, "secret part", change_parts=lambda a, s: (a, flip(s, 9)), **item())
    refuse("the two parts exchanged", first, "attributes part", change_parts=lambda a, s: (s, a), **item())
    refuse("sealed under another header", first, "attributes part",
           header_in_parts=encode([1, [0, 2, 1], AUTHOR, HEAD, NONCE, good[5]]), **item())  # fmt: skip
    refuse("the secret part belongs to other attributes", second, "secret part", bound_attributes=flip(good[6]), **item())
    newer, _ = seal_record(**item(secrets={"v_Data": [[b"newer", 0, 4, TIME + 9]]}, nonce=other.nonce()))
    refuse("the secret part of another version of the item", second, "secret part", secret_part=newer[7], **item())
    refuse("the attributes part of another version of the item", first, "attributes part", attributes_part=newer[6], **item())

    def of_device(name, why, stage, record=device, slot=device_slot, **given):
        refuse(name, why, stage, record, slot, **{"key": KEY_C, "sealing": (1, 1)} | given)

    of_device("device-only: moved to another slot", "commitment: does not match", "commitment", slot=flip(device_slot))
    of_device("device-only: moved to another vault", "commitment: does not match", "commitment", vault=flip(VAULT))
    of_device("device-only: another sealing key", "commitment: does not match", "commitment", key=other.key())
    of_device("device-only: the class altered", first, "attributes part", [1, [1, 3]] + device[2:])
    of_device("device-only: the commitment altered", "commitment: does not match", "commitment", device[:5] + [flip(device[5])] + device[6:])
    of_device("device-only: the nonce altered", "commitment: does not match", "commitment", device[:4] + [flip(NONCE)] + device[5:])
    of_device("device-only: the attributes part altered", first, "attributes part", device[:6] + [flip(device[6], 3)] + device[7:])
    of_device("device-only: the secret part altered", second, "secret part", device[:7] + [flip(device[7], 3)] + device[8:])

    for part in ("attributes", "secret"):
        # An empty history would end the secret in 0x80, which is the mark.
        given = item(history=[[b"old", 0, 1, TIME + 1]])
        plain = encode(given[part])
        padded = pad(plain)
        mark = f"{part} part: padding without its mark"
        length = f"{part} part: padding of wrong length"
        for name, why, wrong in (
            ("without its mark", mark, plain + bytes(len(padded) - len(plain))),
            ("a byte after the mark is not zero", mark, padded[:-1] + b"\x01"),
            ("no length that Padmé gives", length, b"\x55" * 300 + b"\x80" + bytes(4)),
            ("nothing but zeros", mark, bytes(256)),
            ("longer than Padmé gives", length, plain + b"\x80" + bytes(2 * len(padded) - len(plain) - 1)),
        ):
            refuse(f"padding of the {part}: {name}", why, f"{part} part", **given, **{f"{part}_padded": wrong})


def plaintexts(refuse, slot):
    def attributes(name, why, value=None, **given):
        made = item(**given)
        if value is not None:
            made["attributes"] = value
        refuse(name, why, "attributes", slot=slot, **made)

    good = item()["attributes"]
    base = dict(good[4].pairs)

    def replaced(at, value):
        return good[:at] + [value] + good[at + 1 :]

    attributes("attributes: a byte after the end", "attributes: bytes after the end", encode(good) + b"\x00")
    attributes("attributes: not an array", "attributes: not an array", b"\xa0")
    attributes("attributes: five elements", "attributes: wrong number of elements", good[:5])
    attributes("attributes: seven elements", "attributes: wrong number of elements", good + [0])
    attributes("attributes: version 2", "attributes version: unknown", replaced(0, 2))
    attributes("item class 0", "item class: out of range", replaced(1, 0))
    attributes("item class 5", "item class: out of range", replaced(1, 5))
    attributes("the vector is a map", "vector: not an array", replaced(2, Map([])))
    attributes("a vector pair of three", "vector pair: wrong number of elements", replaced(2, [[DEVICES[0], 7, 0], [DEVICES[1], 3]]))
    attributes("a device id of 31 bytes in the vector", "vector device id: wrong length", replaced(2, [[DEVICES[0][:31], 7], [DEVICES[1], 3]]))
    attributes("the vector unsorted", "vector device: not in ascending order",
               vector=[[DEVICES[1], 7], [DEVICES[0], 7]])  # fmt: skip
    attributes("a device twice in the vector", "vector device: twice", vector=[[DEVICES[0], 7], [DEVICES[0], 7]])
    attributes("counter 0 in the vector", "vector counter: out of range", vector=[[DEVICES[0], 7], [DEVICES[1], 0]])
    attributes("a negative counter in the vector", "vector counter: out of range", vector=[[DEVICES[0], 7], [DEVICES[1], -1]])
    above = "delete context: above the vector"
    attributes("the delete context above the vector", above, deleted=[[DEVICES[0], 8]])
    attributes("the delete context names a device that the vector does not", above, deleted=[[DEVICES[2], 1]])
    attributes("the delete context unsorted", "delete context device: not in ascending order", deleted=[[DEVICES[1], 1], [DEVICES[0], 1]])
    attributes("the delete context with counter 0", "delete context counter: out of range", deleted=[[DEVICES[0], 0]])
    attributes("the registers are an array", "registers: not a map", replaced(4, []))
    attributes("129 registers", "registers: too many", registers=base | {f"x{n:03}": [[n, 0, 1, TIME]] for n in range(124)})
    attributes("an empty attribute name", "attribute name: wrong length", registers=base | {"": [["x", 0, 1, TIME]]})
    attributes("an attribute name of 65 bytes", "attribute name: wrong length", registers=base | {"n" * 65: [["x", 0, 1, TIME]]})
    attributes("an attribute name that is bytes", "attribute name: not text", registers=base | {b"labl": [["x", 0, 1, TIME]]})
    for name in ("v_Data", "binn", "bini", "bin0", "bin1", "bin2", "bin3"):
        attributes(f"{name} among the attributes", "registers: secret attribute", registers=base | {name: [[b"x", 0, 1, TIME]]})
    encoded = [encode(element) for element in good]
    pairs = sorted((encode(name), encode(writes)) for name, writes in base.items())
    backwards = bytes([0xA0 | len(pairs)]) + b"".join(k + v for k, v in reversed(pairs))
    attributes("the registers unsorted", "cbor: keys not sorted", raw_array(encoded[:4] + [backwards] + encoded[5:]))
    doubled = bytes([0xA1 + len(pairs)]) + b"".join(k + v for k, v in pairs[:1] + pairs)
    attributes("a register twice", "cbor: key twice", raw_array(encoded[:4] + [doubled] + encoded[5:]))

    def label(name, why, writes):
        attributes(name, why, registers=base | {"labl": writes}, summary=[TIME, False])

    label("a register without a write", "register: without a write", [])
    label("the writes are a map", "register: not an array", Map([]))
    label("a write of three", "write: wrong number of elements", [["x", 0, 1]])
    label("a write of five", "write: wrong number of elements", [["x", 0, 1, TIME, 0]])
    label("an index out of range", "write index: not in the vector", [["x", 2, 1, TIME]])
    label("a negative index", "write index: out of range", [["x", -1, 1, TIME]])
    label("a counter above the vector", "write counter: above the vector", [["x", 1, 4, TIME]])
    label("counter 0 in a write", "write counter: out of range", [["x", 0, 0, TIME]])
    label("a negative time", "write time: out of range", [["x", 0, 1, -1]])
    label("a time as text", "write time: not an integer", [["x", 0, 1, "now"]])
    order = "register: writes: not in ascending order"
    label("writes not in order of time", order, [["x", 0, 1, TIME], ["y", 0, 2, TIME - 1]])
    label("writes not in order of device", order, [["x", 1, 1, TIME], ["y", 0, 2, TIME]])
    label("writes not in order of counter", order, [["x", 0, 2, TIME], ["y", 0, 1, TIME]])
    label("a dot twice", "register: dot twice", [["x", 0, 1, TIME - 1], ["y", 0, 1, TIME]])
    label("a write twice", "register: dot twice", [["x", 0, 1, TIME], ["x", 0, 1, TIME]])
    label("a value that is an array", "date mark: out of range", [[[1, 5], 0, 1, TIME]])
    label("a date of one", "date: wrong number of elements", [[[0], 0, 1, TIME]])
    label("a date as text", "date: not an integer", [[[0, "x"], 0, 1, TIME]])
    label("a value that is a map", "value: wrong type", [[Map([]), 0, 1, TIME]])
    attributes("the summary has one element", "summary: wrong number of elements", replaced(5, [TIME + 9]))
    attributes("the summary is a number", "summary: not an array", replaced(5, TIME + 9))
    attributes("the conflict mark is 0", "secret in conflict: not a boolean", replaced(5, [TIME + 9, 0]))

    def secret(name, why, value=None, **given):
        made = item(**given)
        if value is not None:
            made["secret"] = value
        refuse(name, why, "secret", slot=slot, **made)

    good = item()["secret"]
    one = [[b"x", 0, 3, TIME + 9]]
    secret("secret: a byte after the end", "secret: bytes after the end", encode(good) + b"\x00")
    secret("secret: two elements", "secret: wrong number of elements", good[:2])
    secret("secret: four elements", "secret: wrong number of elements", good + [0])
    secret("secret: version 2", "secret version: unknown", [2] + good[1:])
    secret("an attribute among the secrets", "registers: not a secret attribute", secrets={"v_Data": one, "labl": one})
    secret("an unknown name among the secrets", "registers: not a secret attribute", secrets={"v_Data": one, "bin4": one})
    secret("secret: an index out of range", "write index: not in the vector", secrets={"v_Data": [[b"x", 2, 1, TIME + 9]]})
    secret("secret: a counter above the vector", "write counter: above the vector", secrets={"v_Data": [[b"x", 0, 8, TIME + 9]]})
    secret("secret: a dot twice", "register: dot twice",
           secrets={"v_Data": [[b"x", 0, 3, TIME], [b"x", 0, 3, TIME + 9]]})  # fmt: skip
    secret("the history is a map", "history: not an array", [1, good[1], Map([])])
    eleven = [[b"x", 0, 1 + n % 7, TIME + n] for n in range(7)] + [[b"x", 1, n, TIME + 9 + n] for n in range(1, 4)]
    secret("eleven values of history", "history: too many", vector=[[DEVICES[0], 8], [DEVICES[1], 3]],
           history=[[b"x", 0, 8, TIME - 1]] + eleven)  # fmt: skip
    secret("history: null", "history: null", history=[[None, 0, 1, TIME]])
    twice = {"v_Data": [[b"one", 0, 3, TIME + 9]]}
    secret("history: a write that is still open", "history: a write that is still open", secrets=twice, history=twice["v_Data"])
    secret("the history not in order", "history: writes: not in ascending order",
           history=[[b"x", 0, 2, TIME + 1], [b"y", 0, 1, TIME]])  # fmt: skip
    secret("history: an index out of range", "write index: not in the vector", history=[[b"x", 9, 1, TIME]])
    secret("history: a counter above the vector", "write counter: above the vector", history=[[b"x", 0, 9, TIME]])
    secret("history: a dot twice", "history: dot twice", history=[[b"x", 0, 1, TIME], [b"y", 0, 1, TIME + 1]])
    secret("a modification time that no write has", "modification time: does not match", summary=[TIME + 10, False])
    secret("a modification time older than the newest write", "modification time: does not match", summary=[TIME + 5, False])
    past = [[b"x", 0, 4, TIME + 50]]
    secret("a modification time taken from the history", "modification time: does not match", history=past, summary=[TIME + 50, False])
    secret("a conflict that is not there", "secret in conflict: does not match", summary=[TIME + 9, True])
    two = {"v_Data": [[b"one", 0, 3, TIME + 9], [b"two", 1, 3, TIME + 9]]}
    secret("a conflict kept quiet", "secret in conflict: does not match", secrets=two, summary=[TIME + 9, False])


def places(refuse):
    base = dict(item()["attributes"][4].pairs)

    def place(name, why, registers, **given):
        refuse(name, why, "place", **item(registers=registers), **given)

    good_slot = seal_record(**item())[1]
    slot = "slot: does not match"
    place("sealed and signed for a slot that is not its primary key's", slot, base | {"acct": [["mallory", 0, 1, TIME]]}, slot=good_slot)
    refuse("the class of the item is not the slot's", slot, "place", slot=good_slot, **item(item_class=3))
    two = base | {"acct": [["alice@example.org", 0, 1, TIME], ["mallory", 0, 2, TIME]]}
    place("two account names", slot, two, slot=good_slot)
    refuse("another slot key", slot, "place", slot=good_slot, slot_key=flip(SLOT_KEY), **item())
    wrong = "class: does not match the accessibility"
    place("ck under the A key", wrong, base | {"pdmn": [["ck", 0, 1, TIME]]})
    place("ak under the C key", wrong, base, key=KEY_C, sealing=(0, 1, 3))
    mixed = base | {"pdmn": [["ck", 0, 1, TIME], ["ak", 0, 2, TIME]]}
    place("an open ak under the C key", wrong, mixed, key=KEY_C, sealing=(0, 1, 3))
    place("device-only: cku under class A", wrong, base | {"pdmn": [["cku", 0, 1, TIME]]}, key=KEY_C, sealing=(1, 1))
    place("device-only: akpu under class A", wrong, base | {"pdmn": [["akpu", 0, 1, TIME]]}, key=KEY_C, sealing=(1, 1))
    for name, writes in (
        ("aku in a vault", [["aku", 0, 1, TIME]]),
        ("akpu in a vault", [["akpu", 0, 1, TIME]]),
        ("an unknown accessibility", [["xx", 0, 1, TIME]]),
        ("an accessibility that is bytes", [[b"ck", 0, 1, TIME]]),
    ):
        place(f"{name}, under the C key", wrong, base | {"pdmn": writes}, key=KEY_C, sealing=(0, 1, 3))
    without = {name: writes for name, writes in base.items() if name != "pdmn"}
    place("no accessibility, under the C key", wrong, without, key=KEY_C, sealing=(0, 1, 3))
    place("dku under the A key", wrong, base | {"pdmn": [["dku", 0, 1, TIME]]})
