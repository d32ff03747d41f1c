"""kill -9 while a vault is made, joined or recovered, and while the passphrase changes: never a state without a way on."""

import pytest

from faultshim import Faults
from harness import wait_until
from terminal import Terminal
from test_kill import Doomed
from workload import Template

SHARDS = 2


@pytest.fixture
def faults(world):
    return Faults(world.folder)


def numbers(faults, shard, record_property, name):
    """1 + shard, … until a run that was not killed; counts the runs that were."""
    number, tried = shard + 1, 0
    while True:
        faults.arm(number)
        yield number
        if faults.events < number:
            break
        tried += 1
        number += SHARDS
    record_property(name, tried)
    assert tried > 5


def come_in_again(device, way_in) -> None:
    """Takes the way in once more unless the device is in the vault."""
    if not device.status()["vaults"]:
        way_in()
    device.ok("sync")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_killing_the_agent_while_it_makes_a_vault(world, faults, shard, record_property):
    relay = world.relay()
    for number in numbers(faults, shard, record_property, "kill points while a vault is made"):
        device = world.device(f"d{number}", start=False)
        doomed = Doomed(device, faults)
        made = device.run("init", "--relay", relay.url)
        assert made.code == 0 or doomed.has_died(), str(made)
        device.kill_agent()
        device.start_agent()
        added = device.run("add", "svc", "ann", stdin=b"s")
        if added.code != 0:
            assert made.code != 0, f"killed at event {number}: {added}"
            device.init(relay.url)
            device.add("svc", "ann", b"s")
        assert device.get("svc", "ann") == b"s", f"killed at event {number}"
        device.ok("sync")
        device.close()


@pytest.mark.parametrize("victim", ["inviter", "joiner"])
@pytest.mark.parametrize("shard", range(SHARDS))
def test_killing_either_agent_while_a_device_joins(world, faults, victim, shard, record_property):
    template = Template(world)
    for number in numbers(faults, shard, record_property, f"kill points of the {victim}"):
        template.put_back()
        faults.arm(0)
        template.relay.start()
        new = world.device(f"d{number}", start=False)
        faults.arm(number)
        doomed = Doomed(template.a if victim == "inviter" else new, faults)
        (new if victim == "inviter" else template.a).start_agent()
        try:
            invitation = template.a.invite("--yes")
        except AssertionError:
            # Killed before there was a code.
            assert victim == "inviter" and doomed.has_died()
        else:
            joining = new.start("join", invitation.code, "--device-name", new.name)
            # A joiner whose inviter is dead would wait for as long as the code is good.
            wait_until(
                lambda: joining.poll() is not None or victim == "inviter" and doomed.is_dead(),
                "the device joined, or the inviter is dead",
            )
            joining.kill()
            said = joining.communicate()[1].decode()
            invitation.interrupt()
            assert joining.returncode in (0, -9) or doomed.has_died(), said
        for device in (template.a, new):
            device.kill_agent()
            device.start_agent()
        come_in_again(new, lambda: template.a.pair(new))
        assert new.get("base", "ann") == b"original", f"killed at event {number}"
        new.add("fresh", "ann", b"s")
        new.ok("sync")
        template.a.ok("sync")
        assert template.a.get("fresh", "ann") == b"s"
        new.close()


@pytest.mark.parametrize("shard", range(SHARDS))
def test_killing_the_agent_while_it_recovers(world, faults, shard, record_property):
    template = Template(world)
    for number in numbers(faults, shard, record_property, "kill points while a device recovers"):
        template.put_back()
        template.relay.start()
        new = world.device(f"d{number}", start=False)
        faults.arm(number)
        doomed = Doomed(new, faults)
        key = world.recovery_key.encode()
        recovered = new.run("recover", "--relay", template.relay.url, "--device-name", new.name, stdin=key)
        assert recovered.code == 0 or doomed.has_died(), str(recovered)
        new.kill_agent()
        new.start_agent()
        come_in_again(
            new, lambda: new.ok("recover", "--relay", template.relay.url, "--device-name", new.name, stdin=key)
        )
        assert new.get("base", "ann") == b"original", f"killed at event {number}"
        new.close()


def test_killing_the_agent_while_the_passphrase_changes(world, faults, record_property):
    relay = world.relay()
    number, tried = 0, 0
    while True:
        number += 1
        device = world.device(f"d{number}", b"old passphrase")
        device.init(relay.url)
        device.add("svc", "ann", b"s")
        device.end_agent()
        faults.arm(number)
        doomed = Doomed(device, faults)
        changed = None
        if not doomed.is_dead():
            terminal = Terminal(device, "passwd")
            try:
                terminal.expect("Passphrase:").type("old passphrase")
                terminal.expect("New passphrase:").type("new passphrase")
                terminal.expect("again:").type("new passphrase")
            except AssertionError:
                assert doomed.has_died()
            changed = terminal.finish().code
        device.kill_agent()
        device.start_agent(passphrase=False)
        opened = []
        for passphrase in (b"old passphrase", b"new passphrase"):
            device.set_passphrase(passphrase)
            if device.run("unlock").code == 0:
                opened.append(passphrase)
                assert device.get("svc", "ann") == b"s"
                device.ok("lock")
        assert len(opened) == 1, f"killed at event {number}: opened by {opened}"
        if changed == 0:
            assert opened == [b"new passphrase"], f"killed at event {number}"
        device.close()
        if faults.events < number:
            break
        tried += 1
    record_property("kill points while the passphrase changes", tried)
    assert tried > 5
