"""The writes during which programs are killed, and what has to be true of a store afterwards."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from agent_socket import secrets
from harness import Device, Relay, World


@dataclass
class Step:
    """One command of the workload."""

    arguments: list[str]
    stdin: bytes
    service: str | None
    secret: bytes | None

    def apply(self, state: dict) -> dict:
        after = dict(state)
        if self.service is not None:
            if self.secret is None:
                after.pop(self.service, None)
            else:
                after[self.service] = self.secret
        return after


STEPS = [
    Step(["add", "one", "ann"], b"secret one", "one", b"secret one"),
    Step(["edit", "base", "ann", "--secret"], b"changed", "base", b"changed"),
    Step(["add", "local", "ann", "--this-device-only"], b"secret local", "local", b"secret local"),
    Step(["rm", "doomed", "ann"], b"", "doomed", None),
    Step(["sync"], b"", None, None),
    Step(["add", "two", "ann"], b"secret two" * 300, "two", b"secret two" * 300),
    Step(["edit", "one", "ann", "--label", "label"], b"", None, None),
    Step(["sync"], b"", None, None),
]
LOCAL = {"local"}
BEFORE = {"base": b"original", "doomed": b"to be removed"}


@dataclass
class Progress:
    """Which commands were acknowledged, and what that allows the device and the relay to hold."""

    acknowledged: int = 0
    # States that the device may be in.
    possible: list = field(default_factory=lambda: [dict(BEFORE)])
    # States since the last acknowledged sync, that one's first: each may have reached the relay, item by item.
    since_sync: list = field(default_factory=lambda: [dict(BEFORE)])

    def acknowledge(self, step: Step) -> None:
        """`step` was acknowledged: only states after it remain."""
        self.acknowledged += 1
        state = step.apply(self.possible[0])
        self.possible = [state]
        if step.arguments[0] == "sync":
            self.since_sync = [state]
        else:
            self.since_sync.append(state)

    def failed(self, step: Step) -> None:
        """`step` was not acknowledged: it may or may not have happened."""
        state = step.apply(self.possible[0])
        self.possible.append(state)
        self.since_sync.append(state)

    def relay_may_hold(self, seen: dict) -> bool:
        """Whether the relay, which shows `seen` to another device, has lost nothing that a sync acknowledged."""
        services = {service for state in [seen, *self.since_sync] for service in state} - LOCAL
        return all(seen.get(service) in [state.get(service) for state in self.since_sync] for service in services)


def state_of(device: Device) -> dict[str, bytes]:
    """Service → secret of everything the device holds."""
    return secrets(device.socket)


def shared(state: dict) -> dict:
    return {service: secret for service, secret in state.items() if service not in LOCAL}


class Template:
    """Two paired devices and their relay, at rest, to be put back as often as needed."""

    def __init__(self, world: World):
        self.world = world
        self.relay: Relay = world.relay("--open-registration")
        self.a, self.b = world.vault("a", "b", relay_url=self.relay.url)
        for service, secret in BEFORE.items():
            self.a.add(service, "ann", secret)
        self.a.ok("sync")
        self.b.ok("sync")
        self.rest()
        self.kept = world.folder / "template"
        for source in self.folders():
            shutil.copytree(source, self.kept / source.parent.name, copy_function=copy_file)

    def folders(self) -> list[Path]:
        return [self.relay.data, self.a.home, self.b.home]

    def rest(self) -> None:
        self.a.end_agent()
        self.b.end_agent()
        self.relay.stop()

    def put_back(self) -> None:
        """Everything as it was, nothing running."""
        self.a.kill_agent()
        self.b.kill_agent()
        self.relay.kill()
        for folder in self.folders():
            shutil.rmtree(folder)
            shutil.copytree(self.kept / folder.parent.name, folder)


def copy_file(source: str, target: str) -> str:
    """Sockets of agents that ended are left out."""
    if Path(source).is_file():
        return shutil.copy2(source, target)
    return target
