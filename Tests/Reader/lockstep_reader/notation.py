"""Docs/Formats.md §1: H, K, S, E, seal and padding."""

import hashlib
import hmac

import nacl.bindings as sodium
import nacl.exceptions

from .cbor import encode
from .refusal import Refused, refuse, require

NONCE = 24
TAG = 16
PAD_MIN = 256


def message(context, *rest):
    return encode([context, *rest])


def H(context, *rest):
    return hashlib.blake2b(message(context, *rest), digest_size=32).digest()


def K(key, context, *rest):
    require(16 <= len(key) <= 64, "key: wrong length")
    return hashlib.blake2b(message(context, *rest), digest_size=32, key=bytes(key)).digest()


def same(left, right):
    return hmac.compare_digest(left, right)


def verify(public_key, signature, what, context, *rest):
    """S, checked. `what` names the signature in the refusal."""
    require(len(public_key) == 32 and len(signature) == 64, f"{what}: wrong length")
    try:
        sodium.crypto_sign_open(bytes(signature) + message(context, *rest), bytes(public_key))
    except nacl.exceptions.BadSignatureError:
        refuse(f"{what}: does not verify")


def decrypt(key, nonce, ciphertext, what, context, *rest):
    """E, opened."""
    require(len(nonce) == NONCE, f"{what}: nonce of wrong length")
    require(len(ciphertext) >= TAG, f"{what}: shorter than its tag")
    try:
        return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(bytes(ciphertext), message(context, *rest), bytes(nonce), bytes(key))
    except nacl.exceptions.CryptoError:
        refuse(f"{what}: does not open")


def unseal(seed, sealed, what):
    """`seal`, opened with the key pair of an X25519 seed (crypto_box_seed_keypair)."""
    public_key, secret_key = sodium.crypto_box_seed_keypair(bytes(seed))
    try:
        return sodium.crypto_box_seal_open(bytes(sealed), public_key, secret_key)
    # PyNaCl raises its TypeError for a box that is shorter than its own overhead.
    except (nacl.exceptions.CryptoError, nacl.exceptions.TypeError):
        refuse(f"{what}: does not open")


def exchange_public(seed):
    return sodium.crypto_box_seed_keypair(bytes(seed))[0]


def signing_public(seed):
    return sodium.crypto_sign_seed_keypair(bytes(seed))[0]


def padme(length):
    exponent = length.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return -(-length // step) * step


def padded_length(length):
    return padme(max(length + 1, PAD_MIN))


def pad(plain):
    return plain + b"\x80" + bytes(padded_length(len(plain)) - len(plain) - 1)


def unpad(padded, what):
    content = padded.rstrip(b"\x00")
    if not content.endswith(b"\x80"):
        raise Refused(f"{what}: padding without its mark")
    content = content[:-1]
    require(len(padded) == padded_length(len(content)), f"{what}: padding of wrong length")
    return content


# XChaCha20, written out: PyNaCl has no keystream. RFC 8439 §2.3 with the 64-bit counter of the
# original ChaCha20, which for these lengths is the same stream as the IETF one.


def _rounds(state):
    x = list(state)
    for _ in range(10):
        for a, b, c, d in (
            (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
            (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
        ):  # fmt: skip
            for one, other, target, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[one] = (x[one] + x[other]) & 0xFFFFFFFF
                mixed = x[target] ^ x[one]
                x[target] = (mixed << turn | mixed >> (32 - turn)) & 0xFFFFFFFF
    return x


def _words(data):
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def _octets(words):
    return b"".join(word.to_bytes(4, "little") for word in words)


_SIGMA = _words(b"expand 32-byte k")


def xchacha20_keystream(key, nonce, length):
    inner = _rounds(_SIGMA + _words(key) + _words(nonce[:16]))
    subkey = inner[:4] + inner[12:]
    stream = b""
    for counter in range(-(-length // 64)):
        start = _SIGMA + subkey + [counter, 0] + _words(nonce[16:])
        stream += _octets([(a + b) & 0xFFFFFFFF for a, b in zip(_rounds(start), start)])
    return stream[:length]
