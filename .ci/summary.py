"""summary.py FOLDER NAME…: add up the test reports FOLDER/NAME.xml and end with "N passed, N failed".

A report that is missing or counts no test is a failure: a suite that silently does not run must not look green.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def main(folder: Path, names: list[str]) -> int:
    passed, failures, skipped = 0, [], []
    for name in names:
        path = folder / f"{name}.xml"
        cases = list(ElementTree.parse(path).getroot().iter("testcase")) if path.exists() else []
        if not cases:
            failures.append(f"{name}: no test ran")
        for case in cases:
            label = f"{name}: {case.get('classname', '')} {case.get('name', '')}"
            if case.find("failure") is not None or case.find("error") is not None:
                failures.append(label)
            elif case.find("skipped") is not None:
                skipped.append(label)
            else:
                passed += 1
    for label in skipped:
        print(f"skipped  {label}")
    for label in failures:
        print(f"FAILED   {label}")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
