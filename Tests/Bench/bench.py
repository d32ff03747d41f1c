"""`make bench`: the three things that people wait for, each against the least that this machine needs for it.

Ours and the floor alternate within one run, since a busy machine slows both. Writes Docs/Benchmarks.md. Nothing is asserted.
"""

import os
import platform
import socket
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("LOCKSTEP_BIN", str(ROOT / ".build" / "release"))
sys.path[:0] = [str(ROOT / "Tests" / "Scenarios"), str(ROOT / "Tests" / "Crash")]

import cbor2  # noqa: E402

from agent_socket import answer, request  # noqa: E402
from harness import World, binary, wait_until  # noqa: E402

ITEMS = 10_000
ROUNDS = 5
RECORD_BYTES = 700


def add_frame(number: int, kind: str) -> bytes:
    attributes = {"svce": f"{kind}.example", "acct": f"account {number}", "labl": f"Account {number} at {kind}"}
    return request("add", {"class": 1, "attributes": attributes, "secret": b"a secret of some length", "synchronizable": True})


def find_frame(kind: str, number: int) -> bytes:
    match = {"svce": f"{kind}.example", "acct": f"account {number}"}
    return request("find", {"class": 1, "match": match, "with-secret": True})


class Floors:
    """The program of floors.c, and what its probes print."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.program, self.empty = str(folder / "floors"), str(folder / "empty")
        here = Path(__file__).parent
        subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", self.program, here / "floors.c", "-lsqlite3"], check=True)
        subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", self.empty, here / "empty.c"], check=True)
        self.databases = 0

    def run(self, *arguments, env=None) -> float:
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, env=env, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        return float(done.stdout.split()[0])

    def ask(self, socket: Path, frames: bytes) -> float:
        file = self.folder / "frames"
        file.write_bytes(frames)
        return self.run("ask", socket, file)

    def rows(self, word: str, count: int, size: int) -> float:
        self.databases += 1
        return self.run(word, self.folder / f"floor-{self.databases}.db", count, size)


def alternating(*measures) -> list[float]:
    """The median over the rounds of each measure."""
    seen = [[] for _ in measures]
    for _ in range(ROUNDS):
        for times, measure in zip(seen, measures, strict=True):
            times.append(measure())
    return [statistics.median(times) for times in seen]


def main() -> None:
    world = World()
    try:
        rows = measure(world)
    finally:
        world.close()
    text = report(rows)
    (ROOT / "Docs" / "Benchmarks.md").write_text(text)
    print(text)


def measure(world: World) -> list[tuple]:
    floors = Floors(world.folder)
    relay = world.relay()
    device = world.vault("a", relay_url=relay.url)[0]
    world_rows = []

    # A get.
    floors.ask(device.socket, b"".join(add_frame(n, "get") for n in range(100)))
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(device.socket))
        client.sendall(find_frame("get", 7))
        one = cbor2.dumps(answer(client), canonical=True)
    assert b"a secret of some length" in one, one
    whole, empty = alternating(
        lambda: floors.run("spawn", 200, binary("lockstep"), "get", "get.example", "account 7", env=device.env),
        lambda: floors.run("spawn", 200, floors.empty),
    )
    world_rows.append(("`lockstep get`, whole process", whole, "an empty C process", empty))
    echo_socket = world.folder / "echo.sock"
    echo = subprocess.Popen([floors.program, "echo", str(echo_socket)])
    try:
        wait_until(echo_socket.exists, "the echo server listens")
        asked = len(find_frame("get", 7)) - 4
        bare = struct.pack(">II", asked, len(one)) + bytes(asked - 4)
        through, socket_only = alternating(
            lambda: floors.ask(device.socket, b"".join(find_frame("get", n % 100) for n in range(5000))),
            lambda: floors.ask(echo_socket, bare * 5000),
        )
    finally:
        echo.kill()
        echo.wait()
    world_rows.append(("a get through the agent, 100 items", through, "the same bytes echoed", socket_only))

    # An add.
    device.ok("sync")
    rounds = iter(range(1000))
    added, committed = alternating(
        lambda: floors.ask(device.socket, adds(f"add{next(rounds)}", 300)),
        lambda: floors.rows("commit", 300, RECORD_BYTES),
    )
    world_rows.append(("a durable add through the agent", added, "a bare SQLite commit, synchronous=FULL", committed))

    # A first sync.
    other = world.vault("b", relay_url=relay.url)[0]
    key = world.recovery_key
    floors.ask(other.socket, adds("many", ITEMS))
    other.ok("sync")
    fresh = iter(range(1000))

    def first_sync() -> float:
        new = world.device(f"new{next(fresh)}")
        start = time.monotonic()
        new.ok("recover", "--relay", relay.url, stdin=key.encode())
        took = (time.monotonic() - start) * 1e6
        assert len(new.list()) == ITEMS
        new.end_agent()
        return took

    synced, inserted = alternating(first_sync, lambda: floors.rows("insert", ITEMS, RECORD_BYTES))
    world_rows.append(
        (f"`lockstep recover`: a first sync of {ITEMS:,} items", synced, "as many rows into SQLite, one commit", inserted)
    )
    return world_rows


def adds(kind: str, count: int) -> bytes:
    return b"".join(add_frame(n, kind) for n in range(count))


def amount(microseconds: float) -> str:
    if microseconds >= 1e5:
        return f"{microseconds / 1e6:.2f} s"
    return f"{microseconds / 1e3:.2f} ms" if microseconds >= 1000 else f"{microseconds:.1f} µs"


def report(rows: list[tuple]) -> str:
    processor = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    lines = [
        "# Benchmarks",
        "",
        f"Written by `make bench`: medians of {ROUNDS} alternating rounds, release build, on {os.cpu_count()} cores of {processor},",
        f"Linux {platform.release()}. Take the ratios; the machine is shared. Nothing here is asserted by a test.",
        "",
        "| what | ours | floor | | ratio |",
        "|---|---|---|---|---|",
    ]
    for what, ours, floor_name, floor in rows:
        lines.append(f"| {what} | {amount(ours)} | {floor_name} | {amount(floor)} | {ours / floor:.1f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
