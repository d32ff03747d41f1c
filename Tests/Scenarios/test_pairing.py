"""How devices come into a vault: invite, join, and every way in which that is refused."""

import pytest

from faultshim import Clock
from terminal import Terminal


@pytest.fixture
def relay(world):
    return world.relay()


@pytest.fixture
def first(world, relay):
    return world.vault("first", relay_url=relay.url)[0]


def names(device):
    return sorted(entry["name"] for entry in device.ok("device", "list", "--json").json)


def test_a_joined_device_reads_what_was_there_before(world, first):
    first.add("svc", "ann", b"s")
    first.ok("sync")
    second = world.device("second")
    first.pair(second)
    second.ok("sync")
    assert second.get("svc", "ann") == b"s"
    first.ok("sync")
    assert names(first) == names(second) == ["first", "second"]


def test_the_code_can_come_by_stdin(world, first):
    second = world.device("second")
    invitation = first.invite("--yes")
    second.ok("join", "-", "--device-name", "second", stdin=invitation.code.encode() + b"\n")
    invitation.finish(0)
    assert "second" in names(first)


def test_spaces_hyphens_and_case_in_a_code_do_not_matter(world, first):
    second = world.device("second")
    invitation = first.invite("--yes")
    body = invitation.code.removeprefix("LOCKSTEP-")
    spread = "lockstep-" + " - ".join(body[i : i + 4] for i in range(0, len(body), 4)).lower()
    second.ok("join", spread, "--device-name", "second")
    invitation.finish(0)


def test_every_altered_character_of_a_code_is_noticed(world, first):
    second = world.device("second")
    invitation = first.invite("--yes")
    code = invitation.code
    for position in range(len("LOCKSTEP-"), len(code), 7):
        wrong = "Z" if code[position] != "Z" else "7"
        result = second.run("join", code[:position] + wrong + code[position + 1 :], "--device-name", "second")
        assert result.code not in (0, 69), str(result)
        result.expect_one_error_line()
    for shortened in ("LOCKSTEP-", code[:-1], code[:20], "nonsense", code + "0"):
        result = second.run("join", shortened, "--device-name", "second")
        assert result.code not in (0, 69), str(result)
    # None of that used the code up.
    second.ok("join", code, "--device-name", "second")
    invitation.finish(0)


def test_a_code_is_good_once(world, first):
    second, third = world.device("second"), world.device("third")
    invitation = first.invite("--yes")
    second.ok("join", invitation.code, "--device-name", "second")
    invitation.finish(0)
    result = third.run("join", invitation.code, "--device-name", "third")
    assert result.code not in (0, 69), str(result)
    result.expect_one_error_line()
    assert names(first) == ["first", "second"]


def test_the_code_of_an_invitation_that_was_given_up_opens_nothing(world, first):
    second = world.device("second")
    invitation = first.invite("--yes")
    assert invitation.interrupt().code != 0
    result = second.run("join", invitation.code, "--device-name", "second")
    assert result.code not in (0, 69), str(result)
    assert names(first) == ["first"]


@pytest.fixture
def clock(world):
    """A clock of this test's own, for every program that it starts."""
    clock = Clock(world.folder)
    world.env |= clock.env
    return clock


def test_a_code_is_good_for_ten_minutes(clock, world):
    first = world.vault("first")[0]
    second, third = world.device("second"), world.device("third")
    invitation = first.invite("--yes")
    clock.advance(500)
    second.ok("join", invitation.code, "--device-name", "second")
    invitation.finish(0)
    invitation = first.invite("--yes")
    clock.advance(605)
    result = third.run("join", invitation.code, "--device-name", "third")
    assert result.code not in (0, 69), str(result)
    result.expect_one_error_line()
    assert invitation.finish().code != 0
    assert names(first) == ["first", "second"]


def test_an_invite_of_a_relay_expires(clock, world):
    relay = world.relay(start=False).start()
    token = relay.invite("--expires", "1h")
    clock.advance(3605)
    result = world.device("a").run("init", "--relay", relay.url, "--invite", token)
    assert result.code not in (0, 69), str(result)


def test_someone_is_asked_and_may_say_no(world, first):
    second = world.device("second")
    inviting = Terminal(first, "device", "invite", env=first.env, pipe_stdout=True)
    code = inviting.process.stdout.readline().decode().strip()
    while not code.startswith("LOCKSTEP-"):
        code = inviting.process.stdout.readline().decode().strip()
    joining = second.start("join", code, "--device-name", "second")
    inviting.expect("second")
    inviting.type("n")
    result = inviting.finish()
    assert result.code != 0
    out, err = joining.communicate(timeout=60)
    assert joining.returncode not in (0, 69), (out, err)
    assert names(first) == ["first"]


def test_someone_is_asked_and_may_say_yes(world, first):
    second = world.device("second")
    inviting = Terminal(first, "device", "invite", env=first.env, pipe_stdout=True)
    code = inviting.process.stdout.readline().decode().strip()
    while not code.startswith("LOCKSTEP-"):
        code = inviting.process.stdout.readline().decode().strip()
    joining = second.start("join", code, "--device-name", "second")
    inviting.expect("second")
    inviting.type("y")
    inviting.finish(0)
    joining.communicate(timeout=60)
    assert joining.returncode == 0
    assert names(first) == ["first", "second"]


@pytest.mark.parametrize("role, may_write, may_invite", [("admin", True, True), ("writer", True, False), ("reader", False, False)])
def test_a_role_says_what_a_device_may(world, first, role, may_write, may_invite):
    first.add("svc", "ann", b"s")
    first.ok("sync")
    second = world.device("second")
    first.pair(second, "--role", role)
    second.ok("sync")
    assert second.get("svc", "ann") == b"s"
    roles = {entry["name"]: entry["role"] for entry in second.ok("device", "list", "--json").json}
    assert roles == {"first": "admin", "second": role}
    written = second.run("add", "mine", "ann", stdin=b"s")
    assert (written.code == 0) == may_write, str(written)
    if may_invite:
        third = world.device("third")
        second.pair(third)
        assert third.ok("sync").code == 0
    else:
        result = second.run("device", "invite", "--yes")
        assert result.code not in (0, 69), str(result)


def test_joining_twice_under_one_name_is_refused(world, first):
    second = world.device("second")
    first.pair(second)
    invitation = first.invite("--yes")
    result = second.run("join", invitation.code, "--device-name", "again")
    assert result.code != 0, str(result)
    assert invitation.process.poll() is None
    invitation.interrupt()


def test_an_unreachable_relay_is_69(world, first, relay):
    second = world.device("second")
    invitation = first.invite("--yes")
    relay.stop()
    second.run("join", invitation.code, "--device-name", "second").expect(69)
    result = invitation.interrupt()
    assert result.code != 0
    first.run("device", "invite", "--yes").expect(69)
    world.device("third").run("init", "--relay", relay.url).expect(69)
    key = world.recovery_key.encode()
    world.device("fourth").run("recover", "--relay", relay.url, stdin=key).expect(69)


class TestRegistration:
    def test_it_is_closed_by_default(self, world):
        relay = world.relay(start=False).start()
        device = world.device("a")
        result = device.run("init", "--relay", relay.url)
        assert result.code not in (0, 69), str(result)
        assert "invit" in result.err.lower()

    def test_an_invite_opens_it_once(self, world):
        relay = world.relay(start=False).start()
        token = relay.invite()
        world.device("a").init(relay.url, "--invite", token)
        result = world.device("b").run("init", "--relay", relay.url, "--invite", token)
        assert result.code not in (0, 69), str(result)

    def test_an_invite_may_have_several_uses(self, world):
        relay = world.relay(start=False).start()
        token = relay.invite("--uses", "2", "--expires", "1h")
        world.device("a").init(relay.url, "--invite", token)
        world.device("b").init(relay.url, "--invite", token)
        assert world.device("c").run("init", "--relay", relay.url, "--invite", token).code not in (0, 69)

    def test_a_wrong_invite_is_refused_and_the_device_can_try_again(self, world):
        relay = world.relay(start=False).start()
        device = world.device("a")
        assert device.run("init", "--relay", relay.url, "--invite", "0" * 26).code not in (0, 69)
        device.init(relay.url, "--invite", relay.invite())
        device.add("svc", "ann", b"s")

    def test_joining_and_recovering_need_none(self, world):
        relay = world.relay(start=False).start()
        a, b, c = world.device("a"), world.device("b"), world.device("c")
        key = a.init(relay.url, "--invite", relay.invite())
        a.pair(b)
        c.ok("recover", "--relay", relay.url, "--device-name", "c", stdin=key.encode())
        assert names(c) == ["a", "b", "c"]

    @pytest.mark.parametrize(
        "arguments", [["--uses", "0"], ["--uses", "many"], ["--expires", "soon"], ["--nonsense"]], ids=" ".join
    )
    def test_bad_arguments_are_wrong_usage(self, world, arguments):
        relay = world.relay()
        assert relay.run("invite", "create", "--data", str(relay.data), *arguments).code == 2
