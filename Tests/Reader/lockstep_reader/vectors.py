"""Opens one vector of any file with the reader, and says what it found in the shape of `expected`."""

from . import chain, checkpoint, keybag, keyring, names, notation, pairing, record, recovery
from .cbor import Map, decode, encode
from .refusal import Refused


def _hex(text):
    return bytes.fromhex(text)


def tagged(value):
    """A CBOR value as the vectors write it (README.md beside them)."""
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
        return {"map": [[tagged(key), tagged(item)] for key, item in value.pairs]}
    return {"array": [tagged(item) for item in value]}


def untagged(value):
    ((tag, inner),) = value.items()
    if tag == "null":
        return None
    if tag == "int":
        return int(inner)
    if tag == "bytes":
        return _hex(inner)
    if tag == "array":
        return [untagged(item) for item in inner]
    if tag == "map":
        return Map([(untagged(key), untagged(item)) for key, item in inner])
    return inner


def open_cbor(vector, file):
    value = decode(_hex(vector["encoded"]))
    return {"value": tagged(value), "encoded": encode(value).hex()}


def open_padding(vector, file):
    if vector["kind"] == "pad":
        plain = notation.unpad(_hex(vector["padded"]), "plain")
        return {"plain": plain.hex(), "padded": notation.pad(plain).hex()}
    compute = notation.padme if vector["kind"] == "padme" else notation.padded_length
    return {"padded_length": compute(vector["length"])}


def open_hashes(vector, file):
    kind = vector["kind"]
    elements = [untagged(value) for value in vector.get("elements", [])]
    if kind == "H":
        message = notation.message(vector["context"], *elements)
        return {"encoded": message.hex(), "hash": notation.H(vector["context"], *elements).hex()}
    if kind == "K":
        return {"hash": notation.K(_hex(vector["key"]), vector["context"], *elements).hex()}
    if kind == "S":
        signature = _hex(vector["signature"])
        notation.verify(_hex(vector["public_key"]), signature, "signature", vector["context"], *elements)
        return {"public_key": notation.signing_public(_hex(vector["seed"])).hex()} if "seed" in vector else {}
    if kind == "slot":
        values = {name: untagged(value) for name, value in vector["values"].items()}
        return {"slot": record.slot_of(_hex(vector["slot_key"]), vector["item_class"], values).hex()}
    if kind == "key-commitment":
        made = names.key_commitment(_hex(vector["key"]), vector["key_kind"], _hex(vector["salt"]), vector["epoch"])
        return {"hash": made.hex()}
    if kind == "device-id":
        id = names.device_id([_hex(key) for key in vector["keys"]])
        return {"hash": id.hex(), "fingerprint": pairing.fingerprint(id)}
    if kind == "recovery-id":
        return {"hash": names.recovery_id(*[_hex(key) for key in vector["keys"]]).hex()}
    if kind == "name-commitment":
        return {"hash": names.name_commitment(_hex(vector["salt"]), vector["text"]).hex()}
    if kind == "record-hash":
        return {"hash": checkpoint.record_hash(_hex(vector["record"])).hex()}
    if kind == "index-key":
        return {"hash": keybag.index_key(_hex(vector["class_key"])).hex()}
    if kind == "index-tag":
        tag = keybag.index_tag(_hex(vector["index_key"]), _hex(vector["vault"]), vector["item_class"], vector["attribute"], untagged(vector["value"]))
        return {"tag": tag.hex()}
    if kind == "set-hash":
        records = [(_hex(slot), _hex(hash)) for slot, hash in vector["records"]]
        return {"hash": checkpoint.set_hash(_hex(vector["set_hash_key"]), records).hex()}
    if kind == "listing":
        slots = [(_hex(slot), sequence) for slot, sequence in vector["slots"]]
        return {"digest": checkpoint.listing_digest(slots).hex()}
    raise ValueError(kind)


def _writes(writes):
    return [[tagged(value), index, counter, time] for value, index, counter, time in writes]


def open_record(vector, file):
    vault, slot, key = _hex(vector["vault"]), _hex(vector["slot"]), _hex(vector["sealing_key"])
    push = _hex(vector["author_push_key"]) or None
    envelope, attributes, secret = record.open_record(_hex(vector["record"]), vault, slot, key, push)
    record.check_place(envelope, attributes, slot, _hex(vector["slot_key"]))
    return {
        "device_only": envelope.device_only,
        "epoch": envelope.epoch,
        "class": envelope.sealing_class,
        "author": envelope.author.hex(),
        "head": envelope.head.hex(),
        "attributes": attributes.raw.hex(),
        "secret": secret.raw.hex(),
        "item_class": attributes.item_class,
        "vector": [[id.hex(), counter] for id, counter in attributes.vector],
        "delete_context": [[id.hex(), counter] for id, counter in attributes.delete_context],
        "registers": {name: _writes(writes) for name, writes in attributes.registers.items()},
        "modification_time": attributes.modification_time,
        "secret_in_conflict": attributes.secret_in_conflict,
        "secret_registers": {name: _writes(writes) for name, writes in secret.registers.items()},
        "history": _writes(secret.history),
        "tombstone": record.is_tombstone(attributes, secret),
    }


def _chain(file, name):
    return [_hex(entry) for entry in file["chains"][name]] if name else []


def open_keyring(vector, file):
    state = chain.verify_chain(_chain(file, vector["chain"]))
    opened, contents = keyring.open_keyring(
        _hex(vector["keyring"]), vector["kind"], state, _hex(vector["recipient"]), _hex(vector["recipient_seed"]), vector["wrap"],
        _hex(vector["wrap_secret"]),
    )  # fmt: skip
    found = {
        "vault": opened.vault.hex(),
        "epoch": opened.epoch,
        "keys": [[epoch, key.hex()] for epoch, key in contents.keys],
        "contents": contents.raw.hex(),
    }
    if contents.kind == keyring.KIND_A:
        return found | {"recoveries": [[id.hex(), key.hex()] for id, key in contents.recoveries]}
    return found | {"slot_key": contents.slot_key.hex(), "set_hash_key": contents.set_hash_key.hex()}


def _c_keys(vector):
    return {int(epoch): _hex(key) for epoch, key in vector["c_keys"].items()}


def open_chain(vector, file):
    if vector["kind"] == "name":
        sealed = vector["sealed_name"]
        name = [_hex(sealed["commitment"]), sealed["epoch"], _hex(sealed["nonce"]), _hex(sealed["sealed"])]
        return {"text": names.open_name(name, _hex(vector["id"]), _c_keys(vector))}
    if "entry" in vector:
        before = _chain(file, vector["after"])
        # What comes before is right: only the last entry may be refused.
        if before:
            chain.verify_chain(before)
        chain.verify_chain([*before, _hex(vector["entry"])])
        return {}
    state = chain.verify_chain(_chain(file, vector["chain"]))
    keys = _c_keys(vector)
    devices = [
        {
            "id": one.id.hex(), "name": names.open_name(one.name, one.id, keys), "role": one.role, "left": one.left,
            "chain_signing": one.keys[0].hex(), "exchange_a": one.keys[1].hex(),
            "push_signing": one.keys[2].hex(), "exchange_c": one.keys[3].hex(),
        }
        for _, one in sorted(state.devices.items())
    ]  # fmt: skip
    return {
        "vault": state.vault.hex(),
        "head": state.head.hex(),
        "number": state.number,
        "epoch": state.epoch,
        "salt": state.salt.hex(),
        "commitments": {str(epoch): [one.hex() for one in pair] for epoch, pair in state.commitments.items()},
        "devices": devices,
        "recoveries": [
            {"id": one.id.hex(), "name": names.open_name(one.name, one.id, keys), "locator": one.locator.hex()} for _, one in sorted(state.recoveries.items())
        ],
        "resealed": state.resealed,
    }


def open_recovery(vector, file):
    secret = recovery.read_text(vector["typed"])
    derived = {name: value.hex() for name, value in recovery.derive(secret).items()}
    return {"secret": secret.hex(), "text": recovery.write_text(secret), **derived}


def open_pairing(vector, file):
    if vector["kind"] == "code":
        code = pairing.read_code(vector["code"])
        keys = {f"{purpose}_key": pairing.pairing_key(code.secret, purpose, code.vault).hex() for purpose in ("mailbox", "request", "answer", "keyring")}
        return {"relay": code.relay, "vault": code.vault.hex(), "secret": code.secret.hex(), **keys,
                "text": pairing.write_code(code)}  # fmt: skip
    secret, vault, request = _hex(vector["secret"]), _hex(vector["vault"]), _hex(vector["request"])
    if vector["kind"] == "request":
        opened = pairing.open_request(request, secret, vault)
        return {
            "device": [key.hex() for key in opened.device],
            "id": opened.id.hex(),
            "fingerprint": pairing.fingerprint(opened.id),
            "name": opened.name,
            "name_salt": opened.salt.hex(),
            "name_commitment": opened.name_commitment.hex(),
            "join_signature": opened.join_signature.hex(),
            "contents": encode([1, opened.device, opened.name, opened.salt, opened.join_signature]).hex(),
        }
    answer = pairing.open_answer(_hex(vector["answer"]), request, secret, vault)
    return {
        "outcome": answer.outcome,
        "role": answer.role,
        "head": answer.head.hex(),
        "number": answer.number,
        "keyring_a": answer.keyring_a.hex(),
        "keyring_c": answer.keyring_c.hex(),
        "checkpoint": answer.checkpoint.hex(),
    }


def open_checkpoint(vector, file):
    vault, push = _hex(vector["vault"]), _hex(vector["author_push_key"])
    if vector["kind"] == "purge":
        opened = checkpoint.open_purge(_hex(vector["purge"]), vault, push)
        return {name: value.hex() if isinstance(value, bytes) else value for name, value in vars(opened).items()}
    opened = checkpoint.open_checkpoint(_hex(vector["checkpoint"]), vault, _hex(vector["c_key"]), push)
    return {
        "author": opened.author.hex(),
        "epoch": opened.epoch,
        "number": opened.number,
        "incarnation": opened.incarnation.hex(),
        "sequence": opened.sequence,
        "set_hash": opened.set_hash.hex(),
        "quarantined": [slot.hex() for slot in opened.quarantined],
        "clean": opened.clean,
        "own_counter": opened.own_counter,
        "floor": [[id.hex(), counter] for id, counter in opened.floor],
        "greatest_purged": opened.greatest_purged,
        "head": opened.head.hex(),
        "chain_number": opened.chain_number,
        "contents": opened.raw.hex(),
    }


def open_keybag(vector, file):
    if vector["kind"] == "local-blob":
        contents = keybag.open_blob(_hex(vector["blob"]), vector["class"], _hex(vector["class_key"]), vector["purpose"], _hex(vector["vault"]))
        found = {"contents": contents.hex()}
        if vector["purpose"] in ("vault A", "vault C"):
            signing, exchange, keyring_contents = keybag.read_vault_blob(contents)
            found |= {
                "signing_seed": signing.hex(),
                "exchange_seed": exchange.hex(),
                "keyring_contents": keyring_contents.hex(),
            }
        return found
    secret, passphrase = _hex(vector["device_secret"]), vector["passphrase"].encode("utf-8")
    bag, root, keys = keybag.open_keybag(_hex(vector["keybag"]), secret, passphrase)
    protected = bag.protection[0] == 1
    return {
        "id": bag.id.hex(),
        "protected": protected,
        "root": root.hex(),
        "operations": bag.protection[1] if protected else 0,
        "memory": bag.protection[2] if protected else 0,
        "classes": {str(number): key.hex() for number, key in keys.items()},
        "unlock_key": keybag.unlock_key(bag, secret, passphrase).hex(),
    }


OPENERS = {
    "cbor": open_cbor,
    "padding": open_padding,
    "hashes": open_hashes,
    "record": open_record,
    "keyring": open_keyring,
    "chain": open_chain,
    "recovery": open_recovery,
    "pairing": open_pairing,
    "checkpoint": open_checkpoint,
    "keybag": open_keybag,
}


def check_positive(vector, file):
    """Raises unless the vector opens to what it says. cbor, padding and hashes say it in the vector itself."""
    found = OPENERS[file["format"]](vector, file)
    expected = vector.get("expected")
    if expected is None:
        expected = {name: vector[name] for name in found}
    if found != expected:
        wrong = sorted(name for name in set(found) | set(expected) if found.get(name) != expected.get(name))
        raise AssertionError(f"{vector['name']}: {wrong}: {found} instead of {expected}")


def refusal_of(vector, file):
    """The Refused that the vector meets, or None if it opens."""
    try:
        OPENERS[file["format"]](vector, file)
    except Refused as refused:
        return refused
    return None
