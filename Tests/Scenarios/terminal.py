"""Commands run on a terminal of their own, as a person would type them."""

import fcntl
import os
import select
import subprocess
import termios
import time

from harness import DEADLINE, Device, Result, binary


class Terminal:
    """`lockstep …` with a pseudo-terminal as its controlling terminal, stdin and (unless piped) stdout."""

    def __init__(self, device: Device, *arguments: str, env: dict | None = None, pipe_stdout: bool = False):
        self.argv = [binary("lockstep"), *arguments]
        self.master, slave = os.openpty()
        attributes = termios.tcgetattr(slave)
        attributes[1] &= ~termios.ONLCR
        termios.tcsetattr(slave, termios.TCSANOW, attributes)

        def become_session_leader():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        chosen = device.without_passphrase if env is None else env
        self.process = subprocess.Popen(
            self.argv,
            env=chosen,
            stdin=slave,
            stdout=subprocess.PIPE if pipe_stdout else slave,
            stderr=slave,
            preexec_fn=become_session_leader,
        )
        os.close(slave)
        self.screen = ""

    def expect(self, text: str) -> "Terminal":
        """Waits until `text` stands on the screen after what was expected before."""
        end = time.monotonic() + DEADLINE
        while text.lower() not in self.screen.lower():
            assert self._read(end), f"waited in vain for {text!r}; the screen shows {self.screen!r}"
        position = self.screen.lower().index(text.lower()) + len(text)
        self.screen = self.screen[position:]
        return self

    def type(self, line: str) -> "Terminal":
        os.write(self.master, line.encode() + b"\n")
        return self

    def finish(self, code: int | None = None) -> Result:
        """The rest of the screen, once the command has ended."""
        end = time.monotonic() + DEADLINE
        while self._read(end):
            pass
        out = self.process.stdout.read() if self.process.stdout else self.screen.encode()
        self.process.wait(DEADLINE)
        os.close(self.master)
        result = Result(self.argv, self.process.returncode, out, self.screen)
        assert code is None or result.code == code, f"expected exit code {code}: {result}"
        return result

    def echoes(self) -> bool:
        """Whether what is typed now would be shown."""
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def _read(self, end: float) -> bool:
        """Takes in what the command wrote; false at its end."""
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                try:
                    piece = os.read(self.master, 65536)
                except OSError:
                    return False
                if not piece:
                    return False
                self.screen += piece.decode(errors="replace")
                return True
        raise AssertionError(f"waited in vain; the screen shows {self.screen!r}")
