"""The writing half of Docs/Formats.md §1, deterministic: every key and nonce comes from a seeded generator."""

import hashlib

import nacl.bindings as sodium

from lockstep_reader.cbor import Map, decode, encode
from lockstep_reader.names import device_id, key_commitment, name_commitment, recovery_id
from lockstep_reader.notation import H, K, exchange_public, message, pad, signing_public


class Seeded:
    """Bytes that only the label decides. Not random: for vectors alone."""

    def __init__(self, label):
        self.label = label
        self.count = 0

    def take(self, length):
        out = b""
        while len(out) < length:
            out += hashlib.blake2b(f"lockstep vectors/{self.label}/{self.count}".encode()).digest()
            self.count += 1
        return out[:length]

    def key(self):
        return self.take(32)

    def nonce(self):
        return self.take(24)


def S(seed, context, *rest):
    _, secret_key = sodium.crypto_sign_seed_keypair(seed)
    return sodium.crypto_sign(message(context, *rest), secret_key)[:64]


def E(key, nonce, plain, context, *rest):
    return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, message(context, *rest), nonce, key)


def seal(public_key, plain, ephemeral_seed):
    """crypto_box_seal with a chosen ephemeral key pair: nonce = BLAKE2b-24(ephemeral ‖ recipient)."""
    ephemeral, secret_key = sodium.crypto_box_seed_keypair(ephemeral_seed)
    nonce = hashlib.blake2b(ephemeral + public_key, digest_size=24).digest()
    return ephemeral + sodium.crypto_box(plain, nonce, public_key, secret_key)


def flip(data, at=0, bit=1):
    changed = bytearray(data)
    changed[at] ^= bit
    return bytes(changed)


def value_json(value):
    """A CBOR value, its type written out, integers as text since JSON numbers are not 64-bit everywhere."""
    if value is None:
        return {"null": True}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Map):
        return {"map": [[value_json(key), value_json(item)] for key, item in value.pairs]}
    return {"array": [value_json(item) for item in value]}


def value_from_json(tagged):
    (tag, value), *_ = tagged.items()
    if tag == "null":
        return None
    if tag == "int":
        return int(value)
    if tag == "bytes":
        return bytes.fromhex(value)
    if tag == "map":
        return Map([(value_from_json(key), value_from_json(item)) for key, item in value])
    if tag == "array":
        return [value_from_json(item) for item in value]
    return value


def raw_array(encoded_elements):
    """An array of elements that are encoded already (perhaps wrongly, on purpose)."""
    assert len(encoded_elements) < 24
    return bytes([0x80 | len(encoded_elements)]) + b"".join(encoded_elements)


class File:
    """One file of vectors under construction."""

    def __init__(self, format):
        self.format = format
        self.shared = {}
        self.positive = []
        self.negative = []

    def accept(self, name, **fields):
        self.positive.append({"name": name, **fields})

    def refuse(self, name, why, **fields):
        self.negative.append({"name": name, "why": why, **fields})

    def content(self):
        return {
            "format": self.format,
            "version": 1,
            **self.shared,
            "positive": self.positive,
            "negative": self.negative,
        }


__all__ = [
    "E", "File", "H", "K", "Map", "S", "Seeded", "decode", "device_id", "encode", "exchange_public", "flip",
    "key_commitment", "message", "name_commitment", "pad", "raw_array", "recovery_id", "seal", "signing_public",
    "value_from_json", "value_json",
]  # fmt: skip
