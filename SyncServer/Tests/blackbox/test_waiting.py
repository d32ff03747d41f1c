"""Long polls: who waits is woken by what happens, and by nothing else."""

import os
import signal
import threading

from client import OCTETS, Client
from lockstep_writer.people import READER, WRITER
from process import wait_until
from vault import Vault


class Poll:
    """A request that waits, on a thread and a connection of its own."""

    def __init__(self, send):
        self.answer = None
        self.error = None
        self.thread = threading.Thread(target=self.run, args=(send,), daemon=True)
        self.thread.start()

    def run(self, send):
        try:
            self.answer = send()
        except Exception as error:
            self.error = error

    @property
    def waits(self):
        return self.thread.is_alive()

    def result(self):
        self.thread.join(timeout=90)
        assert not self.waits, "the poll was never answered"
        assert self.error is None, self.error
        return self.answer


def poll(vault, query, device=None):
    client = Client(vault.relay)
    return Poll(lambda: vault.get(f"/changes?{query}", device, client))


def test_a_push_wakes_every_poll_of_its_vault_and_no_other(relay, vault):
    other = Vault.registered(relay)
    bob = vault.join("bob", READER)
    polls = [poll(vault, "since=0&wait=50", device) for device in (vault.alice, bob, bob)]
    stranger = poll(other, "since=0&wait=50")
    record = vault.record()
    slot, sequence = vault.store(record)
    for waiting in polls:
        assert waiting.result().value[2] == [[slot, sequence, 0, record]]
    assert stranger.waits
    other.store()
    assert len(stranger.result().value[2]) == 1


def test_a_chain_entry_and_a_checkpoint_wake_who_asked_for_them(vault):
    for_chain = poll(vault, "since=0&wait=50&chain=1")
    for_checkpoint = poll(vault, "since=0&wait=50&chain=9&checkpoints=0")
    vault.join("bob", WRITER)
    assert for_chain.result().value[5] == 2
    assert for_checkpoint.waits
    checkpoint = vault.checkpoint()
    vault.publish(checkpoint)
    assert for_checkpoint.result().value[6][2:] == [[checkpoint], 1]


def test_a_poll_with_nothing_to_say_ends_with_an_empty_page(vault):
    page = poll(vault, "since=0&wait=1&chain=1&checkpoints=0").result().value
    assert page[2:4] == [[], False]


def test_what_is_there_already_answers_at_once(vault):
    vault.store()
    assert len(poll(vault, "since=0&wait=55").result().value[2]) == 1
    assert poll(vault, "since=1&wait=55&chain=0").result().value[5] == 1


def test_a_wait_beyond_55_seconds_is_refused(vault):
    assert vault.get("/changes?since=0&wait=56").code == "malformed"


def test_a_device_that_is_revoked_while_it_waits_is_told(vault):
    bob = vault.join("bob", WRITER)
    waiting = poll(vault, "since=0&wait=50", bob)
    vault.chain.position = (vault.incarnation, 0)
    assert vault.grow(lambda chain: chain.revoke(vault.alice, [vault.alice], [vault.paper], removed=[bob])).status == 200
    assert waiting.result().code == "revoked"


def test_letters_wake_who_waits_for_them(vault):
    name = os.urandom(32)
    vault.mailbox("PUT", name)
    inviter, joiner = Client(vault.relay), Client(vault.relay)
    for_request = Poll(lambda: vault.get(f"/mailboxes/{name.hex()}/request?wait=50", client=inviter))
    for_answer = Poll(lambda: joiner.send("GET", f"/v1/mailboxes/{name.hex()}/answer?wait=50"))
    vault.request_pairing(name, b"let me in")
    assert for_request.result().body == b"let me in"
    assert for_answer.waits
    vault.answer_pairing(name, b"welcome")
    answer = for_answer.result()
    assert (answer.body, answer.headers["content-type"]) == (b"welcome", OCTETS)


def test_a_mailbox_that_is_closed_ends_its_waits(vault):
    name = os.urandom(32)
    vault.mailbox("PUT", name)
    client = Client(vault.relay)
    waiting = Poll(lambda: client.send("GET", f"/v1/mailboxes/{name.hex()}/answer?wait=50"))
    vault.mailbox("DELETE", name)
    assert waiting.result().code == "not-found"


def test_a_signal_answers_every_poll_and_ends_with_0(relay, vault):
    others = [Vault.registered(relay) for _ in range(30)]
    polls = [poll(one, "since=0&wait=55&chain=1") for one in [vault, *others]]
    # One that is being written while the relay stops.
    vault.store(vault.record(size=5 << 20))
    polls[0].result()
    relay.process.send_signal(signal.SIGTERM)
    assert relay.process.wait(timeout=60) == 0
    for waiting in polls[1:]:
        assert waiting.result().value[2:4] == [[], False]


def test_polls_whose_devices_are_gone_do_not_hold_up_the_end(relay, vault):
    import socket

    from client import signature_headers

    for _ in range(20):
        path = vault.path + "/changes?since=0&wait=55"
        headers = signature_headers("GET", relay.address + path, b"", vault.alice) | {"Host": f"{relay.host}:{relay.port}"}
        text = f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        with socket.create_connection((relay.host, relay.port)) as connection:
            connection.sendall(text.encode())
    vault.store()
    assert relay.stop() == 0


def test_one_push_wakes_five_hundred_polls(relay, vault):
    devices = [vault.alice] + [vault.join(f"device {number}", READER) for number in range(124)]
    polls = [poll(vault, "since=0&wait=55", device) for device in devices for _ in range(4)]
    wait_until(lambda: all(one.waits for one in polls), "all polls wait")
    vault.store()
    for waiting in polls:
        assert len(waiting.result().value[2]) == 1
    assert relay.stop() == 0
