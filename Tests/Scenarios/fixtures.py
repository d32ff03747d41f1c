"""Fixtures for every suite that starts the programs; a conftest.py imports them."""

import pytest

from harness import World


@pytest.fixture
def world():
    made = World()
    yield made
    made.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Puts the logs of agents and relays beside a failure."""
    outcome = yield
    report = outcome.get_result()
    made = getattr(item, "funcargs", {}).get("world")
    if report.failed and report.when == "call" and made is not None:
        report.sections.append(("logs of the programs", made.logs()))
