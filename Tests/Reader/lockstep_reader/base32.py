"""Crockford's base32, most significant bit first, as Docs/Formats.md §5 and §6 use it."""

from .refusal import require

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SYMBOLS = {character: value for value, character in enumerate(ALPHABET)} | {"O": 0, "I": 1, "L": 1}


def upper(text):
    """ASCII alone: Unicode's upper case would turn other letters into ours."""
    return "".join(c.upper() if c.isascii() else c for c in text)


def typed(text):
    """What counts of what a person typed."""
    return "".join(upper(text).replace("-", "").split())


def write(data):
    bits, count, text = int.from_bytes(data, "big"), 8 * len(data), ""
    spare = -count % 5
    bits <<= spare
    for shift in range(count + spare - 5, -1, -5):
        text += ALPHABET[bits >> shift & 31]
    return text


def read(text):
    bits = 0
    for character in upper(text):
        require(character in SYMBOLS, "base32: not a character of the alphabet")
        bits = bits << 5 | SYMBOLS[character]
    spare = 5 * len(text) % 8
    require(spare < 5, "base32: wrong length")
    require(bits & ((1 << spare) - 1) == 0, "base32: unused bits not zero")
    return (bits >> spare).to_bytes(5 * len(text) // 8, "big")
