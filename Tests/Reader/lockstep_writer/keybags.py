"""keybag.json: Docs/Formats.md §8, and the local blobs of §9."""

from lockstep_reader.keybag import argon2id

from . import keyrings
from .base import E, File, K, Seeded, encode, flip
from .people import Device

seeded = Seeded("keybag")
ID, DEVICE_SECRET, ROOT = (seeded.key() for _ in range(3))
CLASSES = {number: seeded.key() for number in (1, 2, 3, 4)}
VAULT = seeded.key()
SALT = seeded.take(16)
PASSPHRASE = "tr\u00e4umerisch 7 \U0001f511"
NONE = [0]
# The least that is read; new keybags take more.
QUICK = [1, 1, 8 << 10, SALT]
CONTEXT = "lockstep/keybag/1"


def unlock_key(protection, passphrase, id=ID, device_secret=DEVICE_SECRET):
    rest = []
    if protection[0] == 1:
        _, operations, memory, salt = protection
        rest = [operations, memory, salt, argon2id(passphrase.encode("utf-8"), operations, memory, salt)]
    return K(device_secret, CONTEXT, "unlock", id, *rest)


def wrap(label, key, value, protection, number, id=ID):
    nonce = Seeded(f"keybag/{label}/{number}").nonce()
    return [nonce, E(key, nonce, value, CONTEXT, id, protection, number)]


def class_pair(number, value=None, bound=None, base=None, number_bound=None, id=ID):
    base = base or (DEVICE_SECRET if number == 4 else ROOT)
    key = K(base, CONTEXT, "class", number)
    value = CLASSES[number] if value is None else value
    return [number, wrap("class", key, value, bound or NONE, number_bound or number, id)]


def keybag(protection=NONE, numbers=(1, 3, 4), passphrase="", version=1, id=ID, root=None, pairs=None, unlock=None):
    if root is None:
        root = wrap("root", unlock or unlock_key(protection, passphrase), ROOT, protection, 0)
    return [version, id, protection, root, pairs or [class_pair(number) for number in numbers]]


def inputs(value, passphrase="", device_secret=DEVICE_SECRET):
    return {
        "kind": "keybag",
        "device_secret": device_secret.hex(),
        "passphrase": passphrase,
        "keybag": (value if isinstance(value, bytes) else encode(value)).hex(),
    }


def write():
    file = File("keybag")
    positives(file)
    negatives(file)
    blobs(file)
    return file


def positives(file):
    def accept(name, value, passphrase=""):
        numbers = [pair[0] for pair in value[4]]
        file.accept(
            f"keybag: {name}", **inputs(value, passphrase),
            expected={
                "id": ID.hex(), "protected": value[2][0] == 1, "root": ROOT.hex(),
                "operations": value[2][1] if value[2][0] == 1 else 0, "memory": value[2][2] if value[2][0] == 1 else 0,
                "classes": {str(number): CLASSES[number].hex() for number in numbers},
                "unlock_key": unlock_key(value[2], passphrase).hex(),
            },
        )  # fmt: skip

    every = (1, 2, 3, 4)
    accept("without a passphrase", keybag())
    accept("with a passphrase", keybag(QUICK, every, PASSPHRASE), PASSPHRASE)
    new = [1, 3, 64 << 10, SALT]
    accept("as new ones are made", keybag(new, every, PASSPHRASE), PASSPHRASE)
    most = [1, 16, 8 << 10, SALT]
    accept("with the most operations", keybag(most, every, "x"), "x")
    accept("with an empty passphrase", keybag(QUICK, every, ""))


def negatives(file):
    def refuse(name, why, value, passphrase="", **changed):
        file.refuse(f"keybag: {name}", why, **inputs(value, passphrase, **changed))

    every = (1, 2, 3, 4)
    good = keybag()
    locked = keybag(QUICK, every, PASSPHRASE)
    other = Seeded("keybag/other")

    def replaced(at, value):
        return good[:at] + [value] + good[at + 1 :]

    refuse("empty", "cbor: ends too early", b"")
    refuse("a byte after the end", "keybag: bytes after the end", encode(good) + b"\x00")
    refuse("four elements", "keybag: wrong number of elements", good[:4])
    refuse("six elements", "keybag: wrong number of elements", good + [0])
    refuse("version 2", "keybag version: unknown", keybag(version=2))
    refuse("an id of 16 bytes", "keybag id: wrong length", replaced(1, ID[:16]))
    refuse("protection 2", "protection kind: out of range", replaced(2, [2]))
    refuse("protection without a kind", "protection: not an array", replaced(2, []))
    refuse("no passphrase, and parameters", "protection: wrong number of elements", replaced(2, [0, 1]))
    refuse("a passphrase without a salt", "protection: wrong number of elements", replaced(2, QUICK[:3]))
    refuse("a salt of 15 bytes", "passphrase salt: wrong length", replaced(2, QUICK[:3] + [SALT[:15]]))
    for name, operations, memory in (
        ("0 operations", 0, 8 << 10), ("17 operations", 17, 8 << 10),
        ("less than 8 MiB", 1, (8 << 10) - 1), ("more than 4 GiB", 1, (4 << 20) + 1), ("2^64 - 1 KiB", 1, 2**64 - 1),
    ):  # fmt: skip
        what = "operations" if memory == 8 << 10 else "memory"
        refuse(name, f"{what}: out of range", replaced(2, [1, operations, memory, SALT]))
    refuse("the root not wrapped", "wrapped key: not an array", replaced(3, good[3][1]))
    refuse("a nonce of 12 bytes", "nonce: wrong length", replaced(3, [good[3][0][:12], good[3][1]]))
    long_root = wrap("root", unlock_key(NONE, ""), ROOT + bytes(1), NONE, 0)
    refuse("a root of 33 bytes", "wrapped key: wrong length", keybag(root=long_root))
    refuse("a class key of 31 bytes", "wrapped key: wrong length", keybag(pairs=[class_pair(1, CLASSES[1][:31]), class_pair(3), class_pair(4)]))
    refuse("class 0", "class: out of range", keybag(pairs=[[0, good[4][0][1]], *good[4]]))
    refuse("class 5", "class: out of range", keybag(pairs=[*good[4], [5, good[4][0][1]]]))
    refuse("classes not in order", "class: not in ascending order", keybag(pairs=[good[4][1], good[4][0], good[4][2]]))
    refuse("a class twice", "class: twice", keybag(pairs=[good[4][0], *good[4]]))
    for number in (1, 3, 4):
        rest = tuple(n for n in (1, 3, 4) if n != number)
        refuse(f"class {number} missing", "class: missing", keybag(numbers=rest))
    refuse("class P without a passphrase", "class P: without a passphrase", keybag(numbers=every))
    refuse("a passphrase without class P", "class P: missing under a passphrase", keybag(QUICK, (1, 3, 4), PASSPHRASE), PASSPHRASE)
    shut = "root: does not open"
    refuse("another passphrase", shut, locked, PASSPHRASE + "!")
    refuse("no passphrase", shut, locked)
    refuse("another device secret", shut, good, device_secret=other.key())
    refuse("another device secret, the right passphrase", shut, locked, PASSPHRASE, device_secret=other.key())
    refuse("the root altered", shut, replaced(3, [good[3][0], flip(good[3][1])]))
    bound = [1, 2, 8 << 10, SALT]
    refuse("the root sealed under other parameters", shut,
           keybag(QUICK, every, root=wrap("root", unlock_key(QUICK, PASSPHRASE), ROOT, bound, 0)), PASSPHRASE)  # fmt: skip
    refuse("the root sealed as class 1", shut, keybag(root=wrap("root", unlock_key(NONE, ""), ROOT, NONE, 1)))
    refuse("the root of another keybag", shut, keybag(root=wrap("root", unlock_key(NONE, ""), ROOT, NONE, 0, other.key())))
    refuse("unlocked without the device secret", shut, keybag(unlock=K(bytes(32), CONTEXT, "unlock", ID)))

    def pair(name, number, value):
        pairs = [value if n == number else class_pair(n) for n in every]
        refuse(name, f"class key {number}: does not open", keybag(QUICK, pairs=pairs, root=locked[3]), PASSPHRASE)

    pair("class A altered", 1, [1, [class_pair(1)[1][0], flip(class_pair(1)[1][1], 9)]])
    pair("class A is the wrapped class C", 1, [1, class_pair(3)[1]])
    pair("class A bound to the passphrase's parameters", 1, class_pair(1, bound=QUICK))
    pair("class P bound to another class", 2, class_pair(2, number_bound=1))
    pair("class C under the device secret", 3, class_pair(3, base=DEVICE_SECRET))
    pair("class D under the root", 4, class_pair(4, base=ROOT))
    pair("class D of another keybag", 4, class_pair(4, id=other.key()))


def blob(number, key, purpose, contents, vault=VAULT, version=1, bound_purpose=None, bound_vault=None):
    nonce = Seeded(f"blob/{purpose}/{number}").nonce()
    sealing = K(key, "lockstep/local-blob/1", purpose, vault)
    context = [bound_purpose or purpose, bound_vault or vault]
    return [version, number, nonce, E(sealing, nonce, contents, "lockstep/local-blob/1", *context)]


def blobs(file):
    device = Device("keybag")
    chain = keyrings.make_chain()
    inner_a, inner_c = keyrings.contents_a(chain), keyrings.contents_c(chain)
    vault_a = encode([1, device.chain_seed, device.a_seed, inner_a])
    vault_c = encode([1, device.push_seed, device.c_seed, inner_c])

    def inputs(value, number, key, purpose, vault=VAULT):
        return {
            "kind": "local-blob", "class": number, "class_key": key.hex(), "purpose": purpose, "vault": vault.hex(),
            "blob": (value if isinstance(value, bytes) else encode(value)).hex(),
        }  # fmt: skip

    def accept(name, number, purpose, contents, opened=None):
        key = CLASSES[number]
        value = blob(number, key, purpose, contents)
        expected = {"contents": contents.hex()} | (opened or {})
        file.accept(f"local blob: {name}", **inputs(value, number, key, purpose), expected=expected)

    accept("vault A", 1, "vault A", vault_a,
           {"signing_seed": device.chain_seed.hex(), "exchange_seed": device.a_seed.hex(), "keyring_contents": encode(inner_a).hex()})  # fmt: skip
    accept("vault C", 3, "vault C", vault_c,
           {"signing_seed": device.push_seed.hex(), "exchange_seed": device.c_seed.hex(), "keyring_contents": encode(inner_c).hex()})  # fmt: skip
    accept("another purpose, class P", 2, "notes", b"anything")
    accept("empty, class D", 4, "notes", b"")

    good = blob(1, CLASSES[1], "vault A", vault_a)

    def refuse(name, why, value, number=1, key=CLASSES[1], purpose="vault A", vault=VAULT):
        file.refuse(f"local blob: {name}", why, **inputs(value, number, key, purpose, vault))

    refuse("empty", "cbor: ends too early", b"")
    refuse("a byte after the end", "local blob: bytes after the end", encode(good) + b"\x00")
    refuse("three elements", "local blob: wrong number of elements", good[:3])
    refuse("five elements", "local blob: wrong number of elements", good + [0])
    refuse("version 2", "local blob version: unknown", blob(1, CLASSES[1], "vault A", vault_a, version=2))
    refuse("class 0", "class: out of range", [1, 0, *good[2:]])
    refuse("class 5", "class: out of range", [1, 5, *good[2:]])
    refuse("another class than asked for", "class: not the one asked for", good, number=3)
    refuse("a nonce of 12 bytes", "nonce: wrong length", [1, 1, good[2][:12], good[3]])
    refuse("shorter than a tag", "local blob: shorter than its tag", [1, 1, good[2], bytes(15)])
    shut = "local blob: does not open"
    refuse("another class key", shut, good, key=CLASSES[3])
    refuse("another purpose", shut, good, purpose="vault C")
    refuse("another vault", shut, good, vault=flip(VAULT))
    refuse("altered", shut, [1, 1, good[2], flip(good[3])])
    refuse("the nonce altered", shut, [1, 1, flip(good[2]), good[3]])
    refuse("sealed for another purpose", shut, blob(1, CLASSES[1], "vault A", vault_a, bound_purpose="vault C"))
    refuse("sealed for another vault", shut, blob(1, CLASSES[1], "vault A", vault_a, bound_vault=flip(VAULT)))

    def inner(name, why, contents):
        refuse(f"vault A contents: {name}", why, blob(1, CLASSES[1], "vault A", contents if isinstance(contents, bytes) else encode(contents)))

    parts = [1, device.chain_seed, device.a_seed, inner_a]
    inner("a byte after the end", "vault blob: bytes after the end", vault_a + b"\x00")
    inner("three elements", "vault blob: wrong number of elements", parts[:3])
    inner("five elements", "vault blob: wrong number of elements", parts + [0])
    inner("version 2", "vault blob version: unknown", [2] + parts[1:])
    inner("a signing seed of 31 bytes", "signing seed: wrong length", [1, device.chain_seed[:31], *parts[2:]])
    inner("an exchange seed of 64 bytes", "exchange seed: wrong length", [1, device.chain_seed, bytes(64), inner_a])
    inner("the keyring contents are a byte string", "keyring contents: not an array", [*parts[:3], encode(inner_a)])
