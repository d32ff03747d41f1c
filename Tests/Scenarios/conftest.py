import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "Crash"))

from fixtures import pytest_runtest_makereport, world  # noqa: E402, F401
