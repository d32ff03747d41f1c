"""Nothing that was stored is found anywhere outside the agents' memory."""

import threading
from pathlib import Path

import pytest

from harness import wait_until
from proxy import CapturingProxy
from search import files_below, forms, leaks

PASSPHRASE = b"a passphrase that is nowhere"


class ArgumentWatch:
    """Reads the arguments of every process again and again, for as long as it runs."""

    def __init__(self):
        self.seen: set[bytes] = set()
        self.ended = False
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self):
        while not self.ended:
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self.seen.add(path.read_bytes())
                except OSError:
                    continue

    def end(self) -> bytes:
        self.ended = True
        self.thread.join()
        return b"\n".join(self.seen)


def value(kind: str, number: int) -> str:
    """A value that cannot stand anywhere by chance."""
    return f"{kind}-{number}-Qz7wLk{number * 7919 % 10007}xVbN"


@pytest.fixture
def searched(world):
    """Two devices behind a capturing proxy that did everything there is to do; all that must not be found, and where."""
    relay = world.relay()
    proxy = CapturingProxy(relay.port)
    world.closers.append(proxy.close)
    watch = ArgumentWatch()
    a, b = world.device("a", PASSPHRASE), world.device("b", PASSPHRASE)
    key = a.ok("init", "--relay", proxy.url, "--vault", value("vault", 1), "--device-name", value("device", 1)).text
    invitation = a.invite("--yes")
    b.ok("join", invitation.code, "--device-name", value("device", 2))
    invitation.finish(0)

    names, secrets, local = {}, {}, {}
    classes = ["when-unlocked", "after-first-unlock", "always", "when-passcode-set"]
    for number in range(24):
        device_only = number % 3 == 2
        accessible = classes[number % 4]
        if accessible == "when-passcode-set":
            device_only = True
        service, account, label = (value(kind, number) for kind in ("service", "account", "label"))
        secret = value("secret", number)
        a.add(service, account, secret.encode(), "--label", label, "--accessible", accessible,
              *(["--this-device-only"] if device_only else []))
        kept = local if device_only else names
        kept |= {f"service {number}": service, f"account {number}": account, f"label {number}": label}
        (local if device_only else secrets)[f"secret {number}"] = secret
    a.ok("sync")
    b.ok("sync")
    assert b.get(names["service 0"], names["account 0"]) == secrets["secret 0"].encode()
    # Changed values and a conflict, so that history and open writes are there too.
    relay.stop()
    for number, device in ((100, a), (200, b)):
        secrets[f"secret {number}"] = value("secret", number)
        names[f"label {number}"] = value("label", number)
        device.ok("edit", names["service 0"], "--secret", "--label", names[f"label {number}"],
                  stdin=secrets[f"secret {number}"].encode())
    relay.start()
    for device in (a, b, a, b):
        device.ok("sync")
    b.ok("rm", names["service 4"])
    a.ok("lock")
    a.ok("unlock")
    c = world.device("c", PASSPHRASE)
    recovery_key = next(line for line in key.splitlines() if line.count("-") == 12)
    c.ok("recover", "--relay", proxy.url, stdin=recovery_key.encode())
    wait_until(lambda: a.run("get", names["service 4"]).code == 44, "a has lost what b removed")
    arguments = watch.end()

    typed = {
        "passphrase": PASSPHRASE.decode(),
        "recovery key": recovery_key,
        "recovery key without hyphens": recovery_key.replace("-", ""),
    }
    devices = {f"device name {n}": value("device", n) for n in (1, 2)} | {"vault name": value("vault", 1)}
    return world, proxy, arguments, names, secrets, local, typed, devices


def encoded(values: dict) -> dict[str, bytes]:
    return {name: text.encode() for name, text in values.items()}


def test_nothing_stored_is_found_where_it_should_not_be(searched):
    world, proxy, arguments, names, secrets, local, typed, devices = searched
    relay = world.relays[0]
    everything = encoded(names | secrets | local | typed)

    at_the_relay = files_below(relay.folder)
    assert any(path.startswith(str(relay.data)) for path in at_the_relay) and len(b"".join(at_the_relay.values())) > 10_000
    sent = {"what was sent": proxy.captured()}
    assert len(sent["what was sent"]) > 20_000
    assert leaks(everything | encoded(devices), at_the_relay | sent) == []

    for device in world.devices:
        kept = files_below(device.home) | {str(device.log): device.log.read_bytes()}
        assert len(kept) >= 3
        assert leaks(everything, kept) == []

    assert leaks(encoded(secrets | typed), {"process arguments": arguments}) == []
    assert leaks({name: text for name, text in encoded(local).items() if name.startswith("secret")},
                 {"process arguments": arguments}) == []


def test_a_leak_would_have_been_noticed():
    """The search itself: each form of a value is found at every alignment."""
    import base64

    needle = b"secret-value-0123456789"
    for shift in range(5):
        surrounded = b"x" * shift + needle + b"tail"
        assert leaks({"n": needle}, {"b64": base64.b64encode(surrounded)})
        assert leaks({"n": needle}, {"hex": surrounded.hex().encode()})
        assert leaks({"n": needle}, {"plain": surrounded})
    assert leaks({"n": needle}, {"other": b"nothing"}) == []
    assert all(len(form) >= 8 for form in forms(needle).values())


def test_homes_and_their_files_are_for_the_owner_alone(world):
    (device,) = world.vault("a", passphrase=PASSPHRASE)
    device.add("svc", "ann", b"s")
    device.add("local", "ann", b"s", "--this-device-only")
    assert device.home.stat().st_mode & 0o077 == 0
    for path in device.home.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, f"{path} is {oct(path.stat().st_mode)}"
    for path in world.relays[0].data.rglob("*"):
        assert path.stat().st_mode & 0o007 == 0, f"{path} is {oct(path.stat().st_mode)}"


def test_the_agent_can_be_neither_dumped_nor_traced(world):
    (device,) = world.vault("a")
    status = Path(f"/proc/{device.agent.pid}")
    (limit,) = (line for line in (status / "limits").read_text().splitlines() if line.startswith("Max core file size"))
    assert limit.split()[4:6] == ["0", "0"]
    # A process that is not dumpable belongs to root in /proc, whoever runs it, and its own user may not trace it.
    assert (status / "mem").stat().st_uid == 0
