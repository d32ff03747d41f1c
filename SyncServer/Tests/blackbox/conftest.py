import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(Path(__file__).parent))
# Chains are made with the writer of the format vectors: like these tests, it was written from Docs/Formats.md alone.
sys.path.insert(0, str(ROOT / "Tests" / "Reader"))

from process import RelayProcess  # noqa: E402
from vault import Vault  # noqa: E402


@pytest.fixture
def make_relay(tmp_path):
    """Starts relays; each has a folder below the test's own."""
    made = []

    def make(*arguments, folder="relay", **options):
        relay = RelayProcess(tmp_path / folder, *arguments, **options)
        made.append(relay)
        return relay.start()

    yield make
    for relay in made:
        relay.discard()


@pytest.fixture
def relay(make_relay):
    """A relay that registers without an invite."""
    return make_relay("--open-registration")


@pytest.fixture
def vault(relay):
    """A registered vault: Alice is its admin."""
    return Vault.registered(relay)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if report.failed and folder is not None:
        for log in sorted(folder.glob("*/relay.log")):
            report.sections.append((str(log), log.read_text(errors="replace")[-10_000:]))
