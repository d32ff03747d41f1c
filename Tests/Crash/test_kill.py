"""kill -9 at every write, sync and send: nothing that was acknowledged is lost, and both devices agree afterwards.

A run is repeated with the program killed at its first event, its second, and so on, until it gets through unharmed.
Writes and sends are tried twice: not at all, and by half; what has no halves is tried once.
"""

import subprocess

import pytest

from faultshim import Faults
from workload import STEPS, Progress, Template, shared, state_of

SHARDS = 4


@pytest.fixture
def template(world):
    return Template(world)


@pytest.fixture
def faults(world):
    return Faults(world.folder)


def converge(template) -> None:
    for device in (template.a, template.b, template.a):
        device.ok("sync")
    assert shared(state_of(template.a)) == shared(state_of(template.b))


def run_steps(template, progress: Progress, doomed) -> None:
    """The workload, up to the first command that is not acknowledged because the victim is dead."""
    for step in STEPS:
        result = template.a.run(*step.arguments, stdin=step.stdin)
        if result.code == 0:
            progress.acknowledge(step)
        else:
            assert doomed.has_died(), f"nothing was killed and yet: {result}"
            progress.failed(step)
            return


@pytest.mark.parametrize("half", [False, True], ids=["before", "half"])
@pytest.mark.parametrize("shard", range(SHARDS))
def test_killing_the_agent_at_every_event_loses_nothing(template, faults, half, shard, record_property):
    number, tried = shard + 1, 0
    while True:
        template.put_back()
        template.relay.start()
        faults.arm(number, half)
        doomed = Doomed(template.a, faults)
        progress = Progress()
        if not doomed.is_dead():
            run_steps(template, progress, doomed)
        if not doomed.is_dead():
            template.a.end_agent()
        if faults.events < number:
            assert progress.acknowledged == len(STEPS)
            break
        if half and not faults.torn:
            number += SHARDS
            continue
        tried += 1
        template.a.kill_agent()
        template.a.start_agent()
        state = state_of(template.a)
        assert state in progress.possible, f"killed at event {number}, {progress.acknowledged} commands acknowledged"
        template.b.start_agent()
        converge(template)
        assert state_of(template.a) == state
        number += SHARDS
    record_property("kill points of the agent", tried)
    assert tried > 10


class Doomed:
    """An agent that will be killed, maybe before it listens."""

    def __init__(self, device, faults):
        try:
            device.start_agent(env=faults.env)
        except AssertionError:
            assert device.agent.process.poll() == -9, device.agent.said()
        self.service = device.agent

    def is_dead(self) -> bool:
        return not self.service.alive

    def has_died(self) -> bool:
        """Whether it was killed: its connections end a moment before it does."""
        try:
            return self.service.process.wait(20) == -9
        except subprocess.TimeoutExpired:
            return False


@pytest.mark.parametrize("half", [False, True], ids=["before", "half"])
@pytest.mark.parametrize("shard", range(SHARDS))
def test_killing_the_relay_at_every_event_loses_nothing(template, faults, half, shard, record_property):
    number, tried = shard + 1, 0
    while True:
        template.put_back()
        faults.arm(number, half)
        try:
            template.relay.start(env=faults.env)
        except AssertionError:
            assert template.relay.service.process.poll() == -9, template.relay.service.said()
        relay = template.relay.service
        progress = Progress()
        template.a.start_agent()
        for step in STEPS:
            result = template.a.run(*step.arguments, stdin=step.stdin)
            if result.code == 0:
                progress.acknowledge(step)
            else:
                # Only sync needs the relay.
                assert step.arguments == ["sync"] and result.code == 69, str(result)
                assert relay.process.wait(20) == -9
        if relay.alive:
            relay.end()
        if faults.events < number:
            break
        if half and not faults.torn:
            number += SHARDS
            continue
        tried += 1
        template.relay.service = None
        template.relay.start()
        template.b.start_agent()
        template.b.ok("sync")
        # What a sync had acknowledged is at the relay even if the device that pushed it never comes back.
        assert progress.relay_may_hold(state_of(template.b)), f"killed at event {number}"
        converge(template)
        assert shared(state_of(template.b)) == shared(progress.possible[0])
        number += SHARDS
    record_property("kill points of the relay", tried)
    assert tried > 10
