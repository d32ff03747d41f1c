"""The library of faultshim.c, compiled once per run, and the files through which a test steers it."""

import fcntl
import mmap
import os
import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("faultshim.c")


def compiled_shim() -> Path:
    """The shared library, compiled if its source is newer."""
    folder = SOURCE.parents[2] / ".build" / "faultshim"
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "faultshim.so"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists() or library.stat().st_mtime < SOURCE.stat().st_mtime:
            fresh = folder / "fresh.so"
            command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", fresh, SOURCE, "-ldl", "-pthread"]
            subprocess.run(command, check=True)
            os.rename(fresh, library)
    return library


class Mapped:
    """Numbers in a file that the library maps too."""

    def __init__(self, path: Path, layout: str):
        self.path, self.layout = path, layout
        path.write_bytes(bytes(struct.calcsize(layout)))
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), struct.calcsize(layout))

    def get(self) -> tuple:
        return struct.unpack(self.layout, self.map[:])

    def set(self, *values: int) -> None:
        self.map[:] = struct.pack(self.layout, *values)


class Faults:
    """Counts a program's events, and kills it at one of them."""

    def __init__(self, folder: Path):
        self.control = Mapped(folder / "fault-control", "<QQQQ")
        self.env = {"LD_PRELOAD": str(compiled_shim()), "LOCKSTEP_FAULT_CONTROL": str(self.control.path)}

    @property
    def events(self) -> int:
        return self.control.get()[0]

    @property
    def torn(self) -> bool:
        """Whether the event that was armed with `half` had halves: a sync or a removal has none."""
        return self.control.get()[3] == 1

    def arm(self, number: int, half: bool = False) -> None:
        """The next start counts from zero and dies at event `number` (0: at none)."""
        self.control.set(0, number, int(half), 0)


class Clock:
    """A clock that every program with this environment goes by."""

    def __init__(self, folder: Path):
        self.ahead = Mapped(folder / "fault-clock", "<q")
        self.env = {"LD_PRELOAD": str(compiled_shim()), "LOCKSTEP_FAULT_CLOCK": str(self.ahead.path)}

    def advance(self, seconds: int) -> None:
        self.ahead.set(self.ahead.get()[0] + seconds)
