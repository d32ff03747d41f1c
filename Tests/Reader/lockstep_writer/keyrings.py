"""keyring.json: Docs/Formats.md §3."""

from .base import E, File, K, Seeded, encode, flip, seal
from .people import WRITER, Chain, Device, RecoveryKey

seeded = Seeded("keyring")
alice, bob = Device("Alice"), Device("Bob")
paper, safe, gone = RecoveryKey("paper"), RecoveryKey("safe"), RecoveryKey("gone")
PAIRING_SECRET = seeded.take(16)
NONCE = seeded.nonce()
EPHEMERAL = seeded.key()


def make_chain():
    """Three epochs, two recovery keys and one that was removed."""
    chain = Chain("keyring").genesis(alice, [paper]).add_device(bob, WRITER, alice)
    chain.revoke(alice, [alice, bob], [paper]).set_recovery(alice, safe).set_recovery(alice, gone)
    return chain.revoke(alice, [alice, bob], [paper, safe], removed_recoveries=[gone])


def contents_a(chain, epochs=(1, 2, 3), recoveries=(paper, safe), **changed):
    pairs = sorted([one.id, one.pre_shared_key] for one in recoveries)
    keys = [[epoch, chain.a_keys[epoch]] for epoch in epochs]
    return [changed.get("version", 1), changed.get("kind", 1), changed.get("keys", keys), changed.get("pairs", pairs)]


def contents_c(chain, epochs=(1, 2, 3), **changed):
    keys = [[epoch, chain.c_keys[epoch]] for epoch in epochs]
    return [
        1, changed.get("kind", 3), changed.get("keys", keys),
        changed.get("slot_key", chain.slot_key), changed.get("set_hash_key", chain.set_hash_key),
    ]  # fmt: skip


def keyring(
    chain, kind, contents, who, wrap, secret, epoch=3, version=1, vault=None, recipient=None, nonce=NONCE,
    sealed_to=None, bound=None, wrong=None,
):  # fmt: skip
    """The elements of a keyring. `bound` replaces what the associated data says."""
    vault = vault or chain.vault
    recipient = recipient or who.id
    if sealed_to is None:
        sealed_to = who.sealing if isinstance(who, RecoveryKey) else who.keys[1 if kind == 1 else 3]
    sealed = seal(sealed_to, contents if isinstance(contents, bytes) else encode(contents), EPHEMERAL)
    if wrap == 1:
        key = K(secret, "lockstep/pairing/1", "keyring", vault)
    else:
        key = K(secret, "lockstep/keyring-wrap/1", vault, epoch, recipient)
    context = bound or [kind, vault, epoch, recipient, wrap]
    ciphertext = E(key, nonce, wrong or sealed, "lockstep/keyring/1", *context)
    return [version, kind, vault, epoch, recipient, wrap, nonce, ciphertext]


def inputs(value, kind, who, wrap, secret):
    if isinstance(who, RecoveryKey):
        seed = who.sealing_seed
    else:
        seed = who.a_seed if kind == 1 else who.c_seed
    return {
        "chain": "main",
        "kind": kind,
        "recipient": who.id.hex(),
        "recipient_seed": seed.hex(),
        "recovery_secret": who.secret.hex() if isinstance(who, RecoveryKey) else "",
        "wrap": wrap,
        "wrap_secret": secret.hex(),
        "keyring": (value if isinstance(value, bytes) else encode(value)).hex(),
    }


def write():
    file = File("keyring")
    chain = make_chain()
    file.shared["chains"] = {"main": [entry.hex() for entry in chain.entries]}
    positives(file, chain)
    negatives(file, chain)
    return file


def positives(file, chain):
    def accept(name, kind, contents, who, wrap, secret, epoch=3):
        value = keyring(chain, kind, contents, who, wrap, secret, epoch)
        expected = {
            "vault": chain.vault.hex(),
            "epoch": epoch,
            "keys": [[number, key.hex()] for number, key in contents[2]],
            "contents": encode(contents).hex(),
        }
        if kind == 1:
            expected["recoveries"] = [[id.hex(), key.hex()] for id, key in contents[3]]
        else:
            expected |= {"slot_key": contents[3].hex(), "set_hash_key": contents[4].hex()}
        file.accept(name, **inputs(value, kind, who, wrap, secret), expected=expected)

    accept("A for a device, under the previous epoch's key", 1, contents_a(chain), bob, 0, chain.a_keys[2])
    accept("C for a device, under the previous epoch's key", 3, contents_c(chain), bob, 0, chain.c_keys[2])
    accept("A for a joining device, under the pairing secret", 1, contents_a(chain), bob, 1, PAIRING_SECRET)
    accept("C for a joining device, under the pairing secret", 3, contents_c(chain), bob, 1, PAIRING_SECRET)
    accept("A for a recovery key", 1, contents_a(chain), paper, 2, paper.pre_shared_key)
    accept("C for a recovery key", 3, contents_c(chain), paper, 2, paper.pre_shared_key)
    accept("A with the pre-shared key of a removed recovery key", 1, contents_a(chain, recoveries=(paper, gone, safe)), bob, 0, chain.a_keys[2])
    accept("A of epoch 2", 1, contents_a(chain, (1, 2)), bob, 0, chain.a_keys[1], epoch=2)
    accept("A of epoch 1, without a recovery key", 1, contents_a(chain, (1,), ()), bob, 1, PAIRING_SECRET, epoch=1)
    accept("C with the newest epoch alone", 3, contents_c(chain, (3,)), bob, 0, chain.c_keys[2])


def negatives(file, chain):
    a, c = contents_a(chain), contents_c(chain)
    secret_a, secret_c = chain.a_keys[2], chain.c_keys[2]
    other = Seeded("keyring/other")

    def refuse(name, why, value, kind=1, who=bob, wrap=0, secret=None):
        secret = secret or (secret_a if kind == 1 else secret_c)
        file.refuse(name, why, **inputs(value, kind, who, wrap, secret))

    def make(contents=a, kind=1, who=bob, wrap=0, secret=None, **changed):
        return keyring(chain, kind, contents, who, wrap, secret or (secret_a if kind == 1 else secret_c), **changed)

    good = make()

    def replaced(at, value):
        return good[:at] + [value] + good[at + 1 :]

    refuse("empty", "cbor: ends too early", b"")
    refuse("a byte after the end", "keyring: bytes after the end", encode(good) + b"\x00")
    refuse("seven elements", "keyring: wrong number of elements", good[:7])
    refuse("nine elements", "keyring: wrong number of elements", good + [0])
    refuse("version 2", "keyring version: unknown", make(version=2))
    refuse("kind 2", "keyring kind: out of range", replaced(1, 2))
    refuse("kind 4", "keyring kind: out of range", replaced(1, 4))
    refuse("a vault id of 31 bytes", "vault id: wrong length", replaced(2, chain.vault[:31]))
    refuse("epoch 0", "epoch: out of range", make(epoch=0))
    refuse("a recipient of 33 bytes", "recipient: wrong length", replaced(4, bob.id + b"\x00"))
    refuse("wrap 3", "wrap: out of range", replaced(5, 3))
    first = make(contents_a(chain, (1,)), secret=chain.a_keys[1], epoch=1)
    refuse("the previous epoch's wrap at epoch 1", "wrap: no epoch before the first", first, secret=chain.a_keys[1])
    refuse("a nonce of 12 bytes", "nonce: wrong length", replaced(6, NONCE[:12]))
    refuse("the ciphertext is text", "ciphertext: not a byte string", replaced(7, "x"))
    refuse("the ciphertext is empty", "ciphertext: shorter than its tag", replaced(7, b""))

    long = make(wrong=bytes((64 << 10) - 15))
    refuse("the ciphertext has more than 64 KiB", "ciphertext: too long", long)
    refuse("the other kind", "keyring kind: not the one asked for", make(c, 3), kind=1)
    refuse("another vault", "vault id: of another vault", make(vault=other.key()))
    refuse("another recipient", "recipient: another", make(who=alice))
    shut = "ciphertext: does not open"
    refuse("another previous key", shut, good, secret=other.key())
    refuse("the key of the epoch before the previous", shut, good, secret=chain.a_keys[1])
    refuse("another pairing secret", shut, make(wrap=1, secret=PAIRING_SECRET), wrap=1, secret=other.take(16))
    refuse("another pre-shared key", shut, make(who=paper, wrap=2, secret=safe.pre_shared_key), who=paper, wrap=2, secret=paper.pre_shared_key)
    refuse("wrapped for a pairing, opened under the previous key", "wrap: not the one asked for", make(wrap=1, secret=PAIRING_SECRET))
    refuse("wrapped under the previous key, opened in a pairing", "wrap: not the one asked for", good, wrap=1, secret=PAIRING_SECRET)
    refuse("the ciphertext altered", shut, replaced(7, flip(good[7], 50)))
    refuse("the nonce altered", shut, replaced(6, flip(NONCE)))
    for at, name, value in ((0, "kind", 3), (1, "vault", other.key()), (2, "epoch", 2), (3, "recipient", alice.id), (4, "wrap", 2)):
        bound = [1, chain.vault, 3, bob.id, 0]
        bound[at] = value
        refuse(f"sealed for another {name}", shut, make(bound=bound))
    refuse("the C key wraps an A keyring", shut, make(secret=secret_c))
    box = "sealed box: does not open"
    refuse("sealed to another device", box, make(sealed_to=alice.keys[1]))
    refuse("an A keyring sealed to the C key of the device", box, make(sealed_to=bob.keys[3]))
    refuse("a C keyring sealed to the A key of the device", box, make(c, 3, sealed_to=bob.keys[1]), kind=3)
    refuse("a sealed box that is too short", box, make(wrong=bytes(47)))
    refuse("contents without a sealed box", box, make(wrong=encode(a)))

    def contents(name, why, value, kind=1):
        refuse(name, why, make(value, kind), kind=kind)

    count = "contents: wrong number of elements"
    contents("contents: a byte after the end", "contents: bytes after the end", encode(a) + b"\x00")
    contents("contents: not an array", "contents: not an array", b"\xa0")
    contents("contents A: three elements", count, a[:3])
    contents("contents A: five elements", count, a + [0])
    contents("contents C: four elements", count, c[:4], 3)
    contents("contents C: six elements", count, c + [0], 3)
    contents("contents: version 2", "contents version: unknown", contents_a(chain, version=2))
    contents("contents A in a C keyring", "contents kind: not the keyring's", a, 3)
    contents("contents C in an A keyring", "contents kind: not the keyring's", c, 1)
    contents("contents: kind 2", "contents kind: out of range", contents_a(chain, kind=2))
    last = "key epoch: the last is not the keyring's"
    contents("no keys", last, contents_a(chain, ()))
    contents("the newest key is missing", last, contents_a(chain, (1, 2)))
    contents("epochs not in order", "key epoch: not in ascending order", contents_a(chain, (2, 1, 3)))
    contents("an epoch twice", "key epoch: twice", contents_a(chain, (1, 2, 3, 3)))
    contents("a key of epoch 0", "key epoch: out of range", contents_a(chain, keys=[[0, other.key()], *a[2]]))
    contents("a pair of three", "epoch key: wrong number of elements", contents_a(chain, keys=[[1, chain.a_keys[1], 0], *a[2][1:]]))
    contents("a key of 31 bytes", "key: wrong length", contents_a(chain, keys=[[1, chain.a_keys[1][:31]], *a[2][1:]]))
    contents("an older A key is wrong", "A key: does not match", contents_a(chain, keys=[[1, other.key()], *a[2][1:]]))
    contents("the newest A key is wrong", "A key: does not match", contents_a(chain, keys=[*a[2][:2], [3, flip(chain.a_keys[3])]]))
    contents("an A key of another epoch", "A key: does not match", contents_a(chain, keys=[[1, chain.a_keys[2]], *a[2][1:]]))
    contents("C keys in an A keyring", "A key: does not match", contents_a(chain, keys=c[2]))
    contents("a C key is wrong", "C key: does not match", contents_c(chain, keys=[*c[2][:2], [3, flip(chain.c_keys[3])]]), 3)
    contents("the slot key is wrong", "slot key: does not match", contents_c(chain, slot_key=other.key()), 3)
    contents("the set-hash key is wrong", "set-hash key: does not match", contents_c(chain, set_hash_key=other.key()), 3)
    contents("the slot and set-hash keys exchanged", "slot key: does not match",
             contents_c(chain, slot_key=chain.set_hash_key, set_hash_key=chain.slot_key), 3)  # fmt: skip
    contents("a slot key of 16 bytes", "slot key: wrong length", contents_c(chain, slot_key=bytes(16)), 3)
    pairs = a[3]
    contents("the recovery ids not in order", "recovery id: not in ascending order", contents_a(chain, pairs=pairs[::-1]))
    contents("a recovery id twice", "recovery id: twice", contents_a(chain, pairs=[pairs[0], pairs[0], pairs[1]]))
    contents("a pre-shared key is wrong", "pre-shared key: does not match", contents_a(chain, pairs=[[pairs[0][0], other.key()], pairs[1]]))
    stranger = RecoveryKey("stranger")
    contents(
        "a recovery key that is not in the chain",
        "pre-shared key: no commitment in the chain",
        contents_a(chain, pairs=[[stranger.id, stranger.pre_shared_key]]),
    )
    contents("a pre-shared key of 16 bytes", "pre-shared key: wrong length", contents_a(chain, pairs=[[pairs[0][0], bytes(16)]]))
    future = chain.copy()
    future.new_epoch()
    refuse("an epoch that the chain does not have", "A key: no commitment in the chain",
           make(contents_a(future, (1, 2, 3, 4)), secret=chain.a_keys[3], epoch=4), secret=chain.a_keys[3])  # fmt: skip
    many = [[RecoveryKey(f"number {n}").id, bytes(32)] for n in range(65)]
    contents("65 recovery keys", "recovery keys: too many", contents_a(chain, pairs=sorted(many)))
    older = [[epoch, bytes(32)] for epoch in range(1, 1025)]
    contents("1,025 epochs", "epoch keys: too many", contents_a(chain, keys=[*older, [1025, bytes(32)]]))
