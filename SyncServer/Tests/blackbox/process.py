"""The real program in a folder of its own."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("LOCKSTEP_BIN", ROOT / ".build" / "debug")).resolve() / "lockstep-relay"
DEADLINE = 60.0
LISTENING = re.compile(r"^lockstep-relay: listening on (http://(\S+):(\d+))$")


def wait_until(condition, what, deadline=DEADLINE):
    end = time.monotonic() + deadline
    while not (value := condition()):
        assert time.monotonic() < end, f"waited {deadline:.0f} s in vain until {what}"
        time.sleep(0.01)
    return value


def environment(folder, **more):
    """Nothing of the caller's that a relay reads."""
    keep = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "LANG")}
    return {**keep, "HOME": str(folder), **more}


def run(folder, *arguments, **more):
    """Runs the program to its end."""
    return subprocess.run(
        [BINARY, *arguments], env=environment(folder, **more), capture_output=True, text=True, timeout=DEADLINE, stdin=subprocess.DEVNULL
    )


class RelayProcess:
    def __init__(self, folder, *arguments, preexec=None, listen="127.0.0.1:0"):
        self.folder = Path(folder)
        self.data = self.folder / "data"
        self.arguments = arguments
        self.preexec = preexec
        self.listen = listen
        self.process = None
        self.folder.mkdir(exist_ok=True)

    def start(self):
        self.log = open(self.folder / "relay.log", "ab")
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", self.listen, "--data", str(self.data), *self.arguments],
            env=environment(self.folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True, preexec_fn=self.preexec,
        )  # fmt: skip
        # The line is flushed when the relay listens: reading it is all the waiting there is.
        line = self.process.stdout.readline().rstrip("\n")
        match = LISTENING.match(line)
        assert match, f"the relay said {line!r}; its log: {self.said()}"
        self.address, self.host, self.port = match[1], match[2], int(match[3])
        return self

    def said(self):
        return (self.folder / "relay.log").read_text(errors="replace")

    def stop(self, number=signal.SIGTERM):
        """Asks it to end; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=DEADLINE)

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=DEADLINE)

    def restart(self):
        """On the same port, so that its address stays the one that devices sign for."""
        self.listen = f"{self.host}:{self.port}"
        return self.start()

    def alive(self):
        return self.process.poll() is None

    def invite(self, *arguments):
        result = run(self.folder, "invite", "create", "--data", str(self.data), *arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def discard(self):
        if self.process is not None and self.alive():
            self.kill()
        if self.process is not None:
            self.process.stdout.close()
            self.log.close()
