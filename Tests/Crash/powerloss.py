"""What a disk would hold if the power failed: replays the log that faultshim.c recorded.

The model is stricter than real file systems: a file has durably only what was synced of it, and a name is durable only
once its folder was synced. What was not synced may be there wholly, in part, or not at all.
"""

import random
import struct
from dataclasses import dataclass, field
from pathlib import Path

ENTRY = struct.Struct("<IIQQQII")
MAGIC = 0x4C4F434B
WRITE, TRUNCATE, SYNC, CREATE, RENAME, UNLINK, MAKE_FOLDER, MARK = range(1, 9)
SECTOR = 512


@dataclass
class Event:
    kind: int
    inode: int
    offset: int
    path: str
    data: bytes


class Log:
    """The recording: the library appends what happened to files, the test appends marks."""

    def __init__(self, path: Path):
        self.path = path
        self.env_name = "LOCKSTEP_FAULT_LOG"

    def mark(self, text: str) -> None:
        data = text.encode()
        with open(self.path, "ab", buffering=0) as log:
            log.write(ENTRY.pack(MAGIC, MARK, 0, 0, len(data), 0, 0) + data)

    def events(self) -> list[Event]:
        content, at, found = self.path.read_bytes(), 0, []
        while at < len(content):
            magic, kind, inode, offset, length, path_length, _ = ENTRY.unpack_from(content, at)
            assert magic == MAGIC, f"the recording is damaged at {at}"
            at += ENTRY.size
            path = content[at : at + path_length].decode()
            at += path_length
            found.append(Event(kind, inode, offset, path, content[at : at + length]))
            at += length
        return found


@dataclass
class File:
    """One inode: what is surely on the disk, and what was done since."""

    durable: bytes = b""
    pending: list[Event] = field(default_factory=list)

    def with_pending(self, pending: list[Event]) -> bytes:
        content = bytearray(self.durable)
        for event in pending:
            if event.kind == TRUNCATE:
                del content[event.offset :]
                content.extend(bytes(event.offset - len(content)))
            else:
                content.extend(bytes(max(0, event.offset - len(content))))
                content[event.offset : event.offset + len(event.data)] = event.data
        return bytes(content)


class Disk:
    """A folder's files as they are and as they would survive."""

    def __init__(self, root: Path):
        self.root = str(root)
        # Numbers of inodes are used again, so each file gets a number of its own when it is created.
        self.files: dict[int, File] = {}
        self.of_inode: dict[int, int] = {}
        self.names: dict[str, int] = {}
        self.durable_names: dict[str, int] = {}

    @classmethod
    def of(cls, root: Path) -> "Disk":
        """Everything that is there now counts as durable."""
        disk = cls(root)
        for path in root.rglob("*"):
            if path.is_file():
                disk.names[str(path)] = disk.new_file(path.stat().st_ino, path.read_bytes())
        disk.durable_names = dict(disk.names)
        return disk

    def new_file(self, inode: int, content: bytes = b"") -> int:
        number = len(self.files)
        self.files[number] = File(content)
        self.of_inode[inode] = number
        return number

    def inside(self, path: str) -> bool:
        # The index of a write-ahead log is rebuilt whenever nobody has it open; it is written through a mapping.
        return path.startswith(self.root + "/") and not path.endswith("-shm")

    def apply(self, event: Event) -> bool:
        """Takes in one event; whether it was a sync of something inside."""
        if event.kind == CREATE and self.inside(event.path):
            self.names[event.path] = self.new_file(event.inode)
        elif event.kind in (WRITE, TRUNCATE) and event.inode in self.of_inode:
            self.files[self.of_inode[event.inode]].pending.append(event)
        elif event.kind == RENAME:
            new = event.data.decode()
            if event.path in self.names:
                number = self.names.pop(event.path)
                if self.inside(new):
                    self.names[new] = number
        elif event.kind == UNLINK:
            self.names.pop(event.path, None)
        elif event.kind == SYNC:
            return self.sync(event)
        return False

    def sync(self, event: Event) -> bool:
        if event.inode in self.of_inode:
            file = self.files[self.of_inode[event.inode]]
            file.durable, file.pending = file.with_pending(file.pending), []
            return True
        if event.path == self.root or self.inside(event.path):
            within = event.path + "/"

            def direct(path: str) -> bool:
                return path.startswith(within) and "/" not in path[len(within) :]

            self.durable_names = {p: n for p, n in self.durable_names.items() if not direct(p)}
            self.durable_names |= {p: n for p, n in self.names.items() if direct(p)}
            return True
        return False

    def survivors(self, chance: random.Random | None = None, everything: bool = False) -> dict[str, bytes]:
        """Path inside the folder → content. Without arguments only what was synced; with `everything` all that was
        written; with `chance` a part of what was not synced, down to single sectors."""
        if everything:
            names = self.names
        elif chance:
            names = dict(self.durable_names)
            for path in sorted(set(self.names) | set(names)):
                if self.names.get(path) != names.get(path) and chance.random() < 0.5:
                    if path in self.names:
                        names[path] = self.names[path]
                    else:
                        del names[path]
        else:
            names = self.durable_names
        found = {}
        for path, number in names.items():
            file = self.files[number]
            pending = file.pending if everything else part_of(file.pending, chance) if chance else []
            found[path[len(self.root) + 1 :]] = file.with_pending(pending)
        return found


def part_of(pending: list[Event], chance: random.Random) -> list[Event]:
    """Some of the changes, each whole, torn at a sector, or lost; in the order in which they were made."""
    kept = []
    for event in pending:
        fate = chance.random()
        if fate < 0.4:
            kept.append(event)
        elif fate < 0.7 and event.kind == WRITE and len(event.data) > SECTOR:
            sectors = chance.randrange(1, (len(event.data) + SECTOR - 1) // SECTOR)
            kept.append(Event(WRITE, event.inode, event.offset, event.path, event.data[: sectors * SECTOR]))
    return kept


def lay_out(contents: dict[str, bytes], folder: Path) -> None:
    """Writes a disk's survivors into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(content)
        path.chmod(0o600)


@dataclass
class Cut:
    """One moment at which the power fails: right before a sync took effect, so everything acknowledged until then counts."""

    number: int
    disk: Disk
    marks: list[str]


def cuts(log: Log, disk: Disk):
    """Every cut of a recording in order, the end included. The disk that is handed out changes with the next one."""
    marks: list[str] = []
    number = 0
    for event in log.events():
        if event.kind == MARK:
            marks.append(event.data.decode())
        elif event.kind == SYNC:
            before = Cut(number, disk, list(marks))
            relevant = event.inode in disk.of_inode or event.path == disk.root or disk.inside(event.path)
            if relevant:
                yield before
                number += 1
            disk.apply(event)
        else:
            disk.apply(event)
    yield Cut(number, disk, list(marks))
