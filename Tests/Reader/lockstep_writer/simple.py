"""cbor.json, padding.json and hashes.json: Docs/Formats.md §1 and every keyed value that is not a sealed format."""

from lockstep_reader.checkpoint import listing_digest, record_hash, set_hash
from lockstep_reader.keybag import index_key, index_tag
from lockstep_reader.notation import padded_length, padme
from lockstep_reader.pairing import fingerprint
from lockstep_reader.record import slot_of

from .base import (
    File,
    H,
    K,
    Map,
    S,
    Seeded,
    decode,
    device_id,
    encode,
    flip,
    key_commitment,
    message,
    name_commitment,
    pad,
    recovery_id,
    signing_public,
    value_json,
)

# RFC 8949 appendix A, what of it is in the subset.
APPENDIX_A = [
    ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100), ("1903e8", 1000),
    ("1a000f4240", 1000000), ("1b000000e8d4a51000", 1000000000000), ("1bffffffffffffffff", 2**64 - 1),
    ("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000),
    ("f4", False), ("f5", True), ("f6", None),
    ("40", b""), ("4401020304", b"\x01\x02\x03\x04"),
    ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", '"\\'), ("62c3bc", "\u00fc"), ("63e6b0b4", "\u6c34"),
    ("64f0908591", "\U00010151"),
    ("80", []), ("83010203", [1, 2, 3]), ("8301820203820405", [1, [2, 3], [4, 5]]),
    ("98190102030405060708090a0b0c0d0e0f101112131415161718181819", list(range(1, 26))),
    ("a0", Map([])), ("a201020304", Map([(1, 2), (3, 4)])), ("a26161016162820203", Map([("a", 1), ("b", [2, 3])])),
    ("826161a161626163", ["a", Map([("b", "c")])]),
    ("a56161614161626142616361436164614461656145", Map([(c, c.upper()) for c in "abcde"])),
]  # fmt: skip

# Appendix A, what of it is not.
APPENDIX_A_REFUSED = [
    ("c249010000000000000000", "a positive bignum", "tag"), ("c349010000000000000000", "a negative bignum", "tag"),
    ("3bffffffffffffffff", "-2^64", "integer below the range"),
    ("f90000", "half 0.0", "float"), ("f97e00", "half NaN", "float"), ("fa47c35000", "single 100000.0", "float"),
    ("fb3ff199999999999a", "double 1.1", "float"), ("f7", "undefined", "simple value"), ("f0", "simple 16", "simple value"),
    ("f8ff", "simple 255", "simple value"), ("c11a514b67b0", "an epoch time", "tag"), ("d74401020304", "tag 23", "tag"),
    ("d818456449455446", "tag 24", "tag"),
    ("5f42010243030405ff", "a byte string of indefinite length", "indefinite length"),
    ("7f657374726561646d696e67ff", "a text string of indefinite length", "indefinite length"),
    ("9fff", "an array of indefinite length", "indefinite length"),
    ("83018202039f0405ff", "an inner array of indefinite length", "indefinite length"),
    ("bf61610161629f0203ffff", "a map of indefinite length", "indefinite length"),
]  # fmt: skip

MALFORMED = [
    ("", "nothing", "ends too early"), ("18", "a head without its argument", "ends too early"),
    ("1900", "half an argument", "ends too early"), ("4101ff", "a byte after the end", "bytes after the end"),
    ("0000", "two items", "bytes after the end"), ("42ff", "a byte string cut short", "ends too early"),
    ("62c3", "a text string cut short", "ends too early"), ("8201", "an array cut short", "ends too early"),
    ("a101", "a map without its value", "ends too early"),
    ("5bffffffffffffffff", "a byte string of 2^64 - 1", "ends too early"),
    ("7b7fffffffffffffff", "a text string of 2^63 - 1", "ends too early"),
    ("9bffffffffffffffff", "an array of 2^64 - 1", "ends too early"), ("9a00ffffff00", "an array of 16 million", "ends too early"),
    ("bbffffffffffffffff", "a map of 2^64 - 1", "ends too early"), ("bb8000000000000000", "a map of 2^63", "ends too early"),
    ("1817", "23 in two bytes", "head not the shortest"), ("190018", "24 in three bytes", "head not the shortest"),
    ("1900ff", "255 in three bytes", "head not the shortest"), ("1a0000ffff", "65535 in five bytes", "head not the shortest"),
    ("1b00000000ffffffff", "2^32 - 1 in nine bytes", "head not the shortest"), ("3800", "-1 in two bytes", "head not the shortest"),
    ("580141", "a length of one in two bytes", "head not the shortest"), ("9800", "no elements in two bytes", "head not the shortest"),
    ("b800", "no pairs in two bytes", "head not the shortest"), ("780161", "a text length in two bytes", "head not the shortest"),
    ("1c", "reserved head 28", "reserved head"), ("1d", "reserved head 29", "reserved head"), ("1e", "reserved head 30", "reserved head"),
    ("5c", "reserved head 28 of a byte string", "reserved head"), ("1f", "an integer of indefinite length", "indefinite length"),
    ("ff", "a break alone", "break outside an indefinite length"), ("f800", "simple 0 in two bytes", "simple value"),
    ("f814", "false in two bytes", "simple value"), ("e0", "simple 0", "simple value"), ("f3", "simple 19", "simple value"),
    ("fc", "reserved head 28 of a simple value", "simple value"),
    ("3b8000000000000000", "-2^63 - 1", "integer below the range"),
    ("a201020102", "a key twice", "key twice"), ("a2030401020304"[:-4], "keys not sorted", "keys not sorted"),
    ("a2616201616102", "text keys not sorted", "keys not sorted"), ("a262616101616202", "a longer key first", "keys not sorted"),
    ("a220011864"+"02", "a negative key before a positive one", "keys not sorted"),
    ("61ff", "text that starts with ff", "text is not UTF-8"), ("62c328", "a broken sequence", "text is not UTF-8"),
    ("62c080", "an overlong NUL", "text is not UTF-8"), ("63e08080", "an overlong sequence of three", "text is not UTF-8"),
    ("63eda080", "a surrogate", "text is not UTF-8"), ("64f4908080", "above U+10FFFF", "text is not UTF-8"),
    ("61c3", "half a character", "text is not UTF-8"), ("6180", "a continuation alone", "text is not UTF-8"),
    ("c000", "tag 0", "tag"), ("d9d9f700", "self-described CBOR", "tag"),
]  # fmt: skip


def cbor():
    file = File("cbor")

    def accept(name, encoded, value):
        assert encode(value).hex() == encoded, (name, encoded, encode(value).hex())
        file.accept(name, encoded=encoded, value=value_json(value))

    for encoded, value in APPENDIX_A:
        accept(f"RFC 8949 appendix A: {encoded}", encoded, value)
    for value in (255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**63, -24, -25, -256, -257, -(2**32), -(2**63)):
        accept(f"integer {value}", encode(value).hex(), value)
    for length in (23, 24, 255, 256):
        accept(f"{length} bytes", encode(bytes(length)).hex(), bytes(length))
    accept("text with a NUL", "63610062", "a\x00b")
    accept("text with a byte order mark", "64efbbbf61", "\ufeffa")
    keys = [10, 100, -1, "z", "aa", [100], [-1], False]
    order = Map([(key, number) for number, key in enumerate(keys)])
    accept("RFC 8949 §4.2.1: the order of keys", encode(order).hex(), order)
    for name, encoded in (
        ("sixteen arrays, the innermost empty", "81" * 15 + "80"),
        ("seventeen arrays, the innermost empty", "81" * 16 + "80"),
        ("a number in sixteen arrays", "81" * 16 + "00"),
        ("a number in sixteen maps", "a100" * 16 + "00"),
    ):
        accept(name, encoded, decode(bytes.fromhex(encoded)))

    for encoded, name, why in APPENDIX_A_REFUSED + MALFORMED:
        file.refuse(name, f"cbor: {why}", encoded=encoded)
    for name, encoded in (
        ("a number in seventeen arrays", "81" * 17 + "00"),
        ("an array in seventeen arrays", "81" * 17 + "80"),
        ("a number in seventeen maps", "a100" * 17 + "00"),
        ("a key in seventeen maps", "a1" * 17 + "0000"),
    ):
        file.refuse(name, "cbor: nested too deep", encoded=encoded)
    file.refuse("a thousand arrays one in the other", "cbor: nested too deep", encoded="81" * 1000 + "80")
    return file


def padding():
    file = File("padding")
    seeded = Seeded("padding")
    for length in (0, 1, 31, 128, 254, 255, 256, 270, 271, 272, 500, 511, 512, 1000, 1023, 1024, 4000):
        plain = seeded.take(length)
        file.accept(f"{length} bytes", kind="pad", plain=plain.hex(), padded=pad(plain).hex())
    file.accept("ends in 0x80", kind="pad", plain="0080", padded=pad(b"\x00\x80").hex())
    file.accept("ends in zeros", kind="pad", plain="01000000", padded=pad(b"\x01\x00\x00\x00").hex())
    file.accept("0x80 and zeros", kind="pad", plain="800000", padded=pad(b"\x80\x00\x00").hex())
    for length in (256, 257, 272, 273, 511, 512, 513, 528, 529, 1025, 65_535, 65_536, 65_537, 1 << 20, (1 << 20) + 1, 16_777_215, 2**31):
        file.accept(f"Padmé of {length}", kind="padme", length=length, padded_length=padme(length))
    for length in (0, 254, 255, 256, 271, 272, 1 << 20):
        file.accept(f"{length} bytes, the length alone", kind="padded-length", length=length, padded_length=padded_length(length))

    mark, wrong = "plain: padding without its mark", "plain: padding of wrong length"

    def refuse(name, why, padded):
        file.refuse(name, why, kind="pad", padded=padded.hex())

    refuse("empty", mark, b"")
    refuse("zeros", mark, bytes(256))
    refuse("the last byte is 0x01", mark, b"x" * 255 + b"\x01")
    refuse("0x81 as the mark", mark, b"x" * 255 + b"\x81")
    refuse("the mark alone", wrong, b"\x80")
    refuse("255 bytes in all", wrong, b"x\x80" + bytes(253))
    refuse("257 bytes in all", wrong, b"x\x80" + bytes(255))
    refuse("272 bytes where 256 hold it", wrong, b"x\x80" + bytes(270))
    refuse("a power of two that Padmé gives, but not for this", wrong, b"x\x80" + bytes(510))
    refuse("no zeros where Padmé gives some", wrong, b"x" * 256 + b"\x80")
    refuse("one zero too few", wrong, b"x" * 260 + b"\x80" + bytes(10))
    return file


def hashes():
    file = File("hashes")
    seeded = Seeded("hashes")
    key, vault, slot_key, salt = (seeded.key() for _ in range(4))

    def elements(*values):
        return [value_json(value) for value in values]

    for name, context, values in (
        ("H of nothing", "lockstep/test/1", []),
        ("H of every type", "lockstep/test/1", [1, -1, b"\x00", "text", [1, [2]], Map([("k", True)]), False, None]),
        ("H of 300 bytes", "lockstep/test/1", [bytes(300)]),
    ):
        file.accept(
            name,
            kind="H",
            context=context,
            elements=elements(*values),
            encoded=message(context, *values).hex(),
            hash=H(context, *values).hex(),
        )
    for length in (16, 32, 64):
        long_key = seeded.take(length)
        file.accept(f"K with {length} bytes", kind="K", key=long_key.hex(), context="lockstep/test/1", elements=elements("purpose", vault),
                    hash=K(long_key, "lockstep/test/1", "purpose", vault).hex())  # fmt: skip
    for length in (0, 15, 65):
        file.refuse(
            f"K with {length} bytes",
            "key: wrong length",
            kind="K",
            key=seeded.take(length).hex(),
            context="lockstep/test/1",
            elements=elements("purpose", vault),
        )
    seed = seeded.key()
    signature = S(seed, "lockstep/test/1", vault, 7)
    signed = {"kind": "S", "public_key": signing_public(seed).hex(), "context": "lockstep/test/1"}
    file.accept("S", **signed, seed=seed.hex(), elements=elements(vault, 7), signature=signature.hex())
    bad = "signature: does not verify"
    file.refuse("S altered", bad, **signed, elements=elements(vault, 7), signature=flip(signature).hex())
    file.refuse("S of other elements", bad, **signed, elements=elements(vault, 8), signature=signature.hex())
    file.refuse("S of another context", bad, **signed | {"context": "lockstep/test/2"}, elements=elements(vault, 7), signature=signature.hex())
    order = 2**252 + 27742317777372353535851937790883648493
    malleable = signature[:32] + (int.from_bytes(signature[32:], "little") + order).to_bytes(32, "little")
    file.refuse("S with the group's order added", bad, **signed, elements=elements(vault, 7), signature=malleable.hex())
    identity = (1).to_bytes(32, "little")
    file.refuse(
        "S by the identity point",
        bad,
        **signed | {"public_key": identity.hex()},
        elements=elements(vault, 7),
        signature=(identity + bytes(32)).hex(),
    )
    file.refuse("S of 63 bytes", "signature: wrong length", **signed, elements=elements(vault, 7), signature=signature[:63].hex())

    slots(file, slot_key)
    for kind, epoch in (("A", 1), ("C", 1), ("A", 300), ("slot", 0), ("set-hash", 0), ("recovery", 0)):
        file.accept(f"commitment to {kind}, epoch {epoch}", kind="key-commitment", key=key.hex(), key_kind=kind, salt=salt.hex(), epoch=epoch,
                    hash=key_commitment(key, kind, salt, epoch).hex())  # fmt: skip
    device = [seeded.key() for _ in range(4)]
    id = device_id(device)
    file.accept("device id", kind="device-id", keys=[one.hex() for one in device], hash=id.hex(), fingerprint=fingerprint(id))
    file.accept("recovery id", kind="recovery-id", keys=[one.hex() for one in device[:2]], hash=recovery_id(*device[:2]).hex())
    for text in ("Alice's laptop", "", "\u00fcber"):
        file.accept(
            f"name commitment of {len(text)} characters",
            kind="name-commitment",
            salt=salt.hex(),
            text=text,
            hash=name_commitment(salt, text).hex(),
        )
    record = seeded.take(600)
    file.accept("record hash", kind="record-hash", record=record.hex(), hash=record_hash(record).hex())

    index = index_key(key)
    file.accept("index key", kind="index-key", class_key=key.hex(), hash=index.hex())
    for name, value in (
        ("acct", "alice@example.org"), ("acct", b"alice@example.org"), ("port", 443), ("cdat", [0, 1_750_000_000_000]),
        ("invi", True), ("invi", False), ("labl", ""), ("crtr", -5),
    ):  # fmt: skip
        shown = value_json(value)
        file.accept(f"index tag of {name} {shown}", kind="index-tag", index_key=index.hex(), vault=vault.hex(), item_class=1, attribute=name, value=shown,
                    tag=index_tag(index, vault, 1, name, value).hex())  # fmt: skip
    sets(file, key)
    return file


def slots(file, slot_key):
    def accept(name, item_class, **values):
        shown = {key: value_json(value) for key, value in values.items()}
        file.accept(f"slot: {name}", kind="slot", slot_key=slot_key.hex(), item_class=item_class, values=shown,
                    slot=slot_of(slot_key, item_class, values).hex())  # fmt: skip

    accept("a generic password", 1, acct="alice", svce="mail", agrp="org.example")
    accept("a generic password with bytes for text", 1, acct=b"alice", svce=b"mail", agrp="org.example")
    accept("a generic password with nothing", 1)
    accept("a generic password with empty text", 1, acct="", svce="", agrp="")
    accept("a generic password, account and service exchanged", 1, acct="mail", svce="alice", agrp="org.example")
    accept("a generic password, one value absent by null", 1, acct=None, svce="mail", agrp="org.example")
    internet = dict(acct="alice", sdmn="realm", srvr="example.org", ptcl="htps", atyp="dflt", port=443, path="/", agrp="g")
    accept("an internet password", 2, **internet)
    accept("an internet password with nothing", 2)
    for name in internet:
        accept(f"an internet password with {name} alone", 2, **{name: internet[name]})
    certificate = dict(ctyp=3, issr=b"\x30\x01", slnr=b"\x01\x02", agrp="g")
    accept("a certificate", 3, **certificate)
    accept("a certificate with nothing", 3)
    key = dict(kcls=1, type=73, crtr=5, bsiz=256, esiz=255, klbl=b"\xaa" * 20, atag=b"tag", sdat=[0, 1_000], edat=[0, 2_000], agrp="g")
    accept("a key", 4, **key)
    accept("a key with nothing", 4)
    for name in key:
        accept(f"a key with {name} alone", 4, **{name: key[name]})


def sets(file, key):
    seeded = Seeded("sets")
    records = [(seeded.key(), seeded.key()) for _ in range(5)]

    def accept(name, chosen):
        shown = [[slot.hex(), hash.hex()] for slot, hash in chosen]
        file.accept(f"set hash: {name}", kind="set-hash", set_hash_key=key.hex(), records=shown, hash=set_hash(key, chosen).hex())

    accept("of nothing", [])
    accept("of one record", records[:1])
    accept("of five records", records)
    accept("of five records in another order", records[::-1])

    def digest(name, chosen):
        shown = [[slot.hex(), sequence] for slot, sequence in chosen]
        file.accept(f"listing digest: {name}", kind="listing", slots=shown, digest=listing_digest(chosen).hex())

    numbered = [(slot, number * 1000 + 1) for number, (slot, _) in enumerate(records)]
    digest("of nothing", [])
    digest("of one slot", numbered[:1])
    digest("of five slots", numbered)
    digest("of five slots in another order", numbered[::-1])
