"""Bad input of every kind: a clear error, and nothing else is harmed."""

import hashlib
import os
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
from pathlib import Path

import cbor2
import pytest

from agent_socket import framed
from faultshim import compiled_shim
from harness import BIN, Service, binary, random_secret, wait_until
from search import files_below

NOBODY = 65534


# Frames on the agent's socket.

FRAMES = {
    "nothing": b"",
    "half a length": b"\x00\x00",
    "length zero": struct.pack(">I", 0),
    "the greatest length": b"\xff" * 4,
    "a length and nothing": struct.pack(">I", 100),
    "a length and half": struct.pack(">I", 100) + b"x" * 50,
    "over the limit": struct.pack(">I", (24 << 20) + 1) + b"x" * 1000,
    "no CBOR": struct.pack(">I", 8) + b"\xff" * 8,
    "an empty array": struct.pack(">I", 1) + b"\x80",
    "an integer": struct.pack(">I", 1) + b"\x01",
    "an array of 2^64-1": struct.pack(">I", 9) + b"\x9b" + b"\xff" * 8,
    "bytes of 2^63": struct.pack(">I", 9) + b"\x5b\x80" + b"\x00" * 7,
    "a map of 2^32": struct.pack(">I", 5) + b"\xba\xff\xff\xff\xff",
    "nested deeply": struct.pack(">I", 100_000) + b"\x81" * 100_000,
    "indefinite": struct.pack(">I", 3) + b"\x9f\x01\xff",
    "another version": framed(cbor2.dumps([99, "status", {}])),
    "an unknown operation": framed(cbor2.dumps([1, "nonsense", {}])),
    "an unknown key": framed(cbor2.dumps([1, "status", {"nonsense": 1}])),
    "a key of another type": framed(cbor2.dumps([1, "find", {"match": 7}])),
    "a class that is none": framed(cbor2.dumps([1, "add", {"class": 2**63, "attributes": {}, "secret": b"s"}])),
    "one element too many": framed(cbor2.dumps([1, "status", {}, 1])),
    "not deterministic": framed(b"\x83\x18\x01\x66status\xa0"),
    "invalid UTF-8": framed(b"\x83\x01\x66stat\xff\xfe\xa0"),
    "a decision without an invitation": framed(cbor2.dumps([1, "invite-decide", {"approve": True}])),
    "bytes after the message": framed(cbor2.dumps([1, "status", {}]) + b"\x00"),
    "HTTP": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.fixture
def device(world):
    device = world.vault("a")[0]
    device.add("svc", "ann", b"s")
    return device


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
@pytest.mark.parametrize("close", ["at once", "after the answer"])
def test_a_malformed_frame_harms_nobody(device, frame, close):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(str(device.socket))
        client.sendall(frame)
        if close == "after the answer":
            client.shutdown(socket.SHUT_WR)
            try:
                while client.recv(65536):
                    pass
            except ConnectionError:
                pass
    assert device.agent.alive
    assert device.get("svc", "ann") == b"s"


def test_random_frames_harm_nobody(device):
    import random

    source = random.Random(2)
    for _ in range(300):
        body = source.randbytes(source.randrange(200))
        with socket.socket(socket.AF_UNIX) as client:
            # Blocking: where many ask at once the kernel lets them wait for their turn.
            client.connect(str(device.socket))
            client.sendall(struct.pack(">I", len(body)) + body)
    assert device.agent.alive
    assert device.get("svc", "ann") == b"s"


def test_idle_and_half_open_connections_do_not_keep_others_out(device):
    clients = []
    for number in range(100):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(device.socket))
        if number % 2:
            client.sendall(b"\x00\x00\x01")
        clients.append(client)
    assert device.get("svc", "ann") == b"s"
    for client in clients:
        client.close()
    assert device.get("svc", "ann") == b"s"


# The relay.


def raw_http(port: int, request: bytes) -> bytes:
    """What the relay answers before it closes. After a request that is not complete it may rightly go on waiting, so
    then we are the ones to leave."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(2 if request in INCOMPLETE else 60)
        answer = b""
        try:
            client.sendall(request)
            while piece := client.recv(65536):
                answer += piece
        except ConnectionError:
            pass
        except TimeoutError:
            assert request in INCOMPLETE, "the relay neither answered nor closed"
        return answer


def post(path: str, body: bytes, *headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: relay", "Connection: close", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


REQUESTS = {
    "no HTTP": b"\x00\x01\x02\x03\r\n\r\n",
    "a garbage body": post("/v1/vaults", os.urandom(500)),
    "an empty body": post("/v1/vaults", b""),
    "an array of 2^64-1": post("/v1/vaults", b"\x9b" + b"\xff" * 8),
    "nested deeply": post("/v1/vaults", b"\x81" * 100_000),
    "a length that lies": b"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nshort",
    "a negative length": b"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    "an endless length": b"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "broken chunks": b"POST /v1/vaults HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a path up": b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "an odd vault id": b"GET /v1/vaults/%00%ff/chain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "an unsigned read": b"GET /v1/vaults/" + b"0" * 64 + b"/chain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "a garbage signature": post("/v1/vaults", b"\x80", "Signature: lockstep=:!!!:", "Signature-Input: nonsense"),
    "a huge header": b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1_000_000 + b"\r\nConnection: close\r\n\r\n",
    "a strange method": b"BREW /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
}


INCOMPLETE = {
    REQUESTS[name]
    for name in ("no HTTP", "a length that lies", "broken chunks", "a negative length", "an endless length")
}


@pytest.mark.parametrize("request_bytes", REQUESTS.values(), ids=REQUESTS.keys())
def test_a_malformed_request_is_refused_and_the_relay_lives(world, request_bytes):
    relay = world.relay()
    answer = raw_http(relay.port, request_bytes)
    if answer:
        status = int(answer.split(b" ", 2)[1])
        assert 400 <= status < 500 or status == 501 or status == 505, answer[:300]
    assert relay.service.alive and relay.healthy()


# Homes.


def agent_that_ends(world, device, argv_prefix=(), argv=None, env=None) -> tuple[int, str]:
    """Runs an agent that is expected to refuse to start; its exit code and what it said."""
    done = subprocess.run(
        [*argv_prefix, *(argv or [binary("lockstepd")])],
        env=device.env | (env or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        start_new_session=True,
    )
    return done.returncode, done.stderr.decode(errors="replace")


def test_a_second_agent_on_the_same_home_refuses_and_the_first_goes_on(world, device):
    code, said = agent_that_ends(world, device)
    assert code > 0 and said.strip(), (code, said)
    assert device.agent.alive
    assert device.get("svc", "ann") == b"s"
    # Another socket does not make it another home.
    code, said = agent_that_ends(world, device, argv=[binary("lockstepd"), "--socket", str(world.folder / "x.sock")])
    assert code > 0 and said.strip(), (code, said)
    assert device.get("svc", "ann") == b"s"


def test_a_stale_socket_of_a_killed_agent_is_no_obstacle(device):
    device.kill_agent()
    assert device.socket.exists()
    device.start_agent()
    assert device.get("svc", "ann") == b"s"


def test_a_home_that_is_not_writable_is_refused_as_another_user(world):
    """As root the agent is run as nobody; anyone else is another user already once the folder forbids writing."""
    device = world.device("a", start=False)
    device.home.mkdir()
    prefix, programs = [], BIN
    if os.getuid() == 0:
        programs = world.folder / "bin"
        shutil.copytree(BIN, programs, ignore=lambda folder, names: [n for n in names if not n.startswith("lockstep") or "." in n])
        programs.chmod(0o755)
        device.passphrase_file.chmod(0o644)
        prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    device.home.chmod(0o555)
    try:
        code, said = agent_that_ends(world, device, prefix, [str(programs / "lockstepd")])
        assert code > 0, (code, said)
        assert str(device.home) in said and "Fatal error" not in said, said
        done = subprocess.run(
            [*prefix, str(programs / "lockstep"), "list"], env=device.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
        )
        assert done.returncode == 1, done
        assert done.stderr.decode().strip()
        assert list(device.home.iterdir()) == []
    finally:
        device.home.chmod(0o755)


def test_a_home_that_is_a_file_is_refused(world):
    device = world.device("a", start=False)
    device.home.write_text("a file")
    code, said = agent_that_ends(world, device)
    assert code > 0 and str(device.home) in said, (code, said)
    assert device.home.read_text() == "a file"


def test_a_relay_folder_that_is_not_writable_is_refused(world):
    relay = world.relay(start=False)
    relay.data.write_text("a file")
    result = relay.run("serve", "--listen", f"127.0.0.1:{relay.port}", "--data", str(relay.data))
    assert result.code > 0 and result.err.strip(), str(result)


def test_a_port_that_is_taken_is_said(world):
    relay = world.relay()
    other = world.relay(start=False)
    result = other.run("serve", "--listen", f"127.0.0.1:{relay.port}", "--data", str(other.data))
    assert result.code > 0 and str(relay.port) in result.err, str(result)
    assert relay.healthy()


# Database files.


def databases(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:16] == b"SQLite format 3\0"]
    assert found, f"no database below {folder}"
    return found


def corrupted(database: Path, damage) -> bytes:
    """Damages a database that nobody has open; what it holds then. Its log is folded in first, or it would mend it."""
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    connection.close()
    for other in database.parent.glob(database.name + "-*"):
        other.unlink()
    content = database.read_bytes()
    assert len(content) > 50_000
    content = damage(content)
    database.write_bytes(content)
    return content


def damage_header(content: bytes) -> bytes:
    return b"\xa5" * 100 + content[100:]


def damage_pages(content: bytes) -> bytes:
    return content[:4096] + b"\xa5" * (len(content) - 4096)


def cut_short(content: bytes) -> bytes:
    return content[: len(content) // 2 + 100]


DAMAGES = {"header": damage_header, "pages": damage_pages, "cut short": cut_short}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_corrupt_database_of_an_agent_is_set_aside_never_deleted_and_recovery_brings_all_back(world, damage):
    relay = world.relay()
    (device,) = world.vault("a", relay_url=relay.url)
    secrets = {f"svc {number}": random_secret(2000) for number in range(30)}
    for service, secret in secrets.items():
        device.add(service, "ann", secret)
    device.ok("sync")
    device.end_agent()
    (database,) = databases(device.home)
    corrupt = corrupted(database, damage)

    device.start_agent()
    if "damaged" not in device.agent.said():
        # Damage deep inside is met only when it is read. That must be an error, not a crash, and then a start sees it.
        results = [device.run("list"), *(device.run("get", service, "ann") for service in secrets)]
        for result in results:
            assert result.code == 0 or "damaged" in result.err, str(result)
        assert any(result.code != 0 for result in results)
        assert device.agent.alive
        device.restart_agent()
    assert "damaged" in device.agent.said() and "Fatal error" not in device.agent.said()
    kept = {hashlib.sha256(content).digest() for content in files_below(device.home).values()}
    assert hashlib.sha256(corrupt).digest() in kept, "the damaged file is no longer there as it was"
    device.ok("recover", "--relay", relay.url, "--device-name", "a again", stdin=world.recovery_key.encode())
    for service, secret in secrets.items():
        assert device.get(service, "ann") == secret


@pytest.mark.parametrize("kind", ["another application's database", "no database", "a newer version"])
def test_a_foreign_database_file_is_refused_and_untouched(world, device, kind):
    device.end_agent()
    (database,) = databases(device.home)
    if kind == "a newer version":
        with sqlite3.connect(database) as connection:
            connection.execute("PRAGMA user_version = 1000000")
        connection.close()
    else:
        database.unlink()
        if kind == "no database":
            database.write_bytes(b"This is a letter to my aunt.\n" * 1000)
        else:
            with sqlite3.connect(database) as connection:
                connection.execute("PRAGMA application_id = 12345")
                connection.execute("CREATE TABLE recipes (title TEXT)")
            connection.close()
    before = database.read_bytes()
    agent = Service([binary("lockstepd")], device.env, device.log)
    device.agent = agent
    wait_until(lambda: device.listener() or not agent.alive, "the agent listens or gives up")
    assert "Fatal error" not in agent.said() and agent.said().strip()
    kept = list(files_below(device.home).values())
    assert before in kept, "the foreign file is no longer there as it was"
    if kind != "no database":
        assert not agent.alive and agent.process.returncode > 0
        assert database.read_bytes() == before
        assert str(database) in agent.said()


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_corrupt_database_of_a_relay_is_never_deleted(world, damage):
    relay = world.relay()
    (device,) = world.vault("a", relay_url=relay.url)
    for number in range(30):
        device.add(f"svc {number}", "ann", os.urandom(2000))
    device.ok("sync")
    relay.stop()
    (database,) = databases(relay.data)
    corrupt = corrupted(database, damage)
    argv = [binary("lockstep-relay"), "serve", "--listen", f"127.0.0.1:{relay.port}", "--data", str(relay.data)]
    relay.service = Service(argv, relay.base_env, relay.log)
    wait_until(lambda: relay.healthy() or not relay.service.alive, "the relay answers or gives up")
    device.run("sync")
    assert "Fatal error" not in relay.service.said() and relay.service.said().strip()
    kept = list(files_below(relay.data).values())
    assert corrupt in kept, "the damaged file is no longer there as it was"
    # The device lost nothing by it.
    assert len(device.list()) == 30


def test_a_relay_never_writes_a_leftover_log_over_what_is_no_database(world):
    relay = world.relay()
    (device,) = world.vault("a", relay_url=relay.url)
    device.add("svc", "ann", b"secret")
    device.ok("sync")
    relay.kill()
    database = relay.data / "relay.sqlite"
    log = relay.data / "relay.sqlite-wal"
    assert log.stat().st_size > 0
    database.write_bytes(damage_header(database.read_bytes()))
    before = {file: file.read_bytes() for file in (database, log)}
    for arguments in (["serve", "--listen", "127.0.0.1:0"], ["invite", "create"]):
        argv = [binary("lockstep-relay"), *arguments, "--data", str(relay.data)]
        done = subprocess.run(argv, env=relay.base_env, capture_output=True, text=True)
        assert done.returncode == 1 and str(database) in done.stderr and done.stdout == "", done
        assert len(done.stderr.strip().splitlines()) == 1
        assert {path: path.read_bytes() for path in before} == before


# A full disk.


class SmallDisk:
    """A folder on a file system of two mebibytes, or, where mounting is not allowed, one that a library in front of
    libc fills after as many bytes."""

    BYTES = 2 << 20

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={self.BYTES},mode=0700", "tmpfs", str(folder)]
        self.mounted = os.getuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
        self.env = {}
        if not self.mounted:
            self.env = {
                "LD_PRELOAD": str(compiled_shim()),
                "LOCKSTEP_FAULT_PREFIX": str(folder),
                "LOCKSTEP_FAULT_SPACE": str(self.BYTES),
            }

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.folder)], check=True)


def test_a_full_disk_under_the_agent_is_said_and_loses_nothing(world):
    relay = world.relay()
    device = world.device("a", start=False)
    disk = SmallDisk(device.home)
    world.closers.append(disk.close)
    device.start_agent(env=disk.env)
    device.init(relay.url)
    added = {}
    refused = None
    for number in range(40):
        secret = random_secret(100_000)
        result = device.run("add", f"svc {number}", "ann", stdin=secret)
        if result.code != 0:
            refused = result
            break
        added[f"svc {number}"] = secret
    assert refused and added
    refused.expect_one_error_line()
    assert "full" in refused.err.lower() or "space" in refused.err.lower(), str(refused)
    assert device.agent.alive
    for service, secret in added.items():
        assert device.get(service, "ann") == secret
    assert len(device.list()) == len(added)
    # After a restart everything acknowledged is there.
    device.end_agent(signal.SIGKILL)
    device.start_agent(env=disk.env)
    assert len(device.list()) == len(added)
    for service, secret in added.items():
        assert device.get(service, "ann") == secret


def test_a_full_disk_under_the_relay_is_said_and_loses_nothing(world):
    relay = world.relay(start=False)
    disk = SmallDisk(relay.data)
    world.closers.append(disk.close)
    relay.start("--open-registration", env=disk.env)
    a, b = world.vault("a", "b", relay_url=relay.url)
    for number in range(40):
        a.add(f"svc {number}", "ann", os.urandom(100_000))
    result = a.run("sync")
    assert result.code != 0
    result.expect_one_error_line()
    assert relay.service.alive and relay.healthy()
    assert len(a.list()) == 40
    relay.stop()
    # With room again everything arrives.
    if disk.mounted:
        subprocess.run(["mount", "-o", "remount,size=64m", str(relay.data)], check=True)
    relay.start("--open-registration")
    wait_until(lambda: a.run("sync").code == 0, "a has pushed everything")
    b.ok("sync")
    assert len(b.list()) == 40


def lose(home: Path, what: str) -> None:
    database, log = home / "lockstep.db", home / "lockstep.db-wal"
    if what == "emptied":
        os.truncate(database, 0)
    else:
        database.unlink()
    if what == "gone with its log":
        log.unlink(missing_ok=True)


@pytest.mark.parametrize("what", ["emptied", "gone", "gone with its log"])
def test_a_database_that_is_lost_is_said_and_its_log_is_kept(device, what):
    device.kill_agent()
    log = (device.home / "lockstep.db-wal").read_bytes()
    assert log, "the newest writes stand in the log"
    lose(device.home, what)
    device.start_agent()
    assert "missing or empty" in device.run("get", "svc", "ann").expect(1).err
    if what != "gone with its log":
        kept = [path.read_bytes() for path in device.home.glob("lockstep.db.damaged-*-wal")]
        assert kept == [log]


def test_a_home_whose_first_init_failed_is_not_taken_for_a_lost_one(world):
    device = world.device("a")
    device.run("init", "--relay", "http://127.0.0.1:9", "--device-name", "a").expect(69)
    device.restart_agent()
    assert "missing or empty" not in device.run("get", "svc", "ann").expect(1).err
