"""Real programs in temporary folders: a relay, and devices that each have an agent and a home of their own.

Nothing here knows the inside of Lockstep: programs are started as a person or a script would start them, with the
commands that issue 2 fixes. Waiting is always for a condition with a generous deadline, never for a time.
"""

import json
import os
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("LOCKSTEP_BIN", ROOT / ".build" / "debug")).resolve()
DEADLINE = 60.0
RECOVERY_KEY = re.compile(r"^[0-9A-HJKMNP-TV-Z]{5}(?:-[0-9A-HJKMNP-TV-Z]{5}){12}$", re.MULTILINE)


def binary(name: str) -> str:
    path = BIN / name
    assert path.is_file(), f"{path} is not built; run `make test`, or set LOCKSTEP_BIN"
    return str(path)


def wait_until(condition, what: str, deadline: float = DEADLINE, step: float = 0.02):
    """The first truthy value of `condition()`; fails with `what` after the deadline."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"waited {deadline:.0f} s in vain until {what}"
        time.sleep(step)


def free_port() -> int:
    """A port nobody listens at, below the range from which outgoing connections get theirs."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


@dataclass
class Result:
    """How a command ended."""

    argv: list
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def expect(self, code: int) -> "Result":
        assert self.code == code, f"expected exit code {code}: {self}"
        if code != 0:
            self.expect_one_error_line()
        return self

    def expect_one_error_line(self) -> None:
        lines = self.err.splitlines()
        assert lines and lines[-1].strip(), f"an error without a word on stderr: {self}"
        assert "Fatal error" not in self.err and "Stack dump" not in self.err, f"a crash: {self}"

    def __str__(self) -> str:
        shown = " ".join(str(word) for word in self.argv)
        return f"`{shown}` ended with {self.code}\n--- stdout\n{self.out[:2000]!r}\n--- stderr\n{self.err[-4000:]}"


class Service:
    """A program that runs until it is told to end, with its stderr in a file."""

    def __init__(self, argv: list, env: dict, log: Path, **options):
        self.log = log
        with open(log, "ab") as sink:
            self.process = subprocess.Popen(
                argv, env=env, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True, **options
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self, number: int = signal.SIGTERM, deadline: float = DEADLINE) -> int:
        if self.alive:
            self.process.send_signal(number)
        try:
            return self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.process.args[0]} did not end {deadline:.0f} s after signal {number}") from None

    def said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class Relay:
    """`lockstep-relay` on a port and a data folder of its own, both kept over restarts."""

    def __init__(self, folder: Path, base_env: dict):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.data = folder / "data"
        self.log = folder / "relay.log"
        self.port = free_port()
        self.base_env = base_env
        self.service: Service | None = None
        self.arguments: list = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *arguments: str, env: dict | None = None) -> "Relay":
        self.arguments = list(arguments) or self.arguments
        argv = [binary("lockstep-relay"), "serve", "--listen", f"127.0.0.1:{self.port}", "--data", str(self.data)]
        self.service = Service(argv + self.arguments, self.base_env | (env or {}), self.log)
        wait_until(lambda: self.healthy() or not self.service.alive, "the relay answers /healthz")
        assert self.service.alive, f"the relay ended at once:\n{self.service.said()[-4000:]}"
        return self

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def stop(self) -> int:
        return self.service.end(signal.SIGTERM) if self.service else 0

    def kill(self) -> None:
        if self.service:
            self.service.end(signal.SIGKILL)

    def run(self, *arguments: str) -> Result:
        argv = [binary("lockstep-relay"), *arguments]
        done = subprocess.run(argv, env=self.base_env, stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE)
        return Result(argv, done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def invite(self, *arguments: str) -> str:
        result = self.run("invite", "create", "--data", str(self.data), *arguments).expect(0)
        assert len(result.lines) == 1, f"the token stands alone on stdout: {result}"
        return result.lines[0]


class Device:
    """One home with its agent, and the command line that talks to it."""

    def __init__(self, folder: Path, name: str, base_env: dict, passphrase: bytes = b""):
        self.name = name
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.home = folder / "h"
        self.log = folder / "agent.log"
        self.passphrase_file = folder / "passphrase"
        self.set_passphrase(passphrase)
        self.env = base_env | {
            "HOME": str(folder),
            "LOCKSTEP_HOME": str(self.home),
            "LOCKSTEP_PASSPHRASE_FILE": str(self.passphrase_file),
        }
        self.agent: Service | None = None

    def set_passphrase(self, passphrase: bytes) -> None:
        self.passphrase_file.write_bytes(passphrase)
        self.passphrase_file.chmod(0o600)

    @property
    def without_passphrase(self) -> dict:
        """The environment of someone who has no passphrase file."""
        return {key: value for key, value in self.env.items() if key != "LOCKSTEP_PASSPHRASE_FILE"}

    @property
    def socket(self) -> Path:
        return self.home / "agent.sock"

    # The agent.

    def start_agent(self, env: dict | None = None, passphrase: bool = True) -> "Device":
        chosen = (self.env if passphrase else self.without_passphrase) | (env or {})
        self.agent = Service([binary("lockstepd")], chosen, self.log)
        wait_until(lambda: self.listener() or not self.agent.alive, f"the agent of {self.name} listens")
        assert self.agent.alive, f"the agent of {self.name} ended at once:\n{self.agent.said()[-4000:]}"
        return self

    def listener(self) -> int | None:
        """The process that listens at the agent's socket."""
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.settimeout(5)
                probe.connect(str(self.socket))
                credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
                return struct.unpack("3i", credentials)[0]
            except OSError:
                return None

    def end_agent(self, number: int = signal.SIGTERM) -> None:
        """Ends the agent, and one that the command line started after it, and waits until they are gone."""
        if self.agent:
            self.agent.end(number)
            self.agent = None
        pid = self.listener()
        if pid:
            # Readable once the last thread has closed everything; /proc calls a process a zombie before that.
            handle = os.pidfd_open(pid)
            try:
                signal.pidfd_send_signal(handle, number)
                ended, _, _ = select.select([handle], [], [], DEADLINE)
                assert ended, f"the agent {pid} of {self.name} did not end {DEADLINE:.0f} s after signal {number}"
            finally:
                os.close(handle)

    def kill_agent(self) -> None:
        self.end_agent(signal.SIGKILL)

    def restart_agent(self, **options) -> "Device":
        self.end_agent()
        return self.start_agent(**options)

    # The command line.

    def start(self, *arguments, env: dict | None = None, **options) -> subprocess.Popen:
        """A command that is left running."""
        argv = [binary("lockstep"), *map(str, arguments)]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.Popen(argv, env=self.env | (env or {}), start_new_session=True, **options)

    def run(self, *arguments, stdin: bytes = b"", env: dict | None = None, only_env: dict | None = None) -> Result:
        """A command without a terminal, run to its end."""
        argv = [binary("lockstep"), *arguments]
        chosen = only_env if only_env is not None else self.env | (env or {})
        done = subprocess.run(
            argv, env=chosen, input=stdin, capture_output=True, timeout=2 * DEADLINE, start_new_session=True
        )
        return Result(argv, done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def ok(self, *arguments, **options) -> Result:
        return self.run(*arguments, **options).expect(0)

    def init(self, relay_url: str, *arguments) -> str:
        """A new vault; its recovery key."""
        result = self.ok("init", "--relay", relay_url, "--device-name", self.name, *arguments)
        keys = RECOVERY_KEY.findall(result.text) or RECOVERY_KEY.findall(result.err)
        if "--recovery-kit" in arguments:
            assert not keys, f"with --recovery-kit the key is not shown: {result}"
            return RECOVERY_KEY.findall(Path(arguments[arguments.index("--recovery-kit") + 1]).read_text())[0]
        assert len(keys) == 1, f"the recovery key is shown once, alone on a line: {result}"
        return keys[0]

    def invite(self, *arguments) -> "Invitation":
        return Invitation(self, *arguments)

    def pair(self, other: "Device", *arguments) -> None:
        """`other` joins this device's vault."""
        invitation = self.invite("--yes", *arguments)
        other.ok("join", invitation.code, "--device-name", other.name)
        invitation.finish(0)

    def add(self, service: str, account: str | None = None, secret: bytes = b"secret", *arguments) -> Result:
        return self.ok("add", *words(service, account), *arguments, stdin=secret)

    def get(self, service: str, account: str | None = None) -> bytes:
        return self.ok("get", *words(service, account)).out

    def has(self, service: str, account: str | None, secret: bytes) -> bool:
        """Whether a get answers this secret now."""
        result = self.run("get", *words(service, account))
        return result.code == 0 and result.out == secret

    def list(self) -> list:
        return self.ok("list", "--json").json

    def status(self) -> dict:
        return self.ok("status", "--json").json

    def close(self) -> None:
        self.end_agent(signal.SIGKILL)


class Invitation:
    """`device invite` while it waits, with the code that it printed."""

    def __init__(self, device: Device, *arguments, env: dict | None = None):
        self.process = device.start("device", "invite", *arguments, env=env, stdin=subprocess.PIPE)
        self.seen = b""
        self.code = ""
        while not self.code:
            line = self.process.stdout.readline()
            self.seen += line
            if not line:
                error = self.process.stderr.read().decode(errors="replace")
                raise AssertionError(f"device invite printed no code but {self.seen!r}; it said: {error}")
            if line.startswith(b"LOCKSTEP-"):
                self.code = line.decode().strip()

    def finish(self, code: int | None = None) -> Result:
        out, err = self.process.communicate(timeout=DEADLINE)
        result = Result(self.process.args, self.process.returncode, self.seen + out, err.decode(errors="replace"))
        return result if code is None else result.expect(code)

    def interrupt(self) -> Result:
        self.process.send_signal(signal.SIGINT)
        return self.finish()


class World:
    """Everything that one test starts, ended with it."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ls-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(self.folder)}
        self.relays: list[Relay] = []
        self.devices: list[Device] = []
        self.closers: list = []

    def relay(self, *arguments: str, start: bool = True) -> Relay:
        relay = Relay(self.folder / f"r{len(self.relays)}", self.env)
        self.relays.append(relay)
        if start:
            relay.start(*(arguments or ["--open-registration"]))
        return relay

    def device(self, name: str, passphrase: bytes = b"", start: bool = True) -> Device:
        device = Device(self.folder / name, name, self.env, passphrase)
        self.devices.append(device)
        if start:
            device.start_agent()
        return device

    def vault(self, *names: str, relay_url: str | None = None, passphrase: bytes = b"") -> list[Device]:
        """Devices of one vault: the first made it, the others joined."""
        url = relay_url or self.relay().url
        devices = [self.device(name, passphrase) for name in names]
        self.recovery_key = devices[0].init(url)
        for other in devices[1:]:
            devices[0].pair(other)
        return devices

    def logs(self) -> str:
        parts = []
        for part in [*self.relays, *self.devices]:
            if part.log.exists():
                parts.append(f"== {part.log}\n{part.log.read_text(errors='replace')[-6000:]}")
        return "\n".join(parts)

    def close(self) -> None:
        for close in reversed(self.closers):
            close()
        for device in self.devices:
            device.close()
        for relay in self.relays:
            relay.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def random_secret(size: int) -> bytes:
    """Random bytes that do not end with a newline, which would be dropped."""
    return os.urandom(size - 1) + b"."


def words(service: str, account: str | None) -> list[str]:
    return [service] if account is None else [service, account]

