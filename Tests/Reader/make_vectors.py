"""Writes Tests/Vectors/*.json. The same bytes every time: what changes here is a change of a format.

python make_vectors.py [directory]
"""

import json
import pathlib
import sys

from lockstep_writer import chains, checkpoints, keybags, keyrings, pairings, records, recoveries, simple

WRITERS = {
    "cbor": simple.cbor,
    "padding": simple.padding,
    "hashes": simple.hashes,
    "record": records.write,
    "keyring": keyrings.write,
    "chain": chains.write,
    "recovery": recoveries.write,
    "pairing": pairings.write,
    "checkpoint": checkpoints.write,
    "keybag": keybags.write,
}
DIRECTORY = pathlib.Path(__file__).resolve().parent.parent / "Vectors"


def text_of(content):
    """One line for every vector, so that a change shows as the lines that changed."""

    def line(value):
        return json.dumps(value, ensure_ascii=True, separators=(", ", ": "))

    parts = []
    for key, value in content.items():
        if key in ("positive", "negative"):
            inner = ",\n    ".join(line(vector) for vector in value)
            parts.append(f"  {line(key)}: [\n    {inner}\n  ]")
        else:
            parts.append(f"  {line(key)}: {line(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def make():
    return {name: text_of(writer().content()) for name, writer in WRITERS.items()}


def main():
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTORY
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in make().items():
        (directory / f"{name}.json").write_text(text, encoding="ascii")
        content = json.loads(text)
        print(f"{name}: {len(content['positive'])} positive, {len(content['negative'])} negative")


if __name__ == "__main__":
    main()
