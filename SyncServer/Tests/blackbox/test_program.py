"""The command line: what a person or a script meets before any request."""

import re
import signal
import socket
import sqlite3
import stat

import pytest
from client import Client
from process import RelayProcess, run

TOKEN = re.compile(r"^[0-9A-HJKMNP-TV-Z]{26}\n$")


def test_help_and_version_go_to_standard_output(tmp_path):
    for argument, expected in (("--help", "Usage: lockstep-relay"), ("--version", "lockstep-relay ")):
        result = run(tmp_path, argument)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith(expected)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["invite"],
        ["invite", "delete"],
        ["serve", "--frobnicate"],
        ["serve", "now"],
        ["serve", "--listen"],
        ["serve", "--listen", "nonsense"],
        ["serve", "--listen", "127.0.0.1:99999"],
        ["serve", "--listen", "::1:80"],
        ["serve", "--public-url", "ftp://relay.example"],
        ["serve", "--open-registration=yes"],
        ["serve", "--vault-quota", "0"],
        ["invite", "create", "--uses", "0"],
        ["invite", "create", "--uses", "-1"],
        ["invite", "create", "--expires", "soon"],
        ["invite", "create", "--expires", "0d"],
        ["restored", "--expires", "1d"],
    ],
)
def test_a_wrong_command_line_ends_with_2_and_one_line(tmp_path, arguments):
    result = run(tmp_path, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("lockstep-relay: ") and result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_invite_is_one_line_with_a_token(tmp_path):
    tokens = {run(tmp_path, "invite", "create", "--data", str(tmp_path / "d")).stdout for _ in range(3)}
    assert len(tokens) == 3
    assert all(TOKEN.match(token) for token in tokens)


@pytest.mark.parametrize(
    "variables,expected",
    [
        ({}, ".local/share/lockstep-relay"),
        ({"XDG_DATA_HOME": "{}/xdg"}, "xdg/lockstep-relay"),
        ({"XDG_DATA_HOME": "relative"}, ".local/share/lockstep-relay"),
        ({"XDG_DATA_HOME": "{}/xdg", "LOCKSTEP_RELAY_DATA": "{}/own"}, "own"),
    ],
)
def test_the_data_directory_is_where_the_environment_says(tmp_path, variables, expected):
    variables = {name: value.format(tmp_path) for name, value in variables.items()}
    assert run(tmp_path, "invite", "create", **variables).returncode == 0
    directory = tmp_path / expected
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in directory.iterdir()} == {0o600}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(relay, number):
    assert Client(relay).send("GET", "/healthz").status == 200
    assert relay.stop(number) == 0
    assert {file.name for file in relay.data.iterdir()} == {"relay.lock", "relay.sqlite"}


def test_a_second_relay_on_the_same_directory_is_refused_and_an_invite_is_not(relay):
    result = run(relay.folder, "serve", "--listen", "127.0.0.1:0", "--data", str(relay.data))
    assert (result.returncode, result.stdout) == (1, "")
    assert "serves" in result.stderr and result.stderr.count("\n") == 1
    assert TOKEN.match(relay.invite())
    assert relay.alive()
    result = run(relay.folder, "restored", "--data", str(relay.data))
    assert result.returncode == 1


def test_an_address_in_use_is_said_in_one_line(relay, tmp_path):
    result = run(tmp_path, "serve", "--listen", f"127.0.0.1:{relay.port}", "--data", str(tmp_path / "other"))
    assert result.returncode == 1
    assert "another program uses it" in result.stderr.lower() and result.stderr.count("\n") == 1


def test_ipv6_and_names_can_be_listened_on(make_relay):
    for listen, folder in (("localhost:0", "name"), ("[::1]:0", "six")):
        if folder == "six" and not ipv6():
            continue
        relay = make_relay(folder=folder, listen=listen)
        relay.host = relay.host.strip("[]")
        assert Client(relay).send("GET", "/healthz").body == b"ok\n"


def ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


@pytest.mark.parametrize(
    "contents,word",
    [(b"my diary, which is certainly no database and longer than a header is\n" * 3, "not a relay's database"), (None, "not a relay's database")],
)
def test_a_foreign_file_is_refused_in_words_and_kept(tmp_path, contents, word):
    data = tmp_path / "data"
    data.mkdir()
    file = data / "relay.sqlite"
    if contents is None:
        with sqlite3.connect(file) as other:
            other.execute("CREATE TABLE diary (entry)")
        other.close()
        contents = file.read_bytes()
    else:
        file.write_bytes(contents)
    result = run(tmp_path, "serve", "--listen", "127.0.0.1:0", "--data", str(data))
    assert (result.returncode, result.stdout) == (1, "")
    assert word in result.stderr and result.stderr.count("\n") == 1
    assert file.read_bytes() == contents


def test_a_damaged_database_is_refused_in_words(tmp_path, vault, relay):
    for _ in range(10):
        vault.store(vault.record(size=3000))
    assert relay.stop() == 0
    file = relay.data / "relay.sqlite"
    bytes = bytearray(file.read_bytes())
    for index in range(4096, len(bytes), 13):
        bytes[index] ^= 0x5A
    file.write_bytes(bytes)
    result = run(tmp_path, "serve", "--listen", "127.0.0.1:0", "--data", str(relay.data))
    assert result.returncode == 1
    assert "damaged" in result.stderr and result.stderr.count("\n") == 1


def test_a_directory_that_cannot_be_made_is_said_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    result = run(tmp_path, "serve", "--data", str(tmp_path / "file" / "below"))
    assert result.returncode == 1
    assert result.stderr.startswith("lockstep-relay: ") and result.stderr.count("\n") == 1


def test_restored_gives_every_vault_a_new_incarnation(relay, vault):
    vault.store()
    assert relay.stop() == 0
    vault.client.close()
    assert run(relay.folder, "restored", "--data", str(relay.data)).returncode == 0
    relay.restart()
    page = vault.get("/changes").value
    assert page[1] != vault.incarnation and len(page[2]) == 1
    assert vault.push([bytes(32), 0, 0, vault.record()]).code == "incarnation"


def test_the_log_holds_no_id_and_no_signature(make_relay):
    from vault import Vault

    relay = make_relay("--open-registration", "--verbose")
    vault = Vault.registered(relay)
    slot, _ = vault.store()
    said = relay.said()
    assert "/records" in said and "status=200" in said
    for secret in (vault.chain.vault.hex(), vault.alice.id.hex(), slot.hex(), "ed25519", "Signature"):
        assert secret not in said
    for line in said.splitlines():
        assert re.match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|error) [a-z-]+( [a-z]+=.*)?$", line), line


def test_a_relay_process_tells_its_real_port(tmp_path):
    relays = [RelayProcess(tmp_path / name).start() for name in "ab"]
    try:
        assert relays[0].port != relays[1].port != 0
    finally:
        for relay in relays:
            relay.discard()
