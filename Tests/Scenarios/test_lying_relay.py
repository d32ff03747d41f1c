"""A relay that lies to whole programs: what is here stays, nobody is kept busy, and who is caught is named (exit code 70)."""

import secrets
import threading

import cbor2
import pytest

from harness import wait_until
from lying import Answer, LyingRelay


@pytest.fixture
def relay(world):
    lying = LyingRelay(world.relay().port)
    world.closers.append(lying.close)
    return lying


@pytest.fixture
def first(world, relay):
    device = world.device("a")
    world.recovery_key = device.init(relay.url)
    device.add("svc", "ann", b"s")
    device.ok("sync")
    return device


def expect_unharmed(relay, device, sync: bool = False) -> None:
    """What is here is here, writes go on, and with an honest relay they reach it, with nobody calling `sync`: but what a relay
    refused is only tried again by a full cycle, and that may be minutes away."""
    assert device.agent.alive
    assert device.get("svc", "ann") == b"s"
    device.add("svc", "bob", b"t")
    relay.lie = None
    if sync:
        device.run("sync")
    wait_until(lambda: device.run("status", "--json").json["vaults"][0]["pending"] == 0, "the writes reach the relay")


@pytest.mark.parametrize("letter", ["request", "answer"])
def test_a_mailbox_that_is_empty_before_its_time_keeps_nobody_busy(world, relay, first, letter):
    other = world.device("b")
    asked = threading.Semaphore(0)

    def lie(request):
        if request.method == "GET" and request.what == letter:
            asked.release()
            return Answer(204)

    relay.lie = lie
    invitation = first.invite("--yes")
    joining = other.start("join", invitation.code, "--device-name", "b")
    for _ in range(3):
        assert asked.acquire(timeout=60)
    before = len(relay.asked)
    assert asked.acquire(timeout=60)
    # Between two polls there is a pause; thousands fitted into it.
    assert len(relay.asked) - before < 50
    relay.lie = None
    assert joining.wait(60) == 0
    invitation.finish(0)
    assert other.get("svc", "ann") == b"s"


KEYRINGS = {
    "garbage": lambda _: [1, [b"x", secrets.token_bytes(300)], None],
    "without end": lambda number: [1, [secrets.token_bytes(100_000)] * 80, number + 80],
}


@pytest.mark.parametrize("served, code", [("garbage", 0), ("without end", 70)])
@pytest.mark.parametrize("way", ["join", "recover"])
def test_keyrings_that_are_none_or_do_not_end_harm_no_new_device(world, relay, first, served, code, way):
    other = world.device("b")

    def lie(request):
        if request.method == "GET" and request.what == "keyrings":
            return Answer.of(KEYRINGS[served](int(request.query.get("from", 0))))

    relay.lie = lie
    if way == "join":
        invitation = first.invite("--yes")
        other.run("join", invitation.code, "--device-name", "b").expect(code)
        invitation.finish(0)
    else:
        key = world.recovery_key.encode()
        other.run("recover", "--relay", relay.url, "--device-name", "b", stdin=key).expect(code)
    assert other.agent.alive
    if code == 0:
        assert other.get("svc", "ann") == b"s"
    expect_unharmed(relay, first)


def push_answers(answer):
    def lie(request):
        if request.what == "records":
            return Answer.of([1, [answer for _ in cbor2.loads(request.body)[2]]])

    return lie


LIES = {
    "nothing": (lambda _: Answer(200), 70),
    "garbage": (lambda _: Answer(200, secrets.token_bytes(100)), 70),
    "a redirect": (lambda _: Answer(302), 70),
    "a body without end": (lambda _: Answer(200, iter(lambda: b"x" * 65536, None)), 70),
    "busy": (lambda _: Answer.problem(429, "busy"), 69),
    "revoked, which the chain does not say": (lambda _: Answer.problem(403, "revoked"), 1),
    "no such vault": (lambda _: Answer.problem(404, "not-found"), 1),
    "gone": (push_answers([2]), 70),
    "stored, far beyond": (push_answers([0, 2**63 - 1]), 70),
    "stored, beyond all numbers": (push_answers([0, 2**64 - 1]), 70),
    "a conflict without a record": (push_answers([1, 50, None]), 70),
    "refused": (push_answers([3, "quota"]), 1),
    "another incarnation, at each push": (
        lambda request: Answer.problem(409, "incarnation") if request.what == "records" else None,
        70,
    ),
}


@pytest.mark.parametrize("lie, code", LIES.values(), ids=LIES.keys())
def test_a_sync_ends_whatever_the_relay_answers_and_nothing_here_is_harmed(relay, first, lie, code):
    relay.lie = lie
    first.add("new", "x", b"n")
    first.run("sync").expect(code)
    expect_unharmed(relay, first, sync=code == 1)
    assert first.get("new", "x") == b"n"
