"""Docs/Formats.md §8 and §9: keybag, local blobs, index tags."""

from dataclasses import dataclass

import nacl.bindings as sodium

from .cbor import decode, encode
from .notation import K, decrypt
from .record import counted
from .refusal import ascending, elements, octets, require, unsigned, version

OPERATIONS = (1, 16)
MEMORY_KIB = (8 << 10, 4 << 20)
CLASS_A, CLASS_P, CLASS_C, CLASS_D = 1, 2, 3, 4
NO_PASSPHRASE = [0]


@dataclass
class Keybag:
    id: bytes
    protection: list
    root: list
    classes: dict


def _protection(value):
    require(isinstance(value, list) and value, "protection: not an array")
    if unsigned(value[0], "protection kind", 0, 1) == 0:
        return elements(value, 1, "protection")
    elements(value, 4, "protection")
    unsigned(value[1], "operations", *OPERATIONS)
    unsigned(value[2], "memory", *MEMORY_KIB)
    octets(value[3], 16, "passphrase salt")
    return value


def _wrapped(value):
    elements(value, 2, "wrapped key")
    octets(value[0], 24, "nonce")
    octets(value[1], 32 + 16, "wrapped key")
    return value


def parse(data):
    item = elements(decode(data, "keybag"), 5, "keybag")
    version(item[0], "keybag")
    id = octets(item[1], 32, "keybag id")
    protection = _protection(item[2])
    root = _wrapped(item[3])
    pairs = []
    for pair in elements(item[4], None, "class keys"):
        elements(pair, 2, "class key")
        pairs.append((unsigned(pair[0], "class", CLASS_A, CLASS_D), _wrapped(pair[1])))
    ascending([number for number, _ in pairs], "class")
    classes = dict(pairs)
    require({CLASS_A, CLASS_C, CLASS_D} <= classes.keys(), "class: missing")
    require(protection[0] == 1 or CLASS_P not in classes, "class P: without a passphrase")
    require(protection[0] == 0 or CLASS_P in classes, "class P: missing under a passphrase")
    return Keybag(id, protection, root, classes)


def argon2id(passphrase, operations, memory_kib, salt):
    return sodium.crypto_pwhash_alg(32, passphrase, salt, operations, memory_kib * 1024, sodium.crypto_pwhash_ALG_ARGON2ID13)


def unlock_key(keybag, device_secret, passphrase):
    rest = []
    if keybag.protection[0] == 1:
        _, operations, memory, salt = keybag.protection
        rest = [operations, memory, salt, argon2id(passphrase, operations, memory, salt)]
    return K(device_secret, "lockstep/keybag/1", "unlock", keybag.id, *rest)


def unwrap(keybag, wrapped, key, number):
    protection = keybag.protection if number == 0 else NO_PASSPHRASE
    what = "root" if number == 0 else f"class key {number}"
    return decrypt(key, wrapped[0], wrapped[1], what, "lockstep/keybag/1", keybag.id, protection, number)


def class_wrapping_key(key, number):
    """`key`: the root for classes A, P and C; the device secret for D."""
    return K(key, "lockstep/keybag/1", "class", number)


def open_always(keybag, device_secret):
    """Class D, which needs neither the root nor a passphrase."""
    return unwrap(keybag, keybag.classes[CLASS_D], class_wrapping_key(device_secret, CLASS_D), CLASS_D)


def open_keybag(data, device_secret, passphrase=b""):
    """(keybag, root, {class: class key})."""
    keybag = parse(data)
    root = unwrap(keybag, keybag.root, unlock_key(keybag, device_secret, passphrase), 0)
    keys = {}
    for number, wrapped in keybag.classes.items():
        base = device_secret if number == CLASS_D else root
        keys[number] = unwrap(keybag, wrapped, class_wrapping_key(base, number), number)
    return keybag, root, keys


def index_key(class_key):
    return K(class_key, "lockstep/index-key/1")


def index_tag(key, vault, item_class, name, value):
    return K(key, "lockstep/index-tag/1", vault, item_class, name, counted(value))[:16]


def open_blob(data, number, class_key, purpose, vault):
    item = elements(decode(data, "local blob"), 4, "local blob")
    version(item[0], "local blob")
    require(unsigned(item[1], "class", CLASS_A, CLASS_D) == number, "class: not the one asked for")
    nonce = octets(item[2], 24, "nonce")
    ciphertext = octets(item[3], None, "ciphertext")
    key = K(class_key, "lockstep/local-blob/1", purpose, vault)
    return decrypt(key, nonce, ciphertext, "local blob", "lockstep/local-blob/1", purpose, vault)


def read_vault_blob(contents):
    """(signing seed, exchange seed, keyring contents) of a blob "vault A" or "vault C"."""
    item = elements(decode(contents, "vault blob"), 4, "vault blob")
    version(item[0], "vault blob")
    elements(item[3], None, "keyring contents")
    return octets(item[1], 32, "signing seed"), octets(item[2], 32, "exchange seed"), encode(item[3])
