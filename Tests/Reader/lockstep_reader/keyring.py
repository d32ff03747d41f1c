"""Docs/Formats.md §3: keyrings, and the one test of their keys: the commitments in the chain."""

from dataclasses import dataclass, field

from .cbor import decode
from .names import key_commitment
from .notation import K, decrypt, same, unseal
from .refusal import ascending, elements, octets, require, unsigned, version

CIPHERTEXT_MAX = 64 << 10
EPOCHS_MAX = 1024
RECOVERIES_MAX = 64
KIND_A, KIND_C = 1, 3
WRAP_EPOCH, WRAP_PAIRING = 0, 1


@dataclass
class Keyring:
    kind: int
    vault: bytes
    epoch: int
    recipient: bytes
    wrap: int
    nonce: bytes
    ciphertext: bytes


@dataclass
class Contents:
    kind: int
    keys: list
    recoveries: list = field(default_factory=list)
    slot_key: bytes = b""
    set_hash_key: bytes = b""
    raw: bytes = b""


def _kind(value, what):
    unsigned(value, what, KIND_A, KIND_C)
    require(value != 2, f"{what}: out of range")
    return value


def parse(keyring):
    item = elements(decode(keyring, "keyring"), 8, "keyring")
    version(item[0], "keyring")
    kind = _kind(item[1], "keyring kind")
    vault = octets(item[2], 32, "vault id")
    epoch = unsigned(item[3], "epoch", 1)
    recipient = octets(item[4], 32, "recipient")
    wrap = unsigned(item[5], "wrap", 0, 2)
    require(wrap != WRAP_EPOCH or epoch > 1, "wrap: no epoch before the first")
    nonce = octets(item[6], 24, "nonce")
    ciphertext = octets(item[7], None, "ciphertext")
    require(len(ciphertext) <= CIPHERTEXT_MAX, "ciphertext: too long")
    return Keyring(kind, vault, epoch, recipient, wrap, nonce, ciphertext)


def wrapping_key(keyring, wrap_secret):
    """`wrap_secret`: the previous epoch's key of this kind, the pairing secret, or the pre-shared key."""
    if keyring.wrap == WRAP_PAIRING:
        return K(wrap_secret, "lockstep/pairing/1", "keyring", keyring.vault)
    return K(wrap_secret, "lockstep/keyring-wrap/1", keyring.vault, keyring.epoch, keyring.recipient)


def read_contents(plain, expected_kind):
    item = decode(plain, "contents")
    require(isinstance(item, list) and len(item) >= 2, "contents: not an array")
    version(item[0], "contents")
    require(_kind(item[1], "contents kind") == expected_kind, "contents kind: not the keyring's")
    elements(item, 4 if expected_kind == KIND_A else 5, "contents")
    keys = []
    for pair in elements(item[2], None, "epoch keys"):
        elements(pair, 2, "epoch key")
        keys.append((unsigned(pair[0], "key epoch", 1), octets(pair[1], 32, "key")))
    require(len(keys) <= EPOCHS_MAX, "epoch keys: too many")
    ascending([epoch for epoch, _ in keys], "key epoch")
    contents = Contents(expected_kind, keys, raw=bytes(plain))
    if expected_kind == KIND_C:
        contents.slot_key = octets(item[3], 32, "slot key")
        contents.set_hash_key = octets(item[4], 32, "set-hash key")
        return contents
    for pair in elements(item[3], None, "recovery keys"):
        elements(pair, 2, "recovery key")
        contents.recoveries.append((octets(pair[0], 32, "recovery id"), octets(pair[1], 32, "pre-shared key")))
    require(len(contents.recoveries) <= RECOVERIES_MAX, "recovery keys: too many")
    ascending([id for id, _ in contents.recoveries], "recovery id")
    return contents


def check_commitments(contents, chain):
    """Valid if and only if every key matches its commitment in the verified chain."""

    def check(key, kind, epoch, commitment, what):
        require(commitment is not None, f"{what}: no commitment in the chain")
        require(same(key_commitment(key, kind, chain.salt, epoch), commitment), f"{what}: does not match")

    letter = "A" if contents.kind == KIND_A else "C"
    for epoch, key in contents.keys:
        pair = chain.commitments.get(epoch)
        check(key, letter, epoch, pair and pair[0 if contents.kind == KIND_A else 1], f"{letter} key")
    for id, key in contents.recoveries:
        recovery = chain.known_recoveries.get(id)
        check(key, "recovery", 0, recovery and recovery.commitment, "pre-shared key")
    if contents.kind == KIND_C:
        check(contents.slot_key, "slot", 0, chain.slot_commitment, "slot key")
        check(contents.set_hash_key, "set-hash", 0, chain.set_hash_commitment, "set-hash key")


def open_keyring(data, kind, chain, recipient, seed, wrap, wrap_secret):
    """`chain`: a verified State; `recipient` and `seed`: the opener's id and X25519 seed for this kind;
    `wrap` and `wrap_secret`: what it holds beside that."""
    keyring = parse(data)
    require(keyring.kind == kind, "keyring kind: not the one asked for")
    require(keyring.vault == chain.vault, "vault id: of another vault")
    require(keyring.recipient == recipient, "recipient: another")
    require(keyring.wrap == wrap, "wrap: not the one asked for")
    sealed = decrypt(
        wrapping_key(keyring, wrap_secret), keyring.nonce, keyring.ciphertext, "ciphertext",
        "lockstep/keyring/1", keyring.kind, keyring.vault, keyring.epoch, keyring.recipient, keyring.wrap,
    )  # fmt: skip
    contents = read_contents(unseal(seed, sealed, "sealed box"), kind)
    require(contents.keys and contents.keys[-1][0] == keyring.epoch, "key epoch: the last is not the keyring's")
    check_commitments(contents, chain)
    return keyring, contents
