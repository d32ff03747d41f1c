"""The negative half of chain.json: the last entry has one thing wrong."""

from .base import H, encode, flip
from .chains import (
    MAILBOX,
    alice,
    base,
    bob,
    bob2,
    carol,
    dave,
    erin,
    frank,
    left,
    mallory,
    many_recovery_keys,
    one_admin,
    paper,
    safe,
    third,
)
from .people import ADD, ADMIN, GENESIS, LEAVE, READER, RECOVER, REPLACE, RESEAL, REVOKE, ROLE, WRITER, ZERO, Chain, Device, RecoveryKey


def negatives(file):
    genesis(file)
    chain = base()

    def refuse(name, why, content, signatures, after="base", version=1):
        entry = encode([version, content, signatures])
        file.refuse(name, why, after=after, entry=entry.hex())

    def raw(name, why, entry):
        file.refuse(name, why, after="base", entry=entry.hex())

    def signed(name, why, typed_body, *signers, author=None, chain=chain, after="base"):
        """Signers are devices and recovery keys, or a join signature as it is. The author is the first of them."""
        first = signers[0] if signers else author
        author = author or (first[1] if isinstance(first, list) else first)
        content = chain.content(*typed_body, author)
        refuse(name, why, content, [one if isinstance(one, list) else one.sign(content) for one in signers], after)

    envelopes(refuse, raw, chain)
    contents(refuse, chain)
    signers(signed, chain)
    bodies(signed, chain)
    standing(signed, chain)


def genesis(file):
    good = Chain("refused genesis")
    body = good.genesis_body(alice, [paper])

    def refuse(name, why, body=body, signers=(alice, paper), chain=good, **changed):
        content = chain.content(GENESIS, body, changed.pop("author", signers[0]), **changed)
        entry = encode([1, content, [signer.sign(content) for signer in signers]])
        file.refuse(f"genesis: {name}", why, after="", entry=entry.hex())

    def replaced(at, value):
        return body[:at] + [value] + body[at + 1 :]

    refuse("with a vault id", "vault id: wrong length", vault=good.salt)
    refuse("with a previous", "previous: wrong length", previous=good.salt)
    refuse("with number 1", "number: not the previous and one", number=1)
    refuse("not signed by the recovery key", "signatures: one is missing", signers=(alice,))
    refuse("not signed by the device", "signatures: not the signer that the entry needs", signers=(paper,))
    refuse("signed by another device", "signatures: not the signer that the entry needs", signers=(bob, paper))
    refuse("signed by another recovery key", "signatures: not the signer that the entry needs", signers=(alice, safe))
    refuse("signatures in the wrong order", "signatures: not the signer that the entry needs", signers=(paper, alice))
    refuse("signed by one more", "signatures: one too many", signers=(alice, paper, safe))
    refuse("signed twice by the device", "signatures: one too many", signers=(alice, paper, alice))
    refuse("four elements", "body: wrong number of elements", body[:4])
    refuse("six elements", "body: wrong number of elements", body + [0])
    refuse("a device of three keys", "device: wrong number of elements", replaced(0, alice.keys[:3]))
    refuse("a key of 31 bytes", "push-signing key: wrong length", replaced(0, alice.keys[:2] + [alice.keys[2][:31], alice.keys[3]]))
    refuse("a name of epoch 2", "name epoch: out of range", replaced(1, [body[1][0], 2, *body[1][2:]]))
    refuse("a name of epoch 0", "name epoch: out of range", replaced(1, [body[1][0], 0, *body[1][2:]]))
    refuse("a name of three", "name: wrong number of elements", replaced(1, body[1][:3]))
    refuse("a name commitment of 31 bytes", "name commitment: wrong length", replaced(1, [body[1][0][:31], *body[1][1:]]))
    refuse("a name nonce of 12 bytes", "name nonce: wrong length", replaced(1, body[1][:2] + [body[1][2][:12], body[1][3]]))
    refuse("a salt of 16 bytes", "salt: wrong length", replaced(2, good.salt[:16]))
    refuse("three commitments", "commitments: wrong number of elements", replaced(3, body[3][:3]))
    refuse("a commitment of 16 bytes", "key commitment: wrong length", replaced(3, body[3][:3] + [body[3][3][:16]]))
    refuse("a recovery key of four", "recovery: wrong number of elements", replaced(4, [body[4][0][:4]]))
    refuse("a locator of 16 bytes", "recovery locator: wrong length", replaced(4, [body[4][0][:3] + [paper.locator[:16], body[4][0][4]]]))
    refuse("a recovery key twice", "recovery key: added before", replaced(4, body[4] * 2), signers=(alice, paper, paper))
    many = [RecoveryKey(f"number {n}") for n in range(16)]
    refuse("seventeen signatures", "signatures: too many", good.genesis_body(alice, many), (alice, *many))
    refuse("a sealed name of 256 bytes", "sealed name: wrong length", replaced(1, body[1][:3] + [body[1][3][:256]]))
    refuse("an empty sealed name", "sealed name: wrong length", replaced(1, body[1][:3] + [b""]))
    # Nothing that is otherwise right gets that long, so here two things are wrong; the length is looked at first.
    refuse("more than 64 KiB", "entry: too long", replaced(1, body[1][:3] + [bytes(65_536)]))
    refuse("the author is the recovery key", "author: not the first signer", author=paper)
    same = paper.body(good.salt, 1, good.c(1))
    other = safe.body(good.salt, 1, good.c(1))
    refuse("two recovery keys of one locator", "recovery locator: of an active recovery key",
           replaced(4, [same, other[:3] + [same[3], other[4]]]), signers=(alice, paper, safe))  # fmt: skip
    first = Chain("starts elsewhere").genesis(alice)
    content = first.content(LEAVE, [], alice)
    file.refuse("the first entry is no genesis", "type: genesis is the first entry and no other", after="",
                entry=encode([1, content, [alice.sign(content)]]).hex())  # fmt: skip


def envelopes(refuse, raw, chain):
    content = chain.content(RESEAL, [1], alice)
    signed = [alice.sign(content)]
    good = encode([1, content, signed])
    raw("entry: a byte after the end", "entry: bytes after the end", good + b"\x00")
    raw("entry: empty", "cbor: ends too early", b"")
    raw("entry: two elements", "entry: wrong number of elements", encode([1, content]))
    raw("entry: four elements", "entry: wrong number of elements", encode([1, content, signed, 0]))
    raw("entry: the content not wrapped in a byte string", "content: not a byte string", encode([1, [1, RESEAL], signed]))
    refuse("entry: version 2", "entry version: unknown", content, signed, version=2)
    refuse("unsigned", "signatures: one is missing", content, [])
    refuse("the signatures are a byte string", "signatures: not an array", content, b"")
    refuse("a signature of two elements", "signature: wrong number of elements", content, [signed[0][:2]])
    refuse("a signature of 63 bytes", "signature: wrong length", content, [[0, alice.id, signed[0][2][:63]]])
    refuse("a signer of 31 bytes", "signer: wrong length", content, [[0, alice.id[:31], signed[0][2]]])
    refuse("a signer of kind 3", "signer kind: out of range", content, [[3, alice.id, signed[0][2]]])
    refuse("a signature altered", "signature: does not verify", content, [[0, alice.id, flip(signed[0][2], 5)]])
    refuse("a signature of another content", "signature: does not verify", content, [alice.sign(chain.content(RESEAL, [2], alice))])
    refuse("signed with the push-signing key", "signature: does not verify", content,
           [[0, alice.id, with_seed(alice, alice.push_seed).sign(content)[2]]])  # fmt: skip
    other = chain.content(RESEAL, [1], carol)
    refuse("signed by one and named another", "signature: does not verify", other, [[0, carol.id, alice.sign(other)[2]]])
    refuse("the author is another admin than the signer", "author: not the first signer", other, [alice.sign(other)])
    refuse("the author is another admin, who signs second", "author: not the first signer", other, [alice.sign(other), carol.sign(other)])
    refuse("signed by two admins", "signatures: one too many", content, signed + [carol.sign(content)])
    refuse("signed twice", "signatures: one too many", content, signed * 2)


def with_seed(device, seed):
    other = object.__new__(Device)
    other.__dict__ = dict(device.__dict__, chain_seed=seed)
    return other


def contents(refuse, chain):
    def content(name, why, value, **changed):
        made = value if isinstance(value, bytes) else chain.content(RESEAL, value, **{"author": alice} | changed)
        refuse(name, why, made, [alice.sign(made)])

    good = chain.content(RESEAL, [1], alice)
    content("content: a byte after the end", "content: bytes after the end", good + b"\x00")
    content("content: not deterministic", "cbor: head not the shortest", good[:1] + b"\x18\x01" + good[2:])
    content("content: version 2", "content version: unknown", [1], version=2)
    content("content: seven elements", "content: wrong number of elements", b"\x87" + good[1:-2])
    content("content: nine elements", "content: wrong number of elements", b"\x89" + good[1:] + b"\x00")
    content("an author of 31 bytes", "author: wrong length", [1], author=alice.id[:31])
    content("no author", "author: wrong length", [1], author=b"")
    content("a number that leaves one out", "number: not the previous and one", [1], number=chain.number + 1)
    content("the number of the entry before", "number: not the previous and one", [1], number=chain.number - 1)
    content("another previous", "previous: not the hash of the entry before", [1], previous=flip(chain.head))
    content("previous is the entry before the last", "previous: not the hash of the entry before", [1],
            previous=hash_of(chain.contents[-2]))  # fmt: skip
    content("no previous", "previous: wrong length", [1], previous=b"")
    content("another vault", "vault id: of another chain", [1], vault=flip(chain.vault))
    content("no vault", "vault id: wrong length", [1], vault=b"")
    content("a negative time", "time: out of range", [1], time=-1)
    for type in (0, 9):
        made = chain.content(type, [], alice)
        refuse(f"type {type}", "type: out of range", made, [alice.sign(made)])
    second = Chain("second genesis")
    made = chain.content(GENESIS, second.genesis_body(frank), frank)
    refuse("a second genesis", "type: genesis is the first entry and no other", made, [frank.sign(made)])


def hash_of(content):
    return H("lockstep/chain-entry/1", content)


def signers(signed, chain):
    """For every type: who may not sign it."""
    name = frank.name(chain.epoch, chain.c())
    add = (ADD, [frank.keys, name, WRITER, MAILBOX])
    recovered = (ADD, [frank.keys, name, WRITER, ZERO])
    join = frank.join(chain.vault, name, MAILBOX)
    join_zero = frank.join(chain.vault, name, ZERO)
    not_admin, gone = "signer: not an admin", "signer: not active"
    wrong, missing = "signatures: not the signer that the entry needs", "signatures: one is missing"
    extra = "signatures: one too many"
    signed("add-device by a writer", not_admin, add, bob2, join)
    signed("add-device by a reader", not_admin, add, dave, join)
    signed("add-device by a revoked admin", gone, add, erin, join)
    signed("add-device by a stranger", gone, add, mallory, join)
    signed("add-device by the joining device itself", gone, add, frank, join)
    signed("add-device by a revoked recovery key", gone, recovered, third, join_zero)
    signed("add-device without the joining device", missing, add, alice)
    signed("add-device without an admin", wrong, add, join)
    signed("add-device, the joining device first", wrong, add, join, alice)
    signed("add-device by an admin and a recovery key", wrong, add, alice, paper, join)
    signed("add-device, the joining device signs as a member", wrong, add, alice, frank)
    signed("add-device, another device joins", wrong, add, alice, mallory.join(chain.vault, name, MAILBOX))
    bad = "join signature: does not verify"
    signed("add-device, joined at another mailbox", bad, add, alice, join_zero)
    signed("add-device, joined in another vault", bad, add, alice, frank.join(flip(chain.vault), name, MAILBOX))
    renamed = [flip(name[0]), *name[1:]]
    signed("add-device, joined under another name", bad, add, alice, frank.join(chain.vault, renamed, MAILBOX))
    signed("add-device with one more signature", extra, add, alice, join, carol)
    signed("a recovered device with a mailbox", "mailbox: not zero for a recovered device", add, paper, join)

    for type, what, body in (
        (REVOKE, "revoke", next_revoke(chain)),
        (ROLE, "set-role", [bob2.id, READER, bytes(16), 0]),
        (RESEAL, "reseal-done", [1]),
    ):
        content = (type, body)
        signed(f"{what} by a writer", not_admin, content, bob2)
        signed(f"{what} by a replaced device", gone, content, bob)
        signed(f"{what} by a revoked admin", gone, content, erin)
        signed(f"{what} unsigned", missing, content, author=alice)
        if type != REVOKE:
            signed(f"{what} by a recovery key", wrong, content, paper)
        else:
            signed("revoke by a revoked recovery key", gone, content, third)
            signed("revoke by an admin and a recovery key", extra, content, alice, paper)

    leave = (LEAVE, [])
    signed("leave by a revoked device", gone, leave, erin)
    signed("leave by a recovery key", wrong, leave, paper)
    signed("leave by two", extra, leave, bob2, dave)

    replace = (REPLACE, [frank.keys, name])
    signed("replace-device without the new device", missing, replace, dave)
    signed("replace-device without the old device", wrong, replace, join_zero)
    signed("replace-device of a revoked device", gone, replace, erin, join_zero)
    signed("replace-device of a replaced device", gone, replace, bob, join_zero)
    signed("replace-device by a recovery key", wrong, replace, paper, join_zero)
    signed("replace-device, joined at a mailbox", bad, replace, dave, join)
    signed("replace-device, the new device first", wrong, replace, join_zero, dave)

    fourth = RecoveryKey("fourth")
    recover = (RECOVER, [fourth.body(chain.salt, chain.epoch, chain.c())])
    signed("set-recovery by the recovery key alone", wrong, recover, fourth)
    signed("set-recovery by an admin alone", missing, recover, alice)
    signed("set-recovery by a writer", not_admin, recover, bob2, fourth)
    signed("set-recovery by an older recovery key", wrong, recover, paper, fourth)
    signed("set-recovery signed by another recovery key", wrong, recover, alice, paper)
    signed("set-recovery, the recovery key first", wrong, recover, fourth, alice)


def next_revoke(chain, devices=(alice, bob2, carol, dave), recoveries=(paper, safe), removed=(), removed_recoveries=()):
    other = chain.copy()
    return other.revoke_body(other.new_epoch(), devices, recoveries, removed, removed_recoveries)


def bodies(signed, chain):
    name = frank.name(chain.epoch, chain.c())

    def by_alice(label, why, type, body, joins=()):
        signed(label, why, (type, body), alice, *joins)

    def add(label, why, body):
        by_alice(f"add-device: {label}", why, ADD, body, [frank.join(chain.vault, name, MAILBOX)])

    good = [frank.keys, name, WRITER, MAILBOX]
    add("three elements", "body: wrong number of elements", good[:3])
    add("five elements", "body: wrong number of elements", good + [0])
    add("role 0", "role: out of range", [frank.keys, name, 0, MAILBOX])
    add("role 4", "role: out of range", [frank.keys, name, 4, MAILBOX])
    add("a mailbox of 16 bytes", "mailbox: wrong length", [frank.keys, name, WRITER, MAILBOX[:16]])
    add("a name of an epoch to come", "name epoch: out of range", [frank.keys, [name[0], chain.epoch + 1, *name[2:]], WRITER, MAILBOX])
    add("the id in place of the keys", "device: not an array", [frank.id, name, WRITER, MAILBOX])

    good = next_revoke(chain)

    def revoke(label, why, at, value):
        by_alice(f"revoke: {label}", why, REVOKE, good[:at] + [value] + good[at + 1 :])

    by_alice("revoke: seven elements", "body: wrong number of elements", REVOKE, good[:7])
    by_alice("revoke: nine elements", "body: wrong number of elements", REVOKE, good + [0])
    for epoch in (0, chain.epoch, chain.epoch + 2):
        revoke(f"epoch {epoch} after {chain.epoch}", "epoch: not the newest and one", 2, epoch)
    revoke("one commitment", "commitments: wrong number of elements", 3, good[3][:1])
    revoke("a commitment of 31 bytes", "key commitment: wrong length", 3, [good[3][0], good[3][1][:31]])
    devices, keys = "recipients: not the remaining devices", "recipients: not the remaining recovery keys"
    revoke("a recipient left out", devices, 4, good[4][1:])
    revoke("no recipients", devices, 4, [])
    revoke("a recipient who is revoked", devices, 4, sorted(good[4] + [erin.id]))
    revoke("a recipient who is a stranger", devices, 4, sorted(good[4] + [mallory.id]))
    revoke("a recipient twice", "recipients: twice", 4, sorted(good[4] + good[4][:1]))
    revoke("the recipients not in order", "recipients: not in ascending order", 4, good[4][::-1])
    revoke("a recovery key left out", keys, 5, good[5][1:])
    revoke("a recovery key that is revoked", keys, 5, sorted(good[5] + [third.id]))
    revoke("the recovery keys not in order", "recipients: not in ascending order", 5, good[5][::-1])
    revoke("a recovery key twice", "recipients: twice", 5, sorted(good[5] + good[5][:1]))
    revoke("an incarnation of 15 bytes", "incarnation: wrong length", 6, bytes(15))
    revoke("a negative sequence", "sequence: out of range", 7, -1)
    inactive = "revoke: removes what is not active"
    revoke("a stranger", inactive, 0, [mallory.id])
    revoke("a device that is revoked already", inactive, 0, [erin.id])
    revoke("a recovery key that is revoked already", inactive, 1, [third.id])
    revoke("a recovery key nobody knows", inactive, 1, [mallory.id])
    revoke("a device among the recovery keys", inactive, 1, [dave.id])
    revoke("a short id", "id: wrong length", 0, [dave.id[:31]])
    twice = next_revoke(chain, devices=(alice, bob2, carol), removed=(dave, dave))
    by_alice("revoke: a device twice", "removed devices: twice", REVOKE, twice)
    both = next_revoke(chain, devices=(alice, carol), removed=(dave, bob2))
    both[0].reverse()
    by_alice("revoke: the removed devices not in order", "removed devices: not in ascending order", REVOKE, both)
    both = next_revoke(chain, recoveries=(), removed_recoveries=(paper, safe))
    both[1].reverse()
    by_alice("revoke: the removed recovery keys not in order", "removed recovery keys: not in ascending order", REVOKE, both)
    kept = next_revoke(chain, removed=(dave,))
    by_alice("revoke: the removed device is a recipient", devices, REVOKE, kept)
    successor = next_revoke(chain, removed=(bob,))
    by_alice("revoke: the successor of the removed device is a recipient", devices, REVOKE, successor)
    kept = next_revoke(chain, removed_recoveries=(paper,))
    by_alice("revoke: the removed recovery key is a recipient", keys, REVOKE, kept)

    role = [bob2.id, READER, bytes(16), 9]
    by_alice("set-role: three elements", "body: wrong number of elements", ROLE, role[:3])
    by_alice("set-role: role 0", "role: out of range", ROLE, [bob2.id, 0, *role[2:]])
    by_alice("set-role: role 4", "role: out of range", ROLE, [bob2.id, 4, *role[2:]])
    by_alice("set-role: an incarnation of 17 bytes", "incarnation: wrong length", ROLE, [bob2.id, READER, bytes(17), 9])
    by_alice("set-role: a short id", "device id: wrong length", ROLE, [bob2.id[:31], *role[1:]])
    by_alice("leave: with something in it", "body: wrong number of elements", LEAVE, [0])
    by_alice("leave: null in place of an array", "body: not an array", LEAVE, None)
    by_alice("replace-device: three elements", "body: wrong number of elements", REPLACE, [frank.keys, name, ADMIN],
             [frank.join(chain.vault, name, ZERO)])  # fmt: skip
    by_alice("reseal-done: two elements", "body: wrong number of elements", RESEAL, [1, 1])
    by_alice("reseal-done: epoch 0", "resealed epoch: out of range", RESEAL, [0])
    by_alice("reseal-done: an epoch to come", "resealed epoch: out of range", RESEAL, [chain.epoch + 1])
    fourth = RecoveryKey("fourth")
    body = fourth.body(chain.salt, chain.epoch, chain.c())
    for label, why, value in (
        ("four parts", "recovery: wrong number of elements", body[:4]),
        ("a commitment of 31 bytes", "recovery commitment: wrong length", body[:2] + [body[2][:31], *body[3:]]),
        ("a name of an epoch to come", "name epoch: out of range", body[:4] + [[body[4][0], chain.epoch + 1, *body[4][2:]]]),
    ):
        content = (RECOVER, [value])
        signed(f"set-recovery: {label}", why, content, alice, fourth)
    content = (RECOVER, [body, body])
    signed("set-recovery: two keys", "body: wrong number of elements", content, alice, fourth)


def standing(signed, chain):
    before = "device: added before"

    def add(label, why, device, name=None):
        name = name or device.name(chain.epoch, chain.c())
        content = (ADD, [device.keys, name, WRITER, MAILBOX])
        signed(label, why, content, alice, device.join(chain.vault, name, MAILBOX))

    add("add-device: a revoked device again", before, erin)
    add("add-device: a replaced device again", before, bob)
    add("add-device: an active device again", before, dave)
    name = bob.name(chain.epoch, chain.c())
    content = (REPLACE, [bob.keys, name])
    signed("replace-device: back to the replaced device", before, content, bob2, bob.join(chain.vault, name, ZERO))
    name = dave.name(chain.epoch, chain.c())
    content = (REPLACE, [dave.keys, name])
    signed("replace-device: with itself", before, content, dave, dave.join(chain.vault, name, ZERO))
    for label, device in (("a revoked device", erin), ("a replaced device", bob), ("a stranger", mallory)):
        content = (ROLE, [device.id, READER, bytes(16), 9])
        signed(f"set-role: {label}", "device: not active", content, alice)
    for label, key in (("an active key again", paper), ("a revoked key again", third)):
        body = key.body(chain.salt, chain.epoch, chain.c())
        # At another locator, which nobody has.
        content = (RECOVER, [body[:3] + [MAILBOX, body[4]]])
        signed(f"set-recovery: {label}", "recovery key: added before", content, alice, key)
    fourth = RecoveryKey("fourth")
    body = fourth.body(chain.salt, chain.epoch, chain.c())
    content = (RECOVER, [body[:3] + [paper.locator, body[4]]])
    signed("set-recovery: the locator of an active key", "recovery locator: of an active recovery key", content, alice, fourth)
    gone = left()
    signed("leave: twice", "leave: left before", (LEAVE, []), dave, chain=gone, after="who left keeps the standing until revoked")

    last = "admins: none would be left"
    content = (REVOKE, next_revoke(chain, devices=(bob2, dave), removed=(alice, carol)))
    signed("revoke: all admins", last, content, alice)
    signed("revoke: all admins, by a recovery key", last, content, paper)
    alone = one_admin()
    demoted = (ROLE, [alice.id, WRITER, bytes(16), 9])
    signed("set-role: the last admin", last, demoted, alice, chain=alone, after="one admin")
    revoked = (REVOKE, next_revoke(alone, devices=(bob,), recoveries=(), removed=(alice,)))
    signed("revoke: the last admin", last, revoked, alice, chain=alone, after="one admin")

    full = many_recovery_keys()
    fourth = RecoveryKey("number 64")
    content = (RECOVER, [fourth.body(full.salt, full.epoch, full.c())])
    signed("set-recovery: the 65th", "recovery keys: too many", content, alice, fourth, chain=full, after="64 recovery keys")
