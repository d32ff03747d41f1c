"""The one exception of the reader, and the checks of form that every format needs."""

UINT64_MAX = 2**64 - 1
INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1


class Refused(Exception):
    """The bytes are not what Docs/Formats.md allows. `reason` is stable: the vectors name it."""

    def __init__(self, reason, groups=None):
        super().__init__(reason)
        self.reason = reason
        # Recovery keys only: the numbers (1 to 13) of the groups that are mistyped.
        self.groups = groups or []


def refuse(reason):
    raise Refused(reason)


def require(condition, reason):
    if not condition:
        raise Refused(reason)


def elements(value, count, what):
    """An array of exactly `count` elements (any number when `count` is None)."""
    require(isinstance(value, list), f"{what}: not an array")
    require(count is None or len(value) == count, f"{what}: wrong number of elements")
    return value


def octets(value, count, what):
    """A byte string of exactly `count` bytes (any number when `count` is None)."""
    require(isinstance(value, bytes), f"{what}: not a byte string")
    require(count is None or len(value) == count, f"{what}: wrong length")
    return value


def unsigned(value, what, low=0, high=UINT64_MAX):
    # bool is a subclass of int in Python, not in CBOR.
    require(isinstance(value, int) and not isinstance(value, bool), f"{what}: not an integer")
    require(low <= value <= high, f"{what}: out of range")
    return value


def characters(value, low, high, what):
    """A text string of `low` to `high` bytes of UTF-8."""
    require(isinstance(value, str), f"{what}: not text")
    require(low <= len(value.encode("utf-8")) <= high, f"{what}: wrong length")
    return value


def boolean(value, what):
    require(isinstance(value, bool), f"{what}: not a boolean")
    return value


def version(value, what):
    require(isinstance(value, int) and not isinstance(value, bool), f"{what} version: not an integer")
    require(value == 1, f"{what} version: unknown")


def ascending(values, what):
    """Strictly ascending: sorted, and nothing twice."""
    for earlier, later in zip(values, values[1:]):
        require(earlier != later, f"{what}: twice")
        require(earlier < later, f"{what}: not in ascending order")
