"""Docs/Formats.md §4: ids, key commitments, and the sealed names of devices and recovery keys."""

from .cbor import decode
from .notation import H, K, decrypt, same, unpad
from .refusal import characters, elements, octets, require, unsigned

NAME_MAX = 128
SEALED_NAME = 272


def device_id(device):
    return H("lockstep/device-id/1", *device)


def recovery_id(signing, sealing):
    return H("lockstep/recovery-id/1", signing, sealing)


def key_commitment(key, kind, salt, epoch):
    return K(key, "lockstep/key-commitment/1", kind, salt, epoch)


def name_commitment(salt, text):
    return K(salt, "lockstep/name-commitment/1", text)


def read_device(value):
    elements(value, 4, "device")
    for key, what in zip(value, ("chain-signing", "exchange-A", "push-signing", "exchange-C")):
        octets(key, 32, f"{what} key")
    return value


def read_name(value, newest_epoch):
    elements(value, 4, "name")
    octets(value[0], 32, "name commitment")
    unsigned(value[1], "name epoch", 1, newest_epoch)
    octets(value[2], 24, "name nonce")
    octets(value[3], SEALED_NAME, "sealed name")
    return value


def open_name(name, owner, c_keys):
    """The text of a device's or recovery key's name. `c_keys` maps epochs to C keys."""
    commitment, epoch, nonce, sealed = name
    require(epoch in c_keys, "name: no key of its epoch")
    key = K(c_keys[epoch], "lockstep/name/1", owner)
    plain = unpad(decrypt(key, nonce, sealed, "name", "lockstep/name/1", owner, epoch, commitment), "name")
    item = elements(decode(plain, "name contents"), 2, "name contents")
    salt = octets(item[0], 32, "name salt")
    text = characters(item[1], 0, NAME_MAX, "name text")
    require(same(name_commitment(salt, text), commitment), "name commitment: does not match")
    return text
