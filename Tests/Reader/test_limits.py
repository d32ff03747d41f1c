"""The limits whose vectors would be too large to commit: built here, at the limit and one above it."""

import pytest

from lockstep_reader import Refused
from lockstep_reader.cbor import encode
from lockstep_reader.chain import verify_chain
from lockstep_reader.checkpoint import open_checkpoint
from lockstep_reader.notation import signing_public
from lockstep_reader.pairing import open_answer
from lockstep_reader.record import open_record
from lockstep_writer import checkpoints, pairings, records
from lockstep_writer.people import READER, Chain, Device


def refused(reason, opened):
    with pytest.raises(Refused) as raised:
        opened()
    assert raised.value.reason == reason


def opener(**given):
    made = records.item(**given)
    record, slot = records.seal_record(**made)
    return lambda: open_record(encode(record), records.VAULT, slot, records.KEY_A, signing_public(records.PUSH_SEED))


def data(length):
    return {"v_Data": [[bytes(length), 0, 3, records.TIME + 9]]}


def test_a_secret_value_has_at_most_1_mib():
    opener(secrets=data(1 << 20))()
    refused("secret value: too long", opener(secrets=data((1 << 20) + 1)))
    text = {"v_Data": [["\u00e9" * ((1 << 19) + 1), 0, 3, records.TIME + 9]]}
    refused("secret value: too long", opener(secrets=text))


def test_a_value_in_the_history_has_at_most_200_kib():
    past = [[bytes(200 << 10), 0, n % 7 + 1, records.TIME + n] for n in range(7)]
    opener(history=past)()
    refused("history: value too long", opener(history=[[bytes((200 << 10) + 1), 0, 1, records.TIME]]))


def test_a_vector_has_at_most_4096_devices():
    # In ascending order, and the author's own writes by the first of them.
    vector = [[n.to_bytes(32, "big"), 9] for n in range(4097)]
    opener(vector=vector[:4096])()
    refused("vector: too many devices", opener(vector=vector))


def test_a_record_has_at_most_16_mib():
    names = ("v_Data", "binn", "bini", "bin0", "bin1", "bin2", "bin3")
    writes = [[bytes(1 << 20), 0, n, records.TIME + n] for n in range(1, 4)]
    refused("record: too long", opener(secrets={name: writes for name in names}))
    opener(secrets={name: writes[:2] for name in names})()


def test_a_chain_has_at_most_1000_active_devices():
    alice = Device("Alice")
    chain = Chain("a thousand").genesis(alice)
    for n in range(999):
        chain.add_device(Device(f"number {n}"), READER, alice)
    assert len(verify_chain(chain.entries).devices) == 1000
    full = chain.copy().replace(alice, Device("Alice's new laptop"))
    assert len(verify_chain(full.entries).devices) == 1000
    chain.add_device(Device("one more"), READER, alice)
    refused("devices: too many", lambda: verify_chain(chain.entries))


def test_a_chain_has_at_most_10000_entries():
    alice = Device("Alice")
    chain = Chain("ten thousand").genesis(alice)
    for _ in range(9_999):
        chain.reseal_done(alice, 1)
    assert verify_chain(chain.entries).number == 9_999
    chain.reseal_done(alice, 1)
    refused("entries: too many", lambda: verify_chain(chain.entries))


def test_a_checkpoint_has_at_most_1_mib_and_10000_quarantined_slots():
    def opened(**changed):
        made = encode(checkpoints.checkpoint(checkpoints.contents(**changed)))
        return lambda: open_checkpoint(made, checkpoints.VAULT, checkpoints.C_KEY, signing_public(checkpoints.PUSH_SEED))

    slots = [n.to_bytes(32, "big") for n in range(10_001)]
    opened(quarantined=slots[:10_000])()
    refused("quarantined slots: too many", opened(quarantined=slots))
    refused("checkpoint: too long", opened(quarantined=slots * 4))


def test_an_answer_has_at_most_1_mib():
    to = encode(pairings.request(pairings.request_contents()))

    def opened(length):
        made = encode(pairings.answer([*pairings.approved()[:7], bytes(length)], to))
        return lambda: open_answer(made, to, pairings.SECRET, pairings.VAULT)

    opened(1_000_000)()
    refused("answer: too long", opened(1 << 20))
