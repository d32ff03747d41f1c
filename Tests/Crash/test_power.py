"""Power loss at every sync to disk: everything acknowledged until then is there, and the store opens.

One run is recorded. Then, for each moment right before a sync took effect, the folder is laid out as a disk could hold it:
only what had been synced; everything that had been written; and some of what had not been synced.
"""

import random
import shutil
import subprocess
import sys

import pytest

from powerloss import Disk, Log, cuts, lay_out
from faultshim import compiled_shim
from workload import STEPS, Progress, Template, state_of

PARTS = 2


def recording(log: Log) -> dict:
    return {"LD_PRELOAD": str(compiled_shim()), log.env_name: str(log.path)}


def variants(cut):
    yield "only what was synced", cut.disk.survivors()
    yield "everything written", cut.disk.survivors(everything=True)
    for seed in range(PARTS):
        yield f"a part ({seed})", cut.disk.survivors(random.Random(cut.number * 1000 + seed))


def progress_of(marks: list[str]) -> Progress:
    """What was acknowledged when these marks had been made; a command that had begun may have happened."""
    progress = Progress()
    for mark in marks:
        what, number = mark.split()
        if what == "done":
            progress.acknowledge(STEPS[int(number)])
    if marks and marks[-1].startswith("begin"):
        progress.failed(STEPS[int(marks[-1].split()[1])])
    return progress


def run_marked(device, log: Log) -> None:
    for number, step in enumerate(STEPS):
        log.mark(f"begin {number}")
        device.ok(*step.arguments, stdin=step.stdin)
        log.mark(f"done {number}")


def test_power_loss_under_the_agent(world, record_property):
    template = Template(world)
    log = Log(world.folder / "recording")
    template.relay.start()
    disk = Disk.of(template.a.home)
    template.a.start_agent(env=recording(log))
    run_marked(template.a, log)
    template.a.end_agent()
    template.relay.stop()
    tried = 0
    for cut in cuts(log, disk):
        progress = progress_of(cut.marks)
        for name, contents in variants(cut):
            shutil.rmtree(template.a.home)
            lay_out(contents, template.a.home)
            template.a.start_agent()
            state = state_of(template.a)
            assert state in progress.possible, f"power lost at sync {cut.number}, {name}"
            template.a.kill_agent()
            tried += 1
    record_property("power cuts of the agent", tried)
    assert tried > 10


def test_power_loss_while_a_vault_is_made(world, record_property):
    relay = world.relay()
    device = world.device("a", start=False)
    log = Log(world.folder / "recording")
    disk = Disk(device.home)
    device.start_agent(env=recording(log))
    log.mark("begin init")
    key = device.init(relay.url)
    log.mark("done init")
    device.add("svc", "ann", b"s")
    log.mark("done add")
    device.end_agent()
    # What comes after one cut must not reach the next through the relay.
    relay.stop()
    tried = 0
    for cut in cuts(log, disk):
        for name, contents in variants(cut):
            shutil.rmtree(device.home)
            lay_out(contents, device.home)
            device.start_agent()
            where = f"power lost at sync {cut.number}, {name}, after {cut.marks}"
            if "done add" in cut.marks:
                assert device.has("svc", "ann", b"s"), where
            elif "done init" in cut.marks:
                device.add("other", "ann", b"s")
            else:
                # Nothing was promised yet, but whatever is left must not stand in the way.
                result = device.run("add", "other", "ann", stdin=b"s")
                if result.code != 0:
                    relay.start()
                    device.init(relay.url)
                    device.add("other", "ann", b"s")
                    relay.stop()
            device.kill_agent()
            tried += 1
    record_property("power cuts while a vault is made", tried)
    assert key and tried > 10


def test_power_loss_under_the_relay(world, record_property):
    template = Template(world)
    log = Log(world.folder / "recording")
    disk = Disk.of(template.relay.data)
    template.relay.start(env=recording(log))
    template.a.start_agent()
    run_marked(template.a, log)
    template.a.end_agent()
    template.relay.stop()
    tried = 0
    for cut in cuts(log, disk):
        progress = progress_of(cut.marks)
        for name, contents in variants(cut):
            template.b.kill_agent()
            template.relay.kill()
            for folder in (template.relay.data, template.b.home):
                shutil.rmtree(folder)
            lay_out(contents, template.relay.data)
            shutil.copytree(template.kept / template.b.home.parent.name, template.b.home)
            template.relay.start()
            template.b.start_agent()
            template.b.ok("sync")
            assert progress.relay_may_hold(state_of(template.b)), f"power lost at sync {cut.number}, {name}"
            tried += 1
    record_property("power cuts of the relay", tried)
    assert tried > 10


@pytest.mark.parametrize("seed", range(3))
def test_the_model_really_loses_what_is_not_synced(tmp_path, seed):
    """A program that does not sync is caught: the recording of one that only writes leaves nothing behind."""
    folder = tmp_path / "home"
    folder.mkdir()
    log = Log(tmp_path / "log")
    script = f"import os; f = os.open({str(folder / 'f')!r}, os.O_CREAT | os.O_WRONLY); os.write(f, b'x' * {1000 + seed})"
    subprocess.run([sys.executable, "-c", script], env=recording(log), check=True)
    (cut,) = cuts(log, Disk(folder))
    assert cut.disk.survivors() == {}
    assert cut.disk.survivors(everything=True) == {"f": b"x" * (1000 + seed)}
