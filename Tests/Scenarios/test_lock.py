"""Lock state: what a locked agent serves, and what opens it."""

import re
from pathlib import Path

import pytest

from harness import wait_until
from terminal import Terminal

PASSPHRASE = b"correct horse battery staple"


@pytest.fixture
def relay(world):
    return world.relay()


@pytest.fixture
def device(world, relay):
    device = world.vault("a", relay_url=relay.url, passphrase=PASSPHRASE)[0]
    device.add("unlocked", "ann", b"when unlocked")
    device.add("first", "ann", b"after first unlock", "--accessible", "after-first-unlock")
    return device


def test_locked_items_answer_36_and_after_first_unlock_items_are_served(device):
    device.ok("lock")
    result = device.run("get", "unlocked", "ann").expect(36)
    assert result.out == b""
    assert device.get("first", "ann") == b"after first unlock"
    device.ok("unlock")
    assert device.get("unlocked", "ann") == b"when unlocked"


def test_after_lock_a_passphrase_file_alone_opens_nothing_but_unlock_does(device):
    device.ok("lock")
    for _ in range(3):
        device.run("get", "unlocked", "ann").expect(36)
    device.run("add", "new", "ann", stdin=b"s").expect(36)
    device.run("edit", "unlocked", "ann", "--secret", stdin=b"s").expect(36)
    device.run("rm", "unlocked", "ann").expect(36)
    device.ok("unlock")
    assert device.get("unlocked", "ann") == b"when unlocked"
    device.run("get", "new", "ann").expect(44)


def test_list_prints_what_is_readable_and_counts_what_is_locked(device):
    device.ok("lock")
    result = device.ok("list")
    assert "first" in result.text and "unlocked" not in result.text
    assert re.search(r"\b1\b.*locked", result.err), str(result)
    assert [item["service"] for item in device.list()] == ["first"]


def test_after_first_unlock_items_go_on_syncing_while_locked(world, device):
    other = world.device("b", PASSPHRASE)
    device.pair(other)
    device.ok("lock")
    other.ok("edit", "first", "ann", "--secret", stdin=b"newer")
    wait_until(lambda: device.has("first", "ann", b"newer"), "the locked device has the newer secret")
    device.ok("edit", "first", "ann", "--secret", stdin=b"newest")
    wait_until(lambda: other.has("first", "ann", b"newest"), "the other device has what the locked one wrote")
    other.ok("edit", "unlocked", "ann", "--secret", stdin=b"while locked")
    other.add("more", "ann", b"added while locked")
    other.ok("sync")
    device.ok("sync")
    device.run("get", "unlocked", "ann").expect(36)
    device.ok("unlock")
    # Merged at unlock, before the first answer.
    assert device.get("unlocked", "ann") == b"while locked"
    assert device.get("more", "ann") == b"added while locked"


def test_an_agent_without_the_file_starts_locked(device):
    device.restart_agent(passphrase=False)
    bare = device.without_passphrase
    device.run("get", "unlocked", "ann", only_env=bare).expect(36)
    # Before the first unlock the other class is closed too.
    device.run("get", "first", "ann", only_env=bare).expect(36)
    result = device.run("list", only_env=bare).expect(0)
    assert result.out == b"" and re.search(r"\b2\b.*locked", result.err), str(result)
    device.run("status", "--json", only_env=bare).expect(0)
    device.ok("unlock")
    assert device.get("first", "ann") == b"after first unlock"


def test_an_agent_with_the_file_starts_unlocked(device):
    device.restart_agent()
    assert device.get("unlocked", "ann") == b"when unlocked"


def test_a_wrong_passphrase_is_51_and_costs_what_a_right_one_costs(device):
    device.restart_agent(passphrase=False)
    status = Path(f"/proc/{device.agent.pid}/status")

    def peak_kib():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text()).group(1))

    before = peak_kib()
    device.set_passphrase(b"wrong")
    device.run("unlock").expect(51)
    # Argon2id's time is its passes over its memory: the memory was really used.
    assert peak_kib() - before > 60 * 1024
    device.run("get", "unlocked", "ann").expect(36)
    device.set_passphrase(PASSPHRASE)
    device.ok("unlock")
    assert device.get("unlocked", "ann") == b"when unlocked"


@pytest.mark.parametrize("wrong", [b"", b"x", PASSPHRASE + b"x", PASSPHRASE[:-1], PASSPHRASE + b"\n\n", b"\xff" * 4096])
def test_every_other_passphrase_is_51(device, wrong):
    device.ok("lock")
    device.set_passphrase(wrong)
    device.run("unlock").expect(51)


def test_one_final_newline_of_the_file_is_dropped(device):
    device.ok("lock")
    device.set_passphrase(PASSPHRASE + b"\n")
    device.ok("unlock")


def test_the_passphrase_is_never_read_from_stdin(device):
    device.ok("lock")
    result = device.run("unlock", stdin=PASSPHRASE + b"\n", only_env=device.without_passphrase)
    assert result.code != 0
    result.expect_one_error_line()
    device.run("get", "unlocked", "ann", stdin=PASSPHRASE, only_env=device.without_passphrase).expect(36)


def test_a_passphrase_file_that_is_not_there_is_said(device):
    device.ok("lock")
    result = device.run("unlock", env={"LOCKSTEP_PASSPHRASE_FILE": "/nonexistent/file"})
    assert result.code not in (0, 51)
    assert "/nonexistent/file" in result.err


def test_on_a_terminal_a_locked_item_asks_for_the_passphrase(device):
    device.ok("lock")
    terminal = Terminal(device, "get", "unlocked", "ann", pipe_stdout=True)
    terminal.expect("Passphrase:")
    assert not terminal.echoes()
    assert terminal.type(PASSPHRASE.decode()).finish(0).out == b"when unlocked"


def test_on_a_terminal_a_wrong_passphrase_is_51(device):
    device.ok("lock")
    terminal = Terminal(device, "unlock")
    terminal.expect("Passphrase:")
    terminal.type("wrong")
    assert terminal.finish().code == 51
    device.run("get", "unlocked", "ann").expect(36)


def test_passwd_changes_the_passphrase_and_keeps_every_item(device):
    terminal = Terminal(device, "passwd")
    terminal.expect("Passphrase:").type(PASSPHRASE.decode())
    terminal.expect("New passphrase:").type("new passphrase")
    terminal.expect("again:").type("new passphrase")
    terminal.finish(0)
    device.ok("lock")
    device.run("unlock").expect(51)
    device.set_passphrase(b"new passphrase")
    device.ok("unlock")
    assert device.get("unlocked", "ann") == b"when unlocked"
    device.restart_agent()
    assert device.get("unlocked", "ann") == b"when unlocked"


def test_passwd_with_a_wrong_old_passphrase_changes_nothing(device):
    terminal = Terminal(device, "passwd")
    terminal.expect("Passphrase:").type("wrong")
    terminal.expect("New passphrase:").type("new passphrase")
    terminal.expect("again:").type("new passphrase")
    assert terminal.finish().code == 51
    device.ok("lock")
    device.ok("unlock")


def test_init_on_a_terminal_asks_for_a_new_passphrase_twice(world, relay):
    device = world.device("typed", start=False)
    device.start_agent(passphrase=False)
    terminal = Terminal(device, "init", "--relay", relay.url)
    terminal.expect("New passphrase:").type("typed passphrase")
    terminal.expect("again:").type("typed passphrase")
    terminal.finish(0)
    device.set_passphrase(b"typed passphrase")
    device.ok("lock")
    device.ok("unlock")


def test_without_a_passphrase_the_lock_opens_without_one(world, relay):
    device = world.vault("plain", relay_url=relay.url)[0]
    device.add("svc", "ann", b"s")
    device.ok("lock")
    device.run("get", "svc", "ann").expect(36)
    device.ok("unlock")
    assert device.get("svc", "ann") == b"s"


def test_when_passcode_set_needs_a_passphrase_and_stays_here(world, relay, device):
    plain = world.device("plain")
    plain.init(relay.url)
    assert plain.run("add", "svc", "ann", "--accessible", "when-passcode-set", stdin=b"s").code != 0
    other = world.device("b", PASSPHRASE)
    device.pair(other)
    device.add("svc", "ann", b"s", "--accessible", "when-passcode-set")
    device.ok("sync")
    other.ok("sync")
    other.run("get", "svc", "ann").expect(44)
    assert device.get("svc", "ann") == b"s"
    device.ok("lock")
    device.run("get", "svc", "ann").expect(36)


def test_always_items_are_served_by_an_agent_that_was_never_unlocked(device):
    device.add("svc", "ann", b"s", "--accessible", "always", "--this-device-only")
    device.restart_agent(passphrase=False)
    assert device.run("get", "svc", "ann", only_env=device.without_passphrase).expect(0).out == b"s"


def test_locking_twice_and_unlocking_twice_is_fine(device):
    for command in ("lock", "lock", "unlock", "unlock"):
        device.ok(command)
    assert device.get("unlocked", "ann") == b"when unlocked"
