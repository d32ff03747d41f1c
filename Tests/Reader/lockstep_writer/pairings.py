"""pairing.json: Docs/Formats.md §6."""

from lockstep_reader.base32 import ALPHABET
from lockstep_reader.base32 import write as base32
from lockstep_reader.pairing import fingerprint

from .base import E, File, H, K, S, Seeded, encode, flip, name_commitment, pad
from .people import Device

seeded = Seeded("pairing")
VAULT = seeded.key()
SECRET = seeded.take(16)
RELAY = "https://relay.example.org:8443"
device = Device("A joining device")
SALT = seeded.key()
NONCE = seeded.nonce()
HEAD = seeded.key()


def code_text(body, check=None):
    return "LOCKSTEP-" + base32(body + (check or H("lockstep/pairing-code/1", body)[:4]))


def purpose_key(purpose, secret=SECRET, vault=VAULT):
    return K(secret, "lockstep/pairing/1", purpose, vault)


def join_signature(text, salt=SALT, vault=VAULT, mailbox=None, keys=None, seed=None):
    return S(
        seed or device.chain_seed, "lockstep/join/1", vault, keys or device.keys,
        name_commitment(salt, text), mailbox or purpose_key("mailbox"),
    )  # fmt: skip


def request_contents(text="Laptop"):
    return [1, device.keys, text, SALT, join_signature(text)]


def request(contents, version=1, nonce=NONCE, key=None, vault=VAULT, padded=None, context="lockstep/pairing-request/1"):
    plain = padded or pad(contents if isinstance(contents, bytes) else encode(contents))
    return [version, nonce, E(key or purpose_key("request"), nonce, plain, context, vault)]


def answer(contents, to, version=1, nonce=NONCE, key=None, vault=VAULT, padded=None):
    plain = padded or pad(contents if isinstance(contents, bytes) else encode(contents))
    hash = H("lockstep/pairing-request/1", to)
    return [version, nonce, E(key or purpose_key("answer"), nonce, plain, "lockstep/pairing-answer/1", vault, hash)]


def approved():
    return [1, 1, 2, HEAD, 5, keyring(1), keyring(3), b"checkpoint"]


def keyring(kind):
    """Of the right form; nobody opens it here."""
    return encode([1, kind, VAULT, 3, device.id, 1, NONCE, bytes(300)])


def write():
    file = File("pairing")
    codes(file)
    requests(file)
    answers(file)
    return file


def codes(file):
    body = encode([1, RELAY, VAULT, SECRET])
    text = code_text(body)
    expected = {
        "relay": RELAY, "vault": VAULT.hex(), "secret": SECRET.hex(),
        **{f"{purpose}_key": purpose_key(purpose).hex() for purpose in ("mailbox", "request", "answer", "keyring")},
    }  # fmt: skip

    def accept(name, typed, **changed):
        file.accept(f"code: {name}", kind="code", code=typed, expected=expected | changed)

    accept("as written", text, text=text)
    accept("in lower case", text.lower(), text=text)
    accept("in groups of five", "-".join(text[at : at + 5] for at in range(0, len(text), 5)), text=text)
    accept("with spaces", " " + " ".join(text) + " ", text=text)
    accept("with white space", "\t" + text[:20] + "\r\n " + text[20:] + "\n", text=text)
    mistaken = "LOCKSTEP-" + text[9:].replace("0", "O").replace("1", "l")
    accept("O for 0, l for 1", mistaken, text=text)
    for length in (1, 2, 3, 4, 5, 512):
        relay = ("h" * length) if length < 512 else "https://" + "x" * 504
        longer = code_text(encode([1, relay, VAULT, SECRET]))
        accept(f"an address of {length} bytes", longer, relay=relay, text=longer)

    def refuse(name, why, typed):
        file.refuse(f"code: {name}", why, kind="code", code=typed)

    def wrong(name, why, value):
        refuse(name, why, code_text(value if isinstance(value, bytes) else encode(value)))

    letters = "base32: not a character of the alphabet"
    refuse("empty", "code: without its prefix", "")
    refuse("without the prefix", "code: without its prefix", text[9:])
    refuse("another prefix", "code: without its prefix", "LOCKSTOP-" + text[9:])
    refuse("the prefix with a zero for an O", "code: without its prefix", "L0CKSTEP-" + text[9:])
    refuse("nothing after the prefix", "code: too short", "LOCKSTEP-")
    refuse("the checksum alone", "code: too short", code_text(b""))
    refuse("U", letters, text[:20] + "U" + text[21:])
    refuse("a dot", letters, text[:20] + "." + text[21:])
    refuse("one character wrong", "code: mistyped", text[:20] + ALPHABET[ALPHABET.index(text[20]) ^ 1] + text[21:])
    refuse("the checksum wrong", "code: mistyped", code_text(body, flip(H("lockstep/pairing-code/1", body)[:4], 3)))
    # Its length is right for 1 to 4 bytes more or less; only 8n bits rounded up to characters are read.
    for relay in ("h" * 3, "h" * 4, "h" * 5, "h" * 6, "h" * 7):
        bits = 8 * (len(encode([1, relay, VAULT, SECRET])) + 4)
        spare = -bits % 5
        if spare:
            good = code_text(encode([1, relay, VAULT, SECRET]))
            changed = good[:-1] + ALPHABET[ALPHABET.index(good[-1]) | 1]
            refuse(f"{spare} unused bits, one not zero", "base32: unused bits not zero", changed)
    whole = next(t for t in (code_text(encode([1, "h" * n, VAULT, SECRET])) for n in range(1, 6)) if len(t[9:]) % 8 == 0)
    refuse("a character too many", "base32: wrong length", whole + "0")
    refuse("five characters short", "base32: wrong length", whole[:-5])
    wrong("version 2", "code version: unknown", [2, RELAY, VAULT, SECRET])
    wrong("three elements", "code: wrong number of elements", [1, RELAY, VAULT])
    wrong("five elements", "code: wrong number of elements", [1, RELAY, VAULT, SECRET, 0])
    wrong("a byte after the CBOR", "code: bytes after the end", body + b"\x00")
    wrong("the address is bytes", "relay address: not text", [1, RELAY.encode(), VAULT, SECRET])
    wrong("an address of 513 bytes", "relay address: wrong length", [1, "h" * 513, VAULT, SECRET])
    wrong("a vault id of 31 bytes", "vault id: wrong length", [1, RELAY, VAULT[:31], SECRET])
    wrong("a secret of 15 bytes", "secret: wrong length", [1, RELAY, VAULT, SECRET[:15]])
    wrong("a secret of 32 bytes", "secret: wrong length", [1, RELAY, VAULT, VAULT])


def shown(value):
    return (value if isinstance(value, bytes) else encode(value)).hex()


def requests(file):
    keys = {"kind": "request", "vault": VAULT.hex(), "secret": SECRET.hex()}

    def accept(name, text):
        contents = request_contents(text)
        file.accept(
            f"request: {name}", **keys, request=shown(request(contents)),
            expected={
                "device": [key.hex() for key in device.keys], "id": device.id.hex(),
                "fingerprint": fingerprint(device.id), "name": text, "name_salt": SALT.hex(),
                "name_commitment": contents_commitment(text), "join_signature": contents[4].hex(), "contents": encode(contents).hex(),
            },
        )  # fmt: skip

    accept("a laptop", "Laptop")
    accept("a name of 128 bytes", "\u00e9" * 64)
    accept("an empty name", "")

    def refuse(name, why, value, **changed):
        file.refuse(f"request: {name}", why, **keys | changed, request=shown(value))

    good = request_contents()
    made = request(good)
    other = Seeded("pairing/other")
    refuse("empty", "cbor: ends too early", b"")
    refuse("a byte after the end", "request: bytes after the end", encode(made) + b"\x00")
    refuse("two elements", "request: wrong number of elements", made[:2])
    refuse("four elements", "request: wrong number of elements", made + [0])
    refuse("version 2", "request version: unknown", request(good, version=2))
    refuse("a nonce of 12 bytes", "nonce: wrong length", [1, NONCE[:12], made[2]])
    refuse(
        "more than 4 KiB",
        "request: too long",
        [1, NONCE, E(purpose_key("request"), NONCE, pad(bytes(4000)), "lockstep/pairing-request/1", VAULT)],
    )
    shut = "request: does not open"
    refuse("another secret", shut, made, secret=other.take(16).hex())
    refuse("another vault", shut, made, vault=other.key().hex())
    refuse("sealed for another vault", shut, request(good, vault=other.key()))
    refuse("the key of the answer", shut, request(good, key=purpose_key("answer")))
    refuse("altered", shut, [1, NONCE, flip(made[2], 30)])
    plain = encode(good)
    refuse("padding without its mark", "request: padding without its mark", request(good, padded=plain + bytes(len(pad(plain)) - len(plain))))
    refuse("padding too long", "request: padding of wrong length", request(good, padded=pad(plain) + bytes(256)))

    def contents(name, why, value):
        refuse(f"contents: {name}", why, request(value))

    count = "request contents: wrong number of elements"
    contents("a byte after the end", "request contents: bytes after the end", plain + b"\x00")
    contents("four elements", count, good[:4])
    contents("six elements", count, good + [0])
    contents("version 2", "request contents version: unknown", [2] + good[1:])
    contents("a device of three keys", "device: wrong number of elements", [1, device.keys[:3], *good[2:]])
    contents("a key of 31 bytes", "chain-signing key: wrong length", [1, [device.keys[0][:31], *device.keys[1:]], *good[2:]])
    contents("a name of 129 bytes", "name text: wrong length", request_contents("\u00e9" * 64 + "x"))
    contents("a name that is bytes", "name text: not text", good[:2] + [b"Laptop"] + good[3:])
    contents("a name salt of 16 bytes", "name salt: wrong length", good[:3] + [SALT[:16], good[4]])
    contents("a signature of 63 bytes", "join signature: wrong length", good[:4] + [good[4][:63]])
    bad = "join signature: does not verify"
    contents("the signature altered", bad, good[:4] + [flip(good[4])])
    contents("another name than signed", bad, good[:2] + ["Desktop"] + good[3:])
    contents("another name salt than signed", bad, good[:3] + [flip(SALT), good[4]])
    contents("another key than signed", bad, [1, [*device.keys[:3], flip(device.keys[3])], *good[2:]])
    contents("joined in another vault", bad, good[:4] + [join_signature("Laptop", vault=other.key())])
    contents("joined at another mailbox", bad, good[:4] + [join_signature("Laptop", mailbox=bytes(32))])
    contents("signed with the push-signing key", bad, good[:4] + [join_signature("Laptop", seed=device.push_seed)])


def contents_commitment(text):
    return name_commitment(SALT, text).hex()


def answers(file):
    to = encode(request(request_contents()))
    keys = {"kind": "answer", "vault": VAULT.hex(), "secret": SECRET.hex(), "request": to.hex()}

    def accept(name, contents):
        _, outcome, role, head, number, a, c, checkpoint = contents
        file.accept(
            f"answer: {name}", **keys, answer=shown(answer(contents, to)),
            expected={
                "outcome": outcome, "role": role, "head": head.hex(), "number": number,
                "keyring_a": a.hex(), "keyring_c": c.hex(), "checkpoint": checkpoint.hex(),
            },
        )  # fmt: skip

    good = approved()
    accept("approved", good)
    accept("approved without a checkpoint", good[:7] + [b""])
    accept("approved as an admin", [1, 1, 1, *good[3:]])
    accept("approved as a reader", [1, 1, 3, *good[3:]])
    refusal = [1, 0, 0, b"", 0, b"", b"", b""]
    accept("refused", refusal)

    def refuse(name, why, value, **changed):
        file.refuse(f"answer: {name}", why, **keys | changed, answer=shown(value))

    made = answer(good, to)
    other = Seeded("pairing/answer")
    refuse("empty", "cbor: ends too early", b"")
    refuse("a byte after the end", "answer: bytes after the end", encode(made) + b"\x00")
    refuse("two elements", "answer: wrong number of elements", made[:2])
    refuse("four elements", "answer: wrong number of elements", made + [0])
    refuse("version 2", "answer version: unknown", answer(good, to, version=2))
    refuse("a nonce of 12 bytes", "nonce: wrong length", [1, NONCE[:12], made[2]])
    shut = "answer: does not open"
    refuse("another secret", shut, made, secret=other.take(16).hex())
    refuse("another vault", shut, made, vault=other.key().hex())
    refuse("to another request", shut, made, request=encode(request(request_contents("Desktop"))).hex())
    refuse("the key of the request", shut, answer(good, to, key=purpose_key("request")))
    refuse("altered", shut, [1, NONCE, flip(made[2], 30)])
    plain = encode(good)
    refuse("padding without its mark", "answer: padding without its mark", answer(good, to, padded=plain + bytes(len(pad(plain)) - len(plain))))
    refuse("padding too long", "answer: padding of wrong length", answer(good, to, padded=pad(plain) + bytes(256)))

    def contents(name, why, value):
        refuse(f"contents: {name}", why, answer(value, to))

    def replaced(at, value, of=good):
        return of[:at] + [value] + of[at + 1 :]

    count = "answer contents: wrong number of elements"
    contents("a byte after the end", "answer contents: bytes after the end", plain + b"\x00")
    contents("seven elements", count, good[:7])
    contents("nine elements", count, good + [0])
    contents("version 2", "answer contents version: unknown", replaced(0, 2))
    contents("outcome 2", "outcome: out of range", replaced(1, 2))
    contents("approved with role 0", "role: out of range", replaced(2, 0))
    contents("approved with role 4", "role: out of range", replaced(2, 4))
    contents("approved without a head", "head: wrong length", replaced(3, b""))
    contents("approved with number 0", "number: out of range", replaced(4, 0))
    contents("approved with number 10,000", "number: out of range", replaced(4, 10_000))
    contents("approved without a keyring", "cbor: ends too early", replaced(5, b""))
    contents("a keyring of kind 2", "keyring kind: out of range", replaced(6, keyring(2)))
    contents("the checkpoint is an array", "checkpoint: not a byte string", replaced(7, []))
    contents("refused with a role", "role: out of range", replaced(2, 2, refusal))
    contents("refused with a head", "head: wrong length", replaced(3, HEAD, refusal))
    contents("refused with a number", "number: out of range", replaced(4, 5, refusal))
    contents("refused with a keyring", "keyring A: wrong length", replaced(5, b"x", refusal))
    contents("refused with a checkpoint", "checkpoint: wrong length", replaced(7, b"x", refusal))
