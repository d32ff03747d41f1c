"""Items on one device: what add, get, edit, rm and list promise to scripts."""

import json

import pytest

from harness import random_secret
from terminal import Terminal

MEBIBYTE = 1 << 20


@pytest.fixture
def device(world):
    return world.vault("a")[0]


def test_what_was_added_is_read_back_and_nothing_else_is_printed(device):
    added = device.add("mail.example", "ann", b"hunter2")
    assert added.out == b""
    assert device.ok("get", "mail.example", "ann").out == b"hunter2"


def test_a_newline_follows_the_secret_only_on_a_terminal(device):
    device.add("svc", "ann", b"hunter2")
    assert Terminal(device, "get", "svc", "ann", env=device.env).finish(0).text == "hunter2\n"
    assert Terminal(device, "get", "svc", "ann", env=device.env, pipe_stdout=True).finish(0).out == b"hunter2"


@pytest.mark.parametrize(
    "typed, kept",
    [
        (b"x\n", b"x"),
        (b"x\n\n", b"x\n"),
        (b"x", b"x"),
        (b"x\r\n", b"x\r"),
        (b"\n", b""),
        (b"", b""),
        (bytes(range(256)), bytes(range(256))),
        (b"\x00\xff\n\x00\n", b"\x00\xff\n\x00"),
        ("Schlüssel ✓\n".encode(), "Schlüssel ✓".encode()),
    ],
    ids=["one newline", "two", "none", "crlf", "newline alone", "empty", "every byte", "binary", "unicode"],
)
def test_a_secret_is_bytes_less_one_final_newline(device, typed, kept):
    device.add("svc", "ann", typed)
    assert device.get("svc", "ann") == kept


def test_a_secret_is_never_taken_from_an_argument(device):
    device.run("add", "svc", "ann", "hunter2", stdin=b"x").expect(2)
    device.run("add", "svc", "ann", "--secret", "hunter2", stdin=b"x").expect(2)
    device.run("get", "svc", "ann").expect(44)


def test_on_a_terminal_the_secret_is_prompted_for_and_not_shown(device):
    terminal = Terminal(device, "add", "svc", "ann", env=device.env)
    terminal.expect("Secret:")
    assert not terminal.echoes()
    terminal.type("typed-secret").expect("again:")
    result = terminal.type("typed-secret").finish(0)
    assert "typed-secret" not in result.err
    assert device.get("svc", "ann") == b"typed-secret"


def test_missing_items_are_44(device):
    for command in (["get", "no"], ["get", "no", "ann"], ["rm", "no", "ann"], ["edit", "no", "ann", "--label", "x"]):
        result = device.run(*command).expect(44)
        assert result.out == b""


def test_adding_twice_is_45_and_changes_nothing(device):
    device.add("svc", "ann", b"first")
    device.run("add", "svc", "ann", stdin=b"second").expect(45)
    assert device.get("svc", "ann") == b"first"


def test_update_replaces(device):
    device.add("svc", "ann", b"first")
    device.add("svc", "ann", b"second", "--update")
    assert device.get("svc", "ann") == b"second"
    assert len(device.list()) == 1
    device.add("new", "ann", b"third", "--update")
    assert device.get("new", "ann") == b"third"


@pytest.mark.parametrize("first", [[], ["--this-device-only"]], ids=["synchronizable", "device-only"])
@pytest.mark.parametrize("second", [[], ["--this-device-only"]], ids=["synchronizable", "device-only"])
def test_either_twin_existing_is_45(device, first, second):
    device.add("svc", "ann", b"first", *first)
    device.run("add", "svc", "ann", *second, stdin=b"second").expect(45)
    assert device.get("svc", "ann") == b"first"
    device.ok("rm", "svc", "ann")
    device.run("get", "svc", "ann").expect(44)


def test_service_alone_means_the_empty_account_first(device):
    device.add("svc", None, b"empty")
    device.add("svc", "ann", b"ann's")
    assert device.get("svc") == b"empty"


def test_service_alone_means_the_only_match_otherwise(device):
    device.add("svc", "ann", b"ann's")
    assert device.get("svc") == b"ann's"
    device.ok("edit", "svc", "--secret", stdin=b"newer")
    assert device.get("svc", "ann") == b"newer"
    device.ok("rm", "svc")
    device.run("get", "svc", "ann").expect(44)


@pytest.mark.parametrize("command", [["get"], ["rm"], ["edit", "--label", "x"]], ids=["get", "rm", "edit"])
def test_several_matches_name_the_accounts_and_do_nothing(device, command):
    device.add("svc", "ann", b"1")
    device.add("svc", "bob", b"2", "--this-device-only")
    before = device.list()
    result = device.run(command[0], "svc", *command[1:]).expect(2)
    assert result.out == b""
    assert "ann" in result.err and "bob" in result.err
    assert device.list() == before


def test_edit_changes_the_secret_and_the_label_each_alone(device):
    device.add("svc", "ann", b"first", "--label", "Old label")
    device.ok("edit", "svc", "ann", "--label", "New label")
    assert device.get("svc", "ann") == b"first"
    assert device.list()[0]["label"] == "New label"
    device.ok("edit", "svc", "ann", "--secret", stdin=b"second\n")
    assert device.get("svc", "ann") == b"second"
    assert device.list()[0]["label"] == "New label"


def test_generate_makes_a_new_secret_each_time(device):
    for name in ("one", "two"):
        device.add(name, "ann", b"", "--generate")
    one, two = device.get("one", "ann"), device.get("two", "ann")
    assert len(one) >= 16 and one != two
    assert one.decode().isprintable()


def test_list_shows_every_item_and_no_secret(device):
    device.add("mail", "ann", b"hunter2", "--label", "Mail of Ann")
    device.add("bank", "bob", b"tr0ub4dor", "--this-device-only")
    text = device.ok("list").text
    for shown in ("mail", "ann", "bank", "bob"):
        assert shown in text
    assert "hunter2" not in text and "tr0ub4dor" not in text
    items = sorted(device.list(), key=lambda item: item["service"])
    assert [(item["service"], item["account"]) for item in items] == [("bank", "bob"), ("mail", "ann")]
    assert items[1]["label"] == "Mail of Ann"
    assert "hunter2" not in json.dumps(items)


def test_an_empty_list_is_an_empty_array(device):
    result = device.ok("list", "--json")
    assert result.json == []


@pytest.mark.parametrize("text", ["\x1b[2Jsvc", "tab\there", "line\nbreak", "bidi\u202egnp", "c1\u009b31m"])
def test_names_are_made_harmless_where_they_are_printed(device, text):
    device.add(text, "ann", b"s", "--label", text)
    shown = device.ok("list").text
    assert text not in shown
    assert not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 or c in "\u202e\u2028" for c in shown), repr(shown)
    assert device.list()[0]["service"] == text
    assert device.get(text, "ann") == b"s"


def test_unicode_names_are_kept_as_they_are(device):
    for name in ("Ünïcode", "日本語", "🔑 key", "a" * 500):
        device.add(name, "ännchen", b"s")
        assert device.get(name, "ännchen") == b"s"
    assert {item["service"] for item in device.list()} == {"Ünïcode", "日本語", "🔑 key", "a" * 500}


@pytest.mark.parametrize("accessible", ["when-unlocked", "after-first-unlock", "when-passcode-set"])
def test_accessible_names_a_class(world, accessible):
    device = world.vault("a", passphrase=b"correct horse")[0]
    device.add("svc", "ann", b"s", "--accessible", accessible)
    assert device.list()[0]["accessible"].startswith(accessible)
    assert device.get("svc", "ann") == b"s"


def test_always_is_a_class_of_this_device_only(device):
    result = device.run("add", "svc", "ann", "--accessible", "always", "--this-device-only", stdin=b"s").expect(0)
    assert result.out == b""
    assert device.list()[0]["accessible"].startswith("always")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["get"],
        ["add"],
        ["get", "a", "b", "c"],
        ["get", "--nonsense", "a"],
        ["add", "a", "b", "--accessible", "sometimes"],
        ["add", "a", "b", "--label"],
        ["edit", "a", "b"],
        ["join"],
        ["init"],
        ["recover"],
        ["device", "nonsense"],
        ["list", "--yaml"],
        ["device", "invite", "--role", "emperor"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2(device, arguments):
    result = device.run(*arguments, stdin=b"s")
    assert result.code == 2, str(result)
    assert result.err.strip() and result.out == b"", str(result)


def test_an_item_at_the_limit_is_kept_and_one_byte_more_is_206(device):
    largest = random_secret(MEBIBYTE)
    device.add("large", "ann", largest)
    assert device.get("large", "ann") == largest
    for size in (MEBIBYTE + 1, 40 * MEBIBYTE):
        device.run("add", "larger", "ann", stdin=b"\x01" * size).expect(206)
        device.run("edit", "large", "ann", "--secret", stdin=b"\x01" * size).expect(206)
    assert device.get("large", "ann") == largest
    assert len(device.list()) == 1


def test_oversized_names_are_refused(device):
    long = "n" * 100_000
    for arguments in (["add", long, "ann"], ["add", "svc", long], ["add", "svc", "ann", "--label", long]):
        device.run(*arguments, stdin=b"s").expect(206)
    assert device.list() == []


def test_device_list_and_status_report_as_json(device):
    devices = device.ok("device", "list", "--json").json
    assert isinstance(devices, list) and [entry["name"] for entry in devices] == ["a"]
    status = device.ok("status", "--json").json
    assert isinstance(status, dict)
    assert device.ok("status").text.strip() and device.ok("device", "list").text.strip()


def test_the_command_line_starts_an_agent_when_none_runs(world):
    relay = world.relay()
    device = world.device("a", start=False)
    device.init(relay.url)
    assert device.listener()
    device.add("svc", "ann", b"s")
    device.end_agent()
    assert device.get("svc", "ann") == b"s"


def test_a_broken_pipe_is_no_crash(device):
    for n in range(50):
        device.add(f"service number {n}", "ann", b"s")
    command = device.start("list", "--json")
    command.stdout.close()
    command.wait(60)
    assert "Fatal error" not in command.stderr.read().decode()
    assert device.get("service number 1", "ann") == b"s"
