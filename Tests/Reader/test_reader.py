"""The independent reader against the committed vectors, and against those that the Swift side writes."""

import json
import pathlib

import cbor2
import nacl.bindings as sodium
import pytest

import make_vectors
from lockstep_reader import Refused
from lockstep_reader.cbor import Map, decode, encode
from lockstep_reader.notation import xchacha20_keystream
from lockstep_reader.vectors import check_positive, refusal_of, untagged

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Vectors"
SWIFT = VECTORS / "swift"


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


FILES = {name: load(VECTORS / f"{name}.json") for name in make_vectors.WRITERS}
SWIFT_FILES = {path.stem: load(path) for path in sorted(SWIFT.glob("*.json"))}


def cases(files, sign):
    return [pytest.param(file, vector, id=f"{name}: {vector['name']}") for name, file in files.items() for vector in file[sign]]


@pytest.mark.parametrize("name", FILES)
def test_the_corpus_is_not_empty_and_names_are_unique(name):
    file = FILES[name]
    assert (file["format"], file["version"]) == (name, 1)
    assert file["positive"] and file["negative"]
    names = [vector["name"] for vector in file["positive"] + file["negative"]]
    assert len(names) == len(set(names))


def test_every_file_beside_the_vectors_is_one_that_is_generated():
    assert {path.stem for path in VECTORS.glob("*.json")} == set(make_vectors.WRITERS)


def test_generating_again_gives_the_committed_bytes():
    for name, text in make_vectors.make().items():
        assert text == (VECTORS / f"{name}.json").read_text(encoding="ascii"), name


@pytest.mark.parametrize("file, vector", cases(FILES, "positive"))
def test_positive(file, vector):
    check_positive(vector, file)


@pytest.mark.parametrize("file, vector", cases(FILES, "negative"))
def test_negative(file, vector):
    refused = refusal_of(vector, file)
    assert refused is not None, "it opened"
    assert refused.reason == vector["why"]
    assert refused.groups == vector.get("groups", [])


# What the Swift side wrote: the same shapes, opened by the same reader.


def test_the_swift_corpus_is_not_empty():
    sealed = {"record", "keyring", "chain", "recovery", "pairing", "checkpoint", "keybag"}
    assert sealed <= SWIFT_FILES.keys() <= FILES.keys()
    for name, file in SWIFT_FILES.items():
        assert (file["format"], file["version"]) == (name, 1)
        assert file["positive"], name


@pytest.mark.parametrize("file, vector", cases(SWIFT_FILES, "positive"))
def test_swift_positive(file, vector):
    check_positive(vector, file)


def test_swift_negatives():
    # There need not be any: what is wrong is mostly written here.
    for name, file in SWIFT_FILES.items():
        for vector in file["negative"]:
            assert refusal_of(vector, file) is not None, (name, vector["name"])


# The two pieces that are written out here rather than taken from a library.


def plain(value):
    if isinstance(value, Map):
        return {plain(key): plain(item) for key, item in value.pairs}
    return [plain(item) for item in value] if isinstance(value, list) else value


def test_cbor_agrees_with_cbor2():
    compared = 0
    for vector in FILES["cbor"]["positive"]:
        encoded = bytes.fromhex(vector["encoded"])
        if "order of keys" in vector["name"]:
            continue  # arrays as keys, which a dict cannot hold
        value = plain(untagged(vector["value"]))
        assert cbor2.loads(encoded) == value
        assert cbor2.dumps(value) == encoded == encode(decode(encoded))
        compared += 1
    assert compared > 40


def test_the_keystream_agrees_with_libsodium():
    # The AEAD encrypts with the keystream from its second block on.
    key, nonce = bytes(range(32)), bytes(range(100, 124))
    sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(bytes(1984), None, nonce, key)
    assert xchacha20_keystream(key, nonce, 2048)[64:] == sealed[:-16]


def test_every_byte_of_a_record_counts():
    """Whatever byte of a record changes, it does not open: nothing in it is unauthenticated."""
    for vector in FILES["record"]["positive"]:
        if vector["name"] not in ("a generic password of class A", "a device-only item, aku"):
            continue
        record = bytes.fromhex(vector["record"])
        for at in range(len(record)):
            changed = record[:at] + bytes([record[at] ^ 1]) + record[at + 1 :]
            assert refusal_of(vector | {"record": changed.hex()}, FILES["record"]) is not None, at


def test_random_bytes_are_refused_and_nothing_else():
    """The reader never fails otherwise than by Refused."""
    stream = xchacha20_keystream(bytes(32), bytes(24), 1 << 16)
    fields = {"cbor": "encoded", "record": "record", "keyring": "keyring", "keybag": "keybag"}
    for format, field in fields.items():
        vector = FILES[format]["positive"][0]
        good = bytes.fromhex(vector[field])
        for at in range(0, 400):
            cut = good[: at % len(good)] + stream[at * 40 : at * 40 + at % 40]
            if cut == good:
                continue
            try:
                check_positive(vector | {field: cut.hex()}, FILES[format])
            except (Refused, AssertionError):
                pass
