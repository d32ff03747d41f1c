"""The recovery key: written once, and alone enough to bring everything back."""

import hashlib
import os
import re
import stat

import cbor2
import pytest

from harness import RECOVERY_KEY
from terminal import Terminal

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@pytest.fixture
def relay(world):
    return world.relay()


@pytest.fixture
def first(world, relay):
    return world.vault("first", relay_url=relay.url)[0]


def test_the_key_alone_on_an_empty_machine_brings_back_every_synchronizable_item(world, relay, first):
    for n in range(12):
        first.add(f"svc {n}", "ann", os.urandom(50) + str(n).encode(), "--label", f"label {n}")
    first.add("sure", "ann", b"always there", "--accessible", "after-first-unlock")
    first.add("local", "ann", b"stays", "--this-device-only")
    first.ok("rm", "svc 3", "ann")
    first.ok("sync")
    wanted = {(i["service"], i["account"], i["label"]) for i in first.list() if i["service"] != "local"}
    secrets = {service: first.get(service, "ann") for service, _, _ in wanted}
    first.kill_agent()
    fresh = world.device("fresh")
    fresh.ok("recover", "--relay", relay.url, "--device-name", "fresh", stdin=world.recovery_key.encode() + b"\n")
    assert {(i["service"], i["account"], i["label"]) for i in fresh.list()} == wanted
    for service, secret in secrets.items():
        assert fresh.get(service, "ann") == secret
    # It is a device like any other now.
    fresh.add("new", "ann", b"from fresh")
    fresh.ok("sync")
    first.start_agent()
    first.ok("sync")
    assert first.get("new", "ann") == b"from fresh"


def test_reading_the_key_ignores_case_spaces_and_hyphens(world, relay, first):
    first.add("svc", "ann", b"s")
    first.ok("sync")
    typed = world.recovery_key.lower().replace("-", "  ").replace("1", "l").replace("0", "o")
    fresh = world.device("fresh")
    fresh.ok("recover", "--relay", relay.url, stdin=typed.encode())
    assert fresh.get("svc", "ann") == b"s"


def test_the_key_can_be_typed_on_a_terminal_and_is_not_shown(world, relay, first):
    first.add("svc", "ann", b"s")
    first.ok("sync")
    fresh = world.device("fresh")
    terminal = Terminal(fresh, "recover", "--relay", relay.url, env=fresh.env)
    terminal.expect(":")
    result = terminal.type(world.recovery_key).finish(0)
    assert world.recovery_key not in result.err
    assert fresh.get("svc", "ann") == b"s"


def written_key(random: bytes) -> list[str]:
    """The groups of the recovery key of these 32 bytes, made from Docs/Formats.md section 5 alone."""
    checksum = hashlib.blake2b(cbor2.dumps(["lockstep/recovery-checksum/1", random]), digest_size=32).digest()[0] >> 4
    bits = int.from_bytes(random, "big") << 4 | checksum
    groups = []
    for group in range(13):
        values = [bits >> 5 * (51 - 4 * group - place) & 31 for place in range(4)]
        check = group + 1
        for factor, value in zip((2, 3, 4, 5), values, strict=True):
            check ^= product(factor, value)
        groups.append("".join(ALPHABET[value] for value in [*values, check]))
    return groups


def product(a: int, b: int) -> int:
    """In GF(32) with the polynomial x^5 + x^2 + 1."""
    result = 0
    for bit in range(5):
        if b >> bit & 1:
            result ^= a << bit
    for bit in range(9, 4, -1):
        if result >> bit & 1:
            result ^= 0b100101 << bit - 5
    return result


def refused_key(device, groups: list[str]) -> str:
    """What is said about a key that is refused. Nobody listens at the address: the key is checked first."""
    result = device.run("recover", "--relay", "http://127.0.0.1:9", stdin="-".join(groups).encode())
    assert result.code not in (0, 69), str(result)
    result.expect_one_error_line()
    assert not any(group in result.err for group in groups), "an error never repeats the key"
    return result.err


def test_a_well_formed_key_passes_the_check(world):
    result = world.device("fresh").run(
        "recover", "--relay", "http://127.0.0.1:9", stdin="-".join(written_key(os.urandom(32))).encode()
    )
    result.expect(69)


def test_the_key_of_a_vault_is_written_as_documented(first, world):
    groups = world.recovery_key.split("-")
    bits = 0
    for group in groups:
        for character in group[:4]:
            bits = bits << 5 | ALPHABET.index(character)
    assert groups == written_key((bits >> 4).to_bytes(32, "big"))


@pytest.mark.parametrize("group", range(13))
def test_a_mistyped_key_names_the_wrong_group(world, group):
    fresh = world.device("fresh")
    key = written_key(os.urandom(32))
    for position in range(5):
        wrong = key.copy()
        new = ALPHABET[(ALPHABET.index(key[group][position]) + 1 + 7 * position) % 32]
        wrong[group] = key[group][:position] + new + key[group][position + 1 :]
        assert re.search(rf"group {group + 1}\b", refused_key(fresh, wrong))
    swapped = key.copy()
    swapped[group] = key[group][1] + key[group][0] + key[group][2:]
    if swapped != key:
        assert re.search(rf"group {group + 1}\b", refused_key(fresh, swapped))


def test_swapped_groups_are_named(world):
    groups = written_key(os.urandom(32))
    groups[2], groups[9] = groups[9], groups[2]
    assert re.search(r"groups? (3|10)\b", refused_key(world.device("fresh"), groups))


def test_a_missing_group_is_said(world):
    key = written_key(os.urandom(32))
    refused_key(world.device("fresh"), key[:5] + key[6:])
    refused_key(world.device("other"), key + [key[0]])


@pytest.mark.parametrize("typed", [b"", b"hello", b"0" * 65, b"A" * 1_000_000, b"\xff\xfe" * 40, "ü".encode() * 65])
def test_what_is_no_recovery_key_is_refused(world, relay, typed):
    fresh = world.device("fresh")
    result = fresh.run("recover", "--relay", relay.url, stdin=typed)
    assert result.code not in (0, 69), str(result)
    result.expect_one_error_line()


def test_a_well_formed_key_of_no_vault_is_refused(world, relay, first):
    stranger = world.device("stranger")
    other = world.relay()
    key = stranger.init(other.url)
    result = world.device("fresh").run("recover", "--relay", relay.url, stdin=key.encode())
    assert result.code not in (0, 69), str(result)
    result.expect_one_error_line()


def test_a_recovery_kit_file_is_for_the_owner_alone(world, relay):
    kit = world.folder / "kit.txt"
    device = world.device("a")
    key = device.init(relay.url, "--recovery-kit", str(kit))
    assert stat.S_IMODE(kit.stat().st_mode) == 0o600
    assert RECOVERY_KEY.findall(kit.read_text()) == [key]
    fresh = world.device("fresh")
    fresh.ok("recover", "--relay", relay.url, stdin=key.encode())


def test_a_recovery_kit_never_overwrites_a_file(world, relay):
    kit = world.folder / "kit.txt"
    kit.write_text("something else")
    device = world.device("a")
    assert device.run("init", "--relay", relay.url, "--recovery-kit", str(kit)).code != 0
    assert kit.read_text() == "something else"


def test_a_kit_that_cannot_be_written_leaves_no_vault_behind(world, relay):
    device = world.device("a")
    result = device.run("init", "--relay", relay.url, "--recovery-kit", "/proc/nonsense/kit.txt")
    assert result.code != 0
    result.expect_one_error_line()
    device.init(relay.url)
