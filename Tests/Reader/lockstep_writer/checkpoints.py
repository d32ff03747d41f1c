"""checkpoint.json: the sealed and signed formats of Docs/Formats.md §7."""

from .base import E, File, H, K, S, Seeded, encode, flip, pad, signing_public

seeded = Seeded("checkpoint")
VAULT, C_KEY, PUSH_SEED, AUTHOR, HEAD, SET_HASH = (seeded.key() for _ in range(6))
DEVICES = sorted(seeded.key() for _ in range(3))
SLOTS = sorted(seeded.key() for _ in range(2))
INCARNATION = seeded.take(16)
NONCE = seeded.nonce()


def contents(**changed):
    value = {
        "version": 1, "number": 17, "incarnation": INCARNATION, "sequence": 9001, "set_hash": SET_HASH,
        "quarantined": SLOTS, "clean": False, "own_counter": 77, "floor": [[DEVICES[0], 4], [DEVICES[1], 1]],
        "greatest_purged": 8000, "head": HEAD, "chain_number": 12,
    }  # fmt: skip
    return list((value | changed).values())


def checkpoint(
    inner, version=1, author=AUTHOR, epoch=3, c_key=C_KEY, vault=VAULT, push_seed=PUSH_SEED, padded=None,
    sealed_epoch=None, sealed_vault=None, key_author=None, ciphertext=None,
):  # fmt: skip
    plain = padded or pad(inner if isinstance(inner, bytes) else encode(inner))
    key = K(c_key, "lockstep/checkpoint/1", key_author or author)
    ciphertext = ciphertext or E(key, NONCE, plain, "lockstep/checkpoint/1", sealed_vault or vault, author, sealed_epoch or epoch)
    body = H("lockstep/checkpoint-body/1", ciphertext)
    signature = S(push_seed, "lockstep/checkpoint-signature/1", vault, author, epoch, NONCE, body)
    return [version, author, epoch, NONCE, ciphertext, signature]


def purge(slot=SLOTS[0], sequence=55, hash=SET_HASH, incarnation=INCARNATION, head=HEAD, author=AUTHOR, version=1,
          push_seed=PUSH_SEED, vault=VAULT):  # fmt: skip
    signature = S(push_seed, "lockstep/purge/1", vault, slot, sequence, hash, incarnation, head)
    return [version, slot, sequence, hash, incarnation, head, author, signature]


KEYS = {"vault": VAULT.hex(), "author_push_seed": PUSH_SEED.hex(), "author_push_key": signing_public(PUSH_SEED).hex()}


def shown(value):
    return (value if isinstance(value, bytes) else encode(value)).hex()


def write():
    file = File("checkpoint")
    checkpoints(file)
    purges(file)
    return file


def checkpoints(file):
    def accept(name, epoch=3, **changed):
        inner = contents(**changed)
        file.accept(
            f"checkpoint: {name}", kind="checkpoint", **KEYS, c_key=C_KEY.hex(), checkpoint=shown(checkpoint(inner, epoch=epoch)),
            expected={
                "author": AUTHOR.hex(), "epoch": epoch, "number": inner[1], "incarnation": inner[2].hex(),
                "sequence": inner[3], "set_hash": inner[4].hex(), "quarantined": [slot.hex() for slot in inner[5]],
                "clean": inner[6], "own_counter": inner[7], "floor": [[id.hex(), counter] for id, counter in inner[8]],
                "greatest_purged": inner[9], "head": inner[10].hex(), "chain_number": inner[11], "contents": encode(inner).hex(),
            },
        )  # fmt: skip

    accept("with everything")
    accept("clean, nothing quarantined, no floor", clean=True, quarantined=[], floor=[])
    accept("zeros", epoch=1, number=0, sequence=0, own_counter=0, greatest_purged=0, chain_number=0)
    accept("100 quarantined slots", quarantined=sorted(hundred()))

    def refuse(name, why, value, **changed):
        file.refuse(f"checkpoint: {name}", why, kind="checkpoint", **KEYS | {"c_key": C_KEY.hex()} | changed, checkpoint=shown(value))

    other = Seeded("checkpoint/other")
    good = checkpoint(contents())

    def replaced(at, value):
        return good[:at] + [value] + good[at + 1 :]

    refuse("empty", "cbor: ends too early", b"")
    refuse("a byte after the end", "checkpoint: bytes after the end", encode(good) + b"\x00")
    refuse("five elements", "checkpoint: wrong number of elements", good[:5])
    refuse("seven elements", "checkpoint: wrong number of elements", good + [0])
    refuse("version 2", "checkpoint version: unknown", checkpoint(contents(), version=2))
    refuse("an author of 31 bytes", "author: wrong length", checkpoint(contents(), author=AUTHOR[:31]))
    refuse("epoch 0", "epoch: out of range", checkpoint(contents(), epoch=0))
    refuse("a nonce of 23 bytes", "nonce: wrong length", replaced(3, NONCE[:23]))
    refuse("a signature of 63 bytes", "signature: wrong length", replaced(5, good[5][:63]))
    refuse("unsigned", "signature: wrong length", replaced(5, b""))
    bad = "signature: does not verify"
    refuse("signed by another device", bad, checkpoint(contents(), push_seed=other.key()))
    for at, name, value in (
        (1, "author", flip(AUTHOR)), (2, "epoch", 4), (3, "nonce", flip(NONCE)),
        (4, "ciphertext", flip(good[4])), (5, "signature", flip(good[5])),
    ):  # fmt: skip
        refuse(f"altered after signing: the {name}", bad, replaced(at, value))
    refuse("of another vault", bad, good, vault=other.key().hex())
    shut = "checkpoint: does not open"
    refuse("another C key", shut, good, c_key=other.key().hex())
    refuse("sealed for another epoch", shut, checkpoint(contents(), sealed_epoch=2))
    refuse("sealed for another vault", shut, checkpoint(contents(), sealed_vault=other.key()))
    refuse("sealed under another author's key", shut, checkpoint(contents(), key_author=DEVICES[0]))
    refuse("altered before signing", shut, checkpoint(contents(), ciphertext=flip(good[4], 77)))
    refuse("shorter than a tag", "checkpoint: shorter than its tag", checkpoint(contents(), ciphertext=b"short"))
    plain = encode(contents())
    refuse(
        "padding without its mark",
        "checkpoint: padding without its mark",
        checkpoint(b"", padded=plain + bytes(len(pad(plain)) - len(plain))),
    )
    refuse("padding too long", "checkpoint: padding of wrong length", checkpoint(b"", padded=pad(plain) + bytes(1024)))

    def inner(name, why, value=None, **changed):
        refuse(f"contents: {name}", why, checkpoint(contents(**changed) if value is None else value))

    full = contents()
    inner("a byte after the end", "contents: bytes after the end", plain + b"\x00")
    inner("eleven elements", "contents: wrong number of elements", full[:11])
    inner("thirteen elements", "contents: wrong number of elements", full + [0])
    inner("version 2", "contents version: unknown", version=2)
    inner("a negative number", "number: out of range", number=-1)
    inner("an incarnation of 15 bytes", "incarnation: wrong length", incarnation=bytes(15))
    inner("a negative sequence", "sequence: out of range", sequence=-1)
    inner("a set hash of 31 bytes", "set hash: wrong length", set_hash=bytes(31))
    inner("a slot of 31 bytes", "quarantined slot: wrong length", quarantined=[bytes(31)])
    inner("the slots not in order", "quarantined slot: not in ascending order", quarantined=SLOTS[::-1])
    inner("a slot twice", "quarantined slot: twice", quarantined=SLOTS[:1] * 2)
    inner("the slots are one byte string", "quarantined slots: not an array", quarantined=bytes(32))
    inner("clean is 1", "clean: not a boolean", clean=1)
    inner("own counter is text", "own counter: not an integer", own_counter="1")
    inner("the floor unsorted", "floor device: not in ascending order", floor=[[DEVICES[1], 1], [DEVICES[0], 4]])
    inner("a device twice in the floor", "floor device: twice", floor=[[DEVICES[0], 1], [DEVICES[0], 4]])
    inner("counter 0 in the floor", "floor counter: out of range", floor=[[DEVICES[0], 0]])
    inner("a head of 31 bytes", "head: wrong length", head=bytes(31))
    inner("no chain number", "chain number: not an integer", chain_number=None)


def hundred():
    source = Seeded("a hundred slots")
    return [source.key() for _ in range(100)]


def purges(file):
    def accept(name, **changed):
        value = purge(**changed)
        names = ("slot", "sequence", "record_hash", "incarnation", "head", "author")
        expected = {name: one.hex() if isinstance(one, bytes) else one for name, one in zip(names, value[1:7])}
        file.accept(f"purge: {name}", kind="purge", **KEYS, purge=shown(value), expected=expected)

    accept("of one record")
    accept("at sequence 0", sequence=0)

    def refuse(name, why, value, **changed):
        file.refuse(f"purge: {name}", why, kind="purge", **KEYS | changed, purge=shown(value))

    good = purge()
    refuse("empty", "cbor: ends too early", b"")
    refuse("a byte after the end", "purge: bytes after the end", encode(good) + b"\x00")
    refuse("seven elements", "purge: wrong number of elements", good[:7])
    refuse("nine elements", "purge: wrong number of elements", good + [0])
    refuse("version 2", "purge version: unknown", purge(version=2))
    refuse("a slot of 31 bytes", "slot: wrong length", purge(slot=SLOTS[0][:31]))
    refuse("a negative sequence", "sequence: out of range", purge(sequence=-1))
    refuse("a record hash of 31 bytes", "record hash: wrong length", purge(hash=SET_HASH[:31]))
    refuse("an incarnation of 32 bytes", "incarnation: wrong length", purge(incarnation=SET_HASH))
    refuse("a head of 31 bytes", "head: wrong length", purge(head=HEAD[:31]))
    refuse("an author of 31 bytes", "author: wrong length", purge(author=AUTHOR[:31]))
    refuse("unsigned", "signature: wrong length", good[:7] + [b""])
    bad = "signature: does not verify"
    refuse("signed by another device", bad, purge(push_seed=Seeded("purge/other").key()))
    refuse("of another vault", bad, good, vault=flip(VAULT).hex())
    changes = (flip(SLOTS[0]), 56, flip(SET_HASH), flip(INCARNATION), flip(HEAD))
    for at, (name, value) in enumerate(zip(("slot", "sequence", "record hash", "incarnation", "head"), changes), 1):
        refuse(f"altered after signing: the {name}", bad, good[:at] + [value] + good[at + 1 :])
    refuse("altered after signing: the signature", bad, good[:7] + [flip(good[7], 63, 0x10)])
