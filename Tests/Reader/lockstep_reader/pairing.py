"""Docs/Formats.md §6: the pairing code, the joining device's request, and the answer."""

from dataclasses import dataclass

from . import base32, keyring
from .cbor import decode, encode
from .chain import ENTRIES_MAX
from .names import NAME_MAX, device_id, name_commitment, read_device
from .notation import H, K, decrypt, unpad, verify
from .refusal import characters, elements, octets, require, unsigned, version

PREFIX = "LOCKSTEP"
ADDRESS_MAX = 512
REQUEST_MAX = 4 << 10
ANSWER_MAX = 1 << 20
REFUSED, APPROVED = 0, 1


@dataclass
class Code:
    relay: str
    vault: bytes
    secret: bytes


@dataclass
class Request:
    device: list
    name: str
    salt: bytes
    join_signature: bytes

    @property
    def id(self):
        return device_id(self.device)

    @property
    def name_commitment(self):
        return name_commitment(self.salt, self.name)


@dataclass
class Answer:
    outcome: int
    role: int
    head: bytes
    number: int
    keyring_a: bytes
    keyring_c: bytes
    checkpoint: bytes


def pairing_key(secret, purpose, vault):
    return K(secret, "lockstep/pairing/1", purpose, vault)


def write_code(code):
    body = encode([1, code.relay, code.vault, code.secret])
    return "LOCKSTEP-" + base32.write(body + H("lockstep/pairing-code/1", body)[:4])


def read_code(text):
    typed = base32.typed(text)
    require(typed.startswith(PREFIX), "code: without its prefix")
    data = base32.read(typed[len(PREFIX) :])
    require(len(data) > 4, "code: too short")
    body, check = data[:-4], data[-4:]
    require(H("lockstep/pairing-code/1", body)[:4] == check, "code: mistyped")
    item = elements(decode(body, "code"), 4, "code")
    version(item[0], "code")
    relay = characters(item[1], 0, ADDRESS_MAX, "relay address")
    return Code(relay, octets(item[2], 32, "vault id"), octets(item[3], 16, "secret"))


def open_request(request, secret, vault):
    require(len(request) <= REQUEST_MAX, "request: too long")
    item = elements(decode(request, "request"), 3, "request")
    version(item[0], "request")
    nonce = octets(item[1], 24, "nonce")
    ciphertext = octets(item[2], None, "ciphertext")
    key = pairing_key(secret, "request", vault)
    plain = unpad(decrypt(key, nonce, ciphertext, "request", "lockstep/pairing-request/1", vault), "request")
    inner = elements(decode(plain, "request contents"), 5, "request contents")
    version(inner[0], "request contents")
    device = read_device(inner[1])
    name = characters(inner[2], 0, NAME_MAX, "name text")
    opened = Request(device, name, octets(inner[3], 32, "name salt"), octets(inner[4], 64, "join signature"))
    verify(
        device[0], opened.join_signature, "join signature",
        "lockstep/join/1", vault, device, opened.name_commitment, pairing_key(secret, "mailbox", vault),
    )  # fmt: skip
    return opened


def open_answer(answer, request, secret, vault):
    """`request`: the bytes of the request that is answered."""
    require(len(answer) <= ANSWER_MAX, "answer: too long")
    item = elements(decode(answer, "answer"), 3, "answer")
    version(item[0], "answer")
    nonce = octets(item[1], 24, "nonce")
    ciphertext = octets(item[2], None, "ciphertext")
    plain = decrypt(
        pairing_key(secret, "answer", vault), nonce, ciphertext, "answer",
        "lockstep/pairing-answer/1", vault, H("lockstep/pairing-request/1", request),
    )  # fmt: skip
    inner = elements(decode(unpad(plain, "answer"), "answer contents"), 8, "answer contents")
    version(inner[0], "answer contents")
    outcome = unsigned(inner[1], "outcome", REFUSED, APPROVED)
    approved = outcome == APPROVED
    role = unsigned(inner[2], "role", 1 if approved else 0, 3 if approved else 0)
    head = octets(inner[3], 32 if approved else 0, "head")
    number = unsigned(inner[4], "number", *((1, ENTRIES_MAX - 1) if approved else (0, 0)))
    rest = [octets(one, None if approved else 0, what) for one, what in zip(inner[5:], ("keyring A", "keyring C", "checkpoint"))]
    if approved:
        keyring.parse(rest[0])
        keyring.parse(rest[1])
    return Answer(outcome, role, head, number, *rest)


def fingerprint(id):
    text = base32.write(id[:10])
    return "-".join(text[at : at + 4] for at in range(0, len(text), 4))
