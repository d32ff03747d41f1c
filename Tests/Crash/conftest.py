import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "Scenarios"))

from fixtures import pytest_runtest_makereport, world  # noqa: E402, F401


def pytest_terminal_summary(terminalreporter):
    """Prints what the tests counted (record_property), for instance how many kill points there were."""
    totals: dict[str, int] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, value in report.user_properties:
                    totals[name] = totals.get(name, 0) + value
    for name, value in sorted(totals.items()):
        terminalreporter.write_line(f"{name}: {value}")
