"""What was acknowledged is there, whatever happened to the process or the disk."""

import http.client
import os
import resource
import threading

import pytest
from client import Client
from lockstep_writer.people import WRITER
from test_endpoints import listing_digest
from vault import Vault


def feed(vault):
    """The whole feed, {slot: (sequence, record)}, with its digest checked."""
    since, slots = 0, {}
    while True:
        page = vault.get(f"/changes?since={since}").value
        for slot, sequence, kind, record in page[2]:
            assert kind == 0 and sequence > since
            since = sequence
            slots[slot] = (sequence, record)
        if page[6] is not None:
            assert page[6][0] == listing_digest((slot, sequence) for slot, (sequence, _) in slots.items())
            return slots


class Writer(threading.Thread):
    """Pushes until the relay is gone; remembers what was acknowledged."""

    def __init__(self, vault, device):
        super().__init__(daemon=True)
        self.vault, self.device = vault, device
        self.client = Client(vault.relay)
        self.acknowledged = {}
        self.begun = threading.Event()

    def run(self):
        while True:
            records = {os.urandom(32): self.vault.record(self.device, size=500) for _ in range(5)}
            try:
                answer = self.vault.push(*([slot, 0, 0, record] for slot, record in records.items()), device=self.device, client=self.client)
            except (OSError, http.client.HTTPException):
                return
            for slot, (kind, sequence) in zip(records, answer.value[1], strict=True):
                assert kind == 0
                self.acknowledged[slot] = (sequence, records[slot])
            self.begun.set()


@pytest.mark.parametrize("round", range(4))
def test_a_kill_during_pushes_loses_no_acknowledged_record(relay, vault, round):
    devices = [vault.alice, *(vault.join(f"writer {number}", WRITER) for number in range(3))]
    writers = [Writer(vault, device) for device in devices]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.begun.wait(timeout=60)
    # Later rounds kill further into the stream.
    while sum(len(writer.acknowledged) for writer in writers) < 40 * (round + 1):
        pass
    relay.kill()
    for writer in writers:
        writer.join(timeout=60)
        assert not writer.is_alive()
    vault.client.close()
    relay.restart()
    slots = feed(vault)
    for writer in writers:
        for slot, expected in writer.acknowledged.items():
            assert slots[slot] == expected
    sequences = [sequence for sequence, _ in slots.values()]
    assert len(set(sequences)) == len(sequences)
    # What came through without an acknowledgement came through whole: batches of five.
    assert len(slots) % 5 == 0
    _, sequence = vault.store()
    assert sequence == max(sequences) + 1


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, resource.RLIM_INFINITY))


def test_a_full_disk_stores_nothing_says_so_and_does_not_end_the_relay(make_relay):
    """A limit on the size of files stands for the disk: writes beyond it fail in the middle of a transaction."""
    relay = make_relay("--open-registration", preexec=limited)
    vault = Vault.registered(relay)
    stored = {}
    for _ in range(100):
        slot, record = os.urandom(32), vault.record(size=200_000)
        answer = vault.push([slot, 0, 0, record])
        if answer.status != 200:
            break
        stored[slot] = (answer.value[1][0][1], record)
    assert (answer.status, answer.code) == (507, "storage")
    assert relay.alive()
    assert feed(vault) == stored
    # Small ones may still fit or not; either way the answer is true.
    slot, record = os.urandom(32), vault.record()
    answer = vault.push([slot, 0, 0, record])
    if answer.status == 200:
        stored[slot] = (answer.value[1][0][1], record)
    assert feed(vault) == stored
    # Room again, and it goes on, without a restart.
    resource.prlimit(relay.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    slot, sequence = vault.store(record)
    stored[slot] = (sequence, record)
    assert feed(vault) == stored
    assert relay.stop() == 0
    vault.client.close()
    relay.restart()
    assert feed(vault) == stored


def test_a_restart_keeps_everything(relay, vault):
    bob = vault.join("bob", WRITER)
    records = [vault.store(vault.record(device), device=device) for device in (vault.alice, bob) for _ in range(3)]
    vault.publish()
    name = os.urandom(32)
    vault.mailbox("PUT", name)
    vault.request_pairing(name, b"request")
    before = vault.get("/changes").value
    assert relay.stop() == 0
    vault.client.close()
    relay.restart()
    assert vault.get("/changes").value == before
    assert [sequence for _, sequence in records] == list(range(1, 7))
    assert vault.get("/chain").value[2] == 2
    assert vault.get(f"/mailboxes/{name.hex()}/request").body == b"request"
    assert vault.register().status == 200
