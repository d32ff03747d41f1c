"""Looks for values, in every form in which they could have leaked, in files and in what was sent."""

import base64
import os
from pathlib import Path


def forms(value: bytes) -> dict[str, bytes]:
    """The byte strings that betray `value`: plain, hex, UTF-16, and base64 at each of its three alignments."""
    assert len(value) >= 8, "too short to be searched for without finding it by chance"
    found = {
        "plain": value,
        "reversed": value[::-1],
        "hex": value.hex().encode(),
        "HEX": value.hex().upper().encode(),
        "utf-16": value.decode("latin-1").encode("utf-16-le"),
    }
    for shift, first in ((0, 0), (1, 2), (2, 3)):
        # Characters that share bits with the neighbours of the value are left out at both ends.
        last = (shift + len(value)) * 8 // 6
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            found[f"{name}+{shift}"] = encode(b"\0" * shift + value)[first:last]
    return found


def leaks(values: dict[str, bytes], haystacks: dict[str, bytes]) -> list[str]:
    """Which of `values` (by name) stands in which of `haystacks` (by name), and in what form."""
    found = []
    for name, value in values.items():
        for form, needle in forms(value).items():
            for place, bytes_there in haystacks.items():
                if needle in bytes_there:
                    found.append(f"{name} stands in {place} as {form}")
    return found


def files_below(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder."""
    contents = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            path = Path(directory) / name
            if path.is_file() and not path.is_symlink():
                contents[str(path)] = path.read_bytes()
    return contents
