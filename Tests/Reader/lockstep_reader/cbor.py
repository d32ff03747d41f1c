"""Docs/Formats.md §1, CBOR: the deterministic subset, and nothing else.

Python values: int, bytes, str, list, bool, None and Map. Map holds pairs, since in a dict 0 and False,
which are two keys in CBOR, would be one.
"""

from .refusal import INT64_MIN, Refused, refuse, require

DEPTH_MAX = 16


class Map:
    """A CBOR map as a list of (key, value), in the order of the encoding."""

    def __init__(self, pairs):
        self.pairs = list(pairs)

    def __eq__(self, other):
        # Compared by encoding: Python's own equality takes True for 1.
        return isinstance(other, Map) and encode(self) == encode(other)

    def __repr__(self):
        return f"Map({self.pairs!r})"


def head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    for extra, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << (8 * size):
            return bytes([major << 5 | extra]) + argument.to_bytes(size, "big")
    raise ValueError("argument above 64 bits")


def encode(value):
    """The one encoding of `value`. Map keys are sorted here, whatever their order in `value`."""
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        raw = value.encode("utf-8")
        return head(3, len(raw)) + raw
    if isinstance(value, (list, tuple)):
        return head(4, len(value)) + b"".join(encode(item) for item in value)
    if isinstance(value, dict):
        value = Map(value.items())
    if isinstance(value, Map):
        pairs = sorted((encode(key), encode(item)) for key, item in value.pairs)
        return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)
    raise TypeError(f"no CBOR for {type(value)}")


class _Decoder:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        require(count <= len(self.data) - self.at, "cbor: ends too early")
        taken = self.data[self.at : self.at + count]
        self.at += count
        return taken

    def head(self):
        first = self.take(1)[0]
        major, low = first >> 5, first & 31
        if major == 7:
            return major, low
        if low < 24:
            return major, low
        require(low != 31, "cbor: indefinite length")
        require(low < 28, "cbor: reserved head")
        size = 1 << (low - 24)
        argument = int.from_bytes(self.take(size), "big")
        shortest = argument >= 24 if size == 1 else argument >= 1 << (4 * size)
        require(shortest, "cbor: head not the shortest")
        return major, argument

    def item(self, depth):
        require(depth <= DEPTH_MAX, "cbor: nested too deep")
        major, argument = self.head()
        if major == 0:
            return argument
        if major == 1:
            require(-1 - argument >= INT64_MIN, "cbor: integer below the range")
            return -1 - argument
        if major == 2:
            return self.take(argument)
        if major == 3:
            try:
                return self.take(argument).decode("utf-8", "strict")
            except UnicodeDecodeError:
                refuse("cbor: text is not UTF-8")
        if major == 4:
            # Every element takes a byte at least, so a length above that is a lie.
            require(argument <= len(self.data) - self.at, "cbor: ends too early")
            return [self.item(depth + 1) for _ in range(argument)]
        if major == 5:
            return self.map(argument, depth)
        if major == 6:
            refuse("cbor: tag")
        return self.simple(argument)

    def map(self, count, depth):
        require(2 * count <= len(self.data) - self.at, "cbor: ends too early")
        pairs, previous = [], None
        for _ in range(count):
            start = self.at
            key = self.item(depth + 1)
            encoded = self.data[start : self.at]
            if previous is not None:
                require(encoded != previous, "cbor: key twice")
                require(encoded > previous, "cbor: keys not sorted")
            previous = encoded
            pairs.append((key, self.item(depth + 1)))
        return Map(pairs)

    def simple(self, low):
        if low == 20:
            return False
        if low == 21:
            return True
        if low == 22:
            return None
        if low in (25, 26, 27):
            refuse("cbor: float")
        if low == 31:
            refuse("cbor: break outside an indefinite length")
        refuse("cbor: simple value")


def decode(data, what="cbor"):
    """Exactly one item. The encoding is compared with our own afterwards: two checks of determinism."""
    decoder = _Decoder(bytes(data))
    value = decoder.item(0)
    require(decoder.at == len(data), f"{what}: bytes after the end")
    if encode(value) != bytes(data):
        raise Refused("cbor: not deterministic")
    return value
