"""Docs/Formats.md §5: the recovery key, its text, and what is derived from it."""

import nacl.bindings as sodium

from . import base32
from .base32 import ALPHABET, SYMBOLS
from .names import recovery_id
from .notation import H, K
from .refusal import Refused, require

GROUPS = 13


def times(a, b):
    """GF(32), x^5 + x^2 + 1."""
    product = 0
    for bit in range(5):
        if b >> bit & 1:
            product ^= a << bit
    for bit in range(8, 4, -1):
        if product >> bit & 1:
            product ^= 0b100101 << (bit - 5)
    return product


def check_character(group, symbols):
    check = group + 1
    for factor, symbol in zip((2, 3, 4, 5), symbols):
        check ^= times(factor, symbol)
    return check


def checksum(secret):
    return H("lockstep/recovery-checksum/1", secret)[0] >> 4


def write_text(secret):
    bits = int.from_bytes(secret, "big") << 4 | checksum(secret)
    symbols = [bits >> (5 * (51 - i)) & 31 for i in range(52)]
    groups = []
    for group in range(GROUPS):
        four = symbols[4 * group : 4 * group + 4]
        groups.append("".join(ALPHABET[s] for s in four + [check_character(group, four)]))
    return "-".join(groups)


def read_text(text):
    """The 32 bytes of R. A refusal carries the numbers (from 1) of the mistyped groups."""
    typed = base32.typed(text)
    require(len(typed) == 5 * GROUPS, "recovery key: wrong length")
    bits, wrong, unknown = 0, [], False
    for group in range(GROUPS):
        symbols = [SYMBOLS.get(c) for c in typed[5 * group : 5 * group + 5]]
        if None in symbols:
            unknown = True
            wrong.append(group + 1)
            continue
        if check_character(group, symbols[:4]) != symbols[4]:
            wrong.append(group + 1)
        for symbol in symbols[:4]:
            bits = bits << 5 | symbol
    if unknown:
        raise Refused("recovery key: not a character of the alphabet", wrong)
    if wrong:
        raise Refused("recovery key: mistyped", wrong)
    secret = (bits >> 4).to_bytes(32, "big")
    require(checksum(secret) == bits & 15, "recovery key: checksum does not match")
    return secret


def derive(secret):
    """name: bytes, for everything that a recovery key gives."""
    given = {
        "signing_seed": K(secret, "lockstep/recovery/1", "signing"),
        "sealing_seed": K(secret, "lockstep/recovery/1", "sealing"),
        "pre_shared_key": K(secret, "lockstep/recovery/1", "pre-shared key"),
        "locator": K(secret, "lockstep/recovery/1", "locator"),
    }
    given["signing_public"] = sodium.crypto_sign_seed_keypair(given["signing_seed"])[0]
    given["sealing_public"] = sodium.crypto_box_seed_keypair(given["sealing_seed"])[0]
    given["recovery_id"] = recovery_id(given["signing_public"], given["sealing_public"])
    return given
