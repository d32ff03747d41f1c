"""Two devices of one vault: what one writes the other reads, also after both were alone."""

import shutil

import pytest

from harness import wait_until
from proxy import CapturingProxy


def settle(*devices):
    """Brings devices to the same state: each pushes, then each pulls what the others pushed."""
    for _ in range(2):
        for device in devices:
            device.ok("sync")


def test_a_secret_added_on_one_is_readable_on_the_other_without_sync(world):
    a, b = world.vault("a", "b")
    a.add("mail", "ann", b"hunter2")
    wait_until(lambda: b.has("mail", "ann", b"hunter2"), "b has what a added")
    b.ok("edit", "mail", "ann", "--secret", stdin=b"newer")
    wait_until(lambda: a.has("mail", "ann", b"newer"), "a has what b changed")
    a.ok("rm", "mail", "ann")
    wait_until(lambda: b.run("get", "mail", "ann").code == 44, "b has lost what a removed")


def test_sync_is_one_full_cycle(world):
    a, b = world.vault("a", "b")
    for n in range(20):
        a.add(f"svc {n}", "ann", f"secret {n}".encode())
    a.ok("sync")
    b.ok("sync")
    assert {item["service"] for item in b.list()} == {f"svc {n}" for n in range(20)}
    assert b.get("svc 7", "ann") == b"secret 7"


def test_labels_and_binary_secrets_travel(world):
    a, b = world.vault("a", "b")
    a.add("svc", "ann", bytes(range(256)), "--label", "Grüße ✓")
    settle(a, b)
    assert b.get("svc", "ann") == bytes(range(256))
    assert b.list()[0]["label"] == "Grüße ✓"


def test_everything_works_offline_and_the_queue_drains(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("before", "ann", b"1")
    settle(a, b)
    relay.stop()
    a.add("offline", "ann", b"2")
    a.ok("edit", "before", "ann", "--secret", stdin=b"1b")
    a.add("gone again", "ann", b"3")
    a.ok("rm", "gone again", "ann")
    assert a.get("offline", "ann") == b"2"
    assert a.get("before", "ann") == b"1b"
    assert b.get("before", "ann") == b"1"
    a.run("sync").expect(69)
    a.ok("status")
    a.ok("list")
    relay.start()
    wait_until(lambda: b.has("offline", "ann", b"2"), "b has what a added offline")
    wait_until(lambda: b.has("before", "ann", b"1b"), "b has what a changed offline")
    b.run("get", "gone again", "ann").expect(44)


def test_the_queue_survives_a_restart_of_the_agent(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    relay.stop()
    a.add("offline", "ann", b"2")
    a.restart_agent()
    assert a.get("offline", "ann") == b"2"
    relay.start()
    wait_until(lambda: b.has("offline", "ann", b"2"), "b has what a added before its agent restarted")


def test_a_cut_line_mends_itself(world):
    proxy = CapturingProxy(world.relay().port)
    world.closers.append(proxy.close)
    a, b = world.vault("a", "b", relay_url=proxy.url)
    for round_number in range(3):
        proxy.cut()
        a.add(f"svc {round_number}", "ann", b"s")
        proxy.mend()
        wait_until(lambda n=round_number: b.has(f"svc {n}", "ann", b"s"), "b has what a added while the line was cut")


def offline_writes(relay, a, b, on_a, on_b):
    """Both devices write while the relay is away; then they meet."""
    settle(a, b)
    relay.stop()
    on_a(a)
    on_b(b)
    relay.start()
    settle(a, b)


def same_on_both(a, b):
    def shape(device):
        return sorted((item["service"], item["account"], item["label"]) for item in device.list())

    assert shape(a) == shape(b)
    for item in a.list():
        assert a.get(item["service"], item["account"]) == b.get(item["service"], item["account"])


def test_two_offline_edits_of_a_secret_make_a_conflict_that_keeps_both(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("svc", "ann", b"original")
    offline_writes(
        relay,
        a,
        b,
        lambda d: d.ok("edit", "svc", "ann", "--secret", stdin=b"from a"),
        lambda d: d.ok("edit", "svc", "ann", "--secret", stdin=b"from b"),
    )
    same_on_both(a, b)
    # The later write is shown; the other one is kept and the item says so.
    assert a.get("svc", "ann") == b"from b"
    for device in (a, b):
        (item,) = device.list()
        assert item["conflicts"], item
        assert "svc" in device.ok("list").text
    # Every value can be read, and the person decides for one by its number.
    shown = a.ok("conflict", "show", "svc", "ann", "--json").json
    assert [(row["number"], row["attribute"], row["value"]) for row in shown] == [
        (1, "secret", "from b"),
        (2, "secret", "from a"),
    ]
    b.ok("conflict", "resolve", "svc", "ann", "--keep", "2")
    settle(a, b)
    for device in (a, b):
        assert device.get("svc", "ann") == b"from a"
        assert device.run("conflict", "show", "svc", "ann").code == 1
        assert device.ok("conflicts", "--json").json == []


def test_a_relay_restored_from_a_backup_is_reported_once_and_given_back_what_it_lost(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("old", "ann", b"before the backup")
    settle(a, b)
    relay.stop()
    backup = world.folder / "backup"
    shutil.copytree(relay.data, backup)
    relay.start()
    a.add("new", "ann", b"after the backup")
    settle(a, b)
    relay.stop()
    shutil.rmtree(relay.data)
    shutil.copytree(backup, relay.data)
    relay.start()
    assert a.run("sync").code == 70
    for device in (b, a, b):
        device.run("sync")
    for device in (a, b):
        device.ok("sync")
        assert device.get("new", "ann") == b"after the backup" and device.get("old", "ann") == b"before the backup"
        assert device.status()["vaults"][0]["standing"] == "fine"
    third = world.device("third")
    invitation = a.invite("--yes")
    third.ok("join", invitation.code)
    invitation.finish(0)
    assert third.get("new", "ann") == b"after the backup"


def test_an_ordinary_edit_closes_a_conflict(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("svc", "ann", b"original")
    offline_writes(
        relay,
        a,
        b,
        lambda d: d.ok("edit", "svc", "ann", "--secret", stdin=b"from a"),
        lambda d: d.ok("edit", "svc", "ann", "--secret", stdin=b"from b"),
    )
    assert all(item["conflicts"] for device in (a, b) for item in device.list())
    a.ok("edit", "svc", "ann", "--secret", stdin=b"chosen")
    settle(a, b)
    for device in (a, b):
        (item,) = device.list()
        assert not item["conflicts"], item
        assert device.get("svc", "ann") == b"chosen"


def test_edits_of_different_attributes_merge_without_conflict(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("svc", "ann", b"original", "--label", "old")
    offline_writes(
        relay,
        a,
        b,
        lambda d: d.ok("edit", "svc", "ann", "--secret", stdin=b"from a"),
        lambda d: d.ok("edit", "svc", "ann", "--label", "from b"),
    )
    same_on_both(a, b)
    (item,) = a.list()
    assert a.get("svc", "ann") == b"from a" and item["label"] == "from b" and not item["conflicts"]


def test_the_same_item_added_on_both_is_one_item_with_one_conflict(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    offline_writes(
        relay, a, b, lambda d: d.add("svc", "ann", b"from a"), lambda d: d.add("svc", "ann", b"from b")
    )
    same_on_both(a, b)
    (item,) = a.list()
    assert item["conflicts"]


def test_the_same_secret_added_on_both_is_no_conflict(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    offline_writes(relay, a, b, lambda d: d.add("svc", "ann", b"same"), lambda d: d.add("svc", "ann", b"same"))
    same_on_both(a, b)
    (item,) = a.list()
    assert not item["conflicts"] and b.get("svc", "ann") == b"same"


@pytest.mark.parametrize("editor_first", [True, False])
def test_an_edit_wins_over_a_delete(world, editor_first):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("svc", "ann", b"original")

    def edit(device):
        device.ok("edit", "svc", "ann", "--secret", stdin=b"edited")

    def delete(device):
        device.ok("rm", "svc", "ann")

    offline_writes(relay, a, b, *((edit, delete) if editor_first else (delete, edit)))
    assert a.get("svc", "ann") == b"edited" and b.get("svc", "ann") == b"edited"


def test_deleted_on_both_is_deleted(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("svc", "ann", b"original")
    offline_writes(relay, a, b, lambda d: d.ok("rm", "svc", "ann"), lambda d: d.ok("rm", "svc", "ann"))
    assert a.list() == [] and b.list() == []
    b.add("svc", "ann", b"again")
    settle(b, a)
    assert a.get("svc", "ann") == b"again"


def test_device_only_items_stay_and_do_not_hinder_the_others(world):
    a, b = world.vault("a", "b")
    a.add("local", "ann", b"stays", "--this-device-only")
    a.add("shared", "ann", b"travels")
    settle(a, b)
    assert [item["service"] for item in b.list()] == ["shared"]
    b.run("get", "local", "ann").expect(44)
    assert a.get("local", "ann") == b"stays"


def test_the_twins_live_side_by_side_when_they_meet(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    offline_writes(
        relay,
        a,
        b,
        lambda d: d.add("svc", "ann", b"shared"),
        lambda d: d.add("svc", "ann", b"local", "--this-device-only"),
    )
    assert a.get("svc", "ann") == b"shared"
    assert len(a.list()) == 1 and len(b.list()) == 2
    # On b the name alone leaves open which is meant, so nothing is done.
    for command in (["get"], ["rm"], ["edit", "--label", "x"]):
        assert b.run(command[0], "svc", "ann", *command[1:]).expect(2).out == b""
    assert b.ok("get", "svc", "ann", "--this-device-only").out == b"local"
    assert b.ok("get", "svc", "ann", "--synchronizable").out == b"shared"
    b.ok("rm", "svc", "ann", "--this-device-only")
    settle(b, a)
    assert a.get("svc", "ann") == b.get("svc", "ann") == b"shared"


def test_three_devices_and_many_writes_converge(world):
    relay = world.relay()
    a, b, c = devices = world.vault("a", "b", "c", relay_url=relay.url)
    settle(*devices)
    relay.stop()
    for n, device in enumerate(devices):
        for k in range(8):
            device.add(f"svc {k}", "ann", f"secret {k} of {device.name}".encode())
        device.ok("rm", f"svc {n}", "ann")
    relay.start()
    settle(*devices)
    settle(*devices)
    same_on_both(a, b)
    same_on_both(b, c)
    assert {item["service"] for item in a.list()} == {f"svc {k}" for k in range(8)}


def test_the_relay_keeps_everything_over_a_restart(world):
    relay = world.relay()
    a, b = world.vault("a", "b", relay_url=relay.url)
    a.add("svc", "ann", b"s")
    a.ok("sync")
    assert relay.stop() == 0
    relay.start()
    b.ok("sync")
    assert b.get("svc", "ann") == b"s"
