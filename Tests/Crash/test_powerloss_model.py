"""The model of a disk itself, on small recordings made by hand."""

import random

from powerloss import CREATE, RENAME, SYNC, TRUNCATE, UNLINK, WRITE, Disk, Event, Log, cuts


def recorded(tmp_path, *events):
    disk = Disk(tmp_path)
    for event in events:
        disk.apply(event)
    return disk


def event(tmp_path, kind, inode, name="", data=b"", offset=0):
    return Event(kind, inode, offset, f"{tmp_path}/{name}".rstrip("/"), data)


def test_only_what_was_synced_survives_and_only_under_a_synced_name(tmp_path):
    create = event(tmp_path, CREATE, 7, "f")
    write = event(tmp_path, WRITE, 7, "f", b"hello")
    sync = event(tmp_path, SYNC, 7, "f")
    more = event(tmp_path, WRITE, 7, "f", b"J")
    folder = event(tmp_path, SYNC, 1)
    assert recorded(tmp_path, create, write, sync).survivors() == {}
    assert recorded(tmp_path, create, write, folder).survivors() == {"f": b""}
    disk = recorded(tmp_path, create, write, sync, folder, more)
    assert disk.survivors() == {"f": b"hello"}
    assert disk.survivors(everything=True) == {"f": b"Jello"}


def test_renames_and_removals_wait_for_the_folder(tmp_path):
    begin = [
        event(tmp_path, CREATE, 7, "new"),
        event(tmp_path, WRITE, 7, "new", b"2"),
        event(tmp_path, SYNC, 7, "new"),
        event(tmp_path, CREATE, 8, "f"),
        event(tmp_path, WRITE, 8, "f", b"1"),
        event(tmp_path, SYNC, 8, "f"),
        event(tmp_path, SYNC, 1),
        Event(RENAME, 0, 0, f"{tmp_path}/new", f"{tmp_path}/f".encode()),
    ]
    assert recorded(tmp_path, *begin).survivors() == {"new": b"2", "f": b"1"}
    assert recorded(tmp_path, *begin, event(tmp_path, SYNC, 1)).survivors() == {"f": b"2"}
    gone = [event(tmp_path, UNLINK, 0, "f")]
    assert recorded(tmp_path, *begin, event(tmp_path, SYNC, 1), *gone).survivors() == {"f": b"2"}
    assert recorded(tmp_path, *begin, event(tmp_path, SYNC, 1), *gone, event(tmp_path, SYNC, 1)).survivors() == {}


def test_truncation_and_holes(tmp_path):
    disk = recorded(
        tmp_path,
        event(tmp_path, CREATE, 7, "f"),
        event(tmp_path, SYNC, 1),
        event(tmp_path, WRITE, 7, "f", b"abc", offset=4),
        event(tmp_path, TRUNCATE, 7, "f", offset=5),
        event(tmp_path, WRITE, 7, "f", b"z", offset=6),
    )
    assert disk.survivors() == {"f": b""}
    assert disk.survivors(everything=True) == {"f": b"\0\0\0\0a\0z"}


def test_chance_keeps_parts_and_never_what_was_not_written(tmp_path):
    events = [event(tmp_path, CREATE, 7, "f"), event(tmp_path, SYNC, 1)]
    events += [event(tmp_path, WRITE, 7, "f", bytes([n]) * 2048, offset=2048 * n) for n in range(1, 6)]
    seen = {recorded(tmp_path, *events).survivors(random.Random(seed))["f"] for seed in range(40)}
    assert len(seen) > 10
    for content in seen:
        for n in range(1, 6):
            assert set(content[2048 * n : 2048 * n + 2048]) <= {0, n}


def test_a_cut_counts_every_mark_before_the_sync_takes_effect(tmp_path):
    folder = tmp_path / "home"
    log = Log(tmp_path / "log")
    log.mark("first")
    log.mark("second")
    assert [(cut.number, cut.marks) for cut in cuts(log, Disk(folder))] == [(0, ["first", "second"])]
