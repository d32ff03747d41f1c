"""Docs/Formats.md §7: checkpoint, set hash, listing digest, purge."""

from dataclasses import dataclass

from .cbor import decode
from .notation import H, K, decrypt, unpad, verify, xchacha20_keystream
from .record import read_vector
from .refusal import ascending, boolean, elements, octets, require, unsigned, version

CHECKPOINT_MAX = 1 << 20
QUARANTINED_MAX = 10_000
LANES = 1024


@dataclass
class Checkpoint:
    author: bytes
    epoch: int
    number: int
    incarnation: bytes
    sequence: int
    set_hash: bytes
    quarantined: list
    clean: bool
    own_counter: int
    floor: list
    greatest_purged: int
    head: bytes
    chain_number: int
    raw: bytes


@dataclass
class Purge:
    slot: bytes
    sequence: int
    record_hash: bytes
    incarnation: bytes
    head: bytes
    author: bytes


def open_checkpoint(data, vault, c_key, author_push_key):
    """`c_key`: the C key of the epoch that the checkpoint names."""
    require(len(data) <= CHECKPOINT_MAX, "checkpoint: too long")
    item = elements(decode(data, "checkpoint"), 6, "checkpoint")
    version(item[0], "checkpoint")
    author = octets(item[1], 32, "author")
    epoch = unsigned(item[2], "epoch", 1)
    nonce = octets(item[3], 24, "nonce")
    ciphertext = octets(item[4], None, "ciphertext")
    signature = octets(item[5], 64, "signature")
    verify(
        author_push_key, signature, "signature", "lockstep/checkpoint-signature/1",
        vault, author, epoch, nonce, H("lockstep/checkpoint-body/1", ciphertext),
    )  # fmt: skip
    key = K(c_key, "lockstep/checkpoint/1", author)
    plain = decrypt(key, nonce, ciphertext, "checkpoint", "lockstep/checkpoint/1", vault, author, epoch)
    return read_contents(unpad(plain, "checkpoint"), author, epoch)


def read_contents(plain, author, epoch):
    item = elements(decode(plain, "contents"), 12, "contents")
    version(item[0], "contents")
    quarantined = [octets(slot, 32, "quarantined slot") for slot in elements(item[5], None, "quarantined slots")]
    require(len(quarantined) <= QUARANTINED_MAX, "quarantined slots: too many")
    ascending(quarantined, "quarantined slot")
    return Checkpoint(
        author,
        epoch,
        unsigned(item[1], "number"),
        octets(item[2], 16, "incarnation"),
        unsigned(item[3], "sequence"),
        octets(item[4], 32, "set hash"),
        quarantined,
        boolean(item[6], "clean"),
        unsigned(item[7], "own counter"),
        read_vector(item[8], "floor"),
        unsigned(item[9], "greatest purged"),
        octets(item[10], 32, "head"),
        unsigned(item[11], "chain number"),
        bytes(plain),
    )


def open_purge(data, vault, author_push_key):
    item = elements(decode(data, "purge"), 8, "purge")
    version(item[0], "purge")
    purge = Purge(
        octets(item[1], 32, "slot"),
        unsigned(item[2], "sequence"),
        octets(item[3], 32, "record hash"),
        octets(item[4], 16, "incarnation"),
        octets(item[5], 32, "head"),
        octets(item[6], 32, "author"),
    )
    verify(
        author_push_key, octets(item[7], 64, "signature"), "signature", "lockstep/purge/1",
        vault, purge.slot, purge.sequence, purge.record_hash, purge.incarnation, purge.head,
    )  # fmt: skip
    return purge


def record_hash(record):
    return H("lockstep/record-hash/1", record)


def set_hash(set_hash_key, records):
    """`records`: (slot, record hash) of every record."""
    lanes = [0] * LANES
    for slot, hash in records:
        key = K(set_hash_key, "lockstep/set-hash-element/1", slot, hash)
        stream = xchacha20_keystream(key, bytes(24), 2 * LANES)
        for at in range(LANES):
            lanes[at] = (lanes[at] + int.from_bytes(stream[2 * at : 2 * at + 2], "little")) % (1 << 16)
    return H("lockstep/set-hash/1", b"".join(lane.to_bytes(2, "little") for lane in lanes))


def listing_digest(slots):
    """`slots`: (slot, sequence) of every slot."""
    total = 0
    for slot, sequence in slots:
        total += int.from_bytes(H("lockstep/listing/1", slot, sequence), "little")
    return (total % (1 << 256)).to_bytes(32, "little")
