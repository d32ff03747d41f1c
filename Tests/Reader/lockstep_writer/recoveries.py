"""recovery.json: Docs/Formats.md §5."""

from lockstep_reader.base32 import ALPHABET
from lockstep_reader.recovery import check_character, derive, write_text

from .base import File, H, Seeded

seeded = Seeded("recovery")


def by_hand(secret, checksum):
    """The text of R with a chosen checksum, every group consistent."""
    bits = int.from_bytes(secret, "big") << 4 | checksum
    text = []
    for group in range(13):
        four = [bits >> (5 * (51 - 4 * group - i)) & 31 for i in range(4)]
        text.append("".join(ALPHABET[s] for s in [*four, check_character(group, four)]))
    return "-".join(text)


def replace(text, at, character):
    return text[:at] + character + text[at + 1 :]


def swap(text, left, right):
    return replace(replace(text, left, text[right]), right, text[left])


def write():
    file = File("recovery")

    def accept(name, secret, typed=None):
        text = write_text(secret)
        expected = {key: value.hex() for key, value in derive(secret).items()}
        file.accept(name, typed=typed or text, expected={"secret": secret.hex(), "text": text, **expected})

    secrets = [seeded.key() for _ in range(4)]
    for number, secret in enumerate(secrets):
        accept(f"key {number}", secret)
    accept("zeros", bytes(32))
    accept("ones", b"\xff" * 32)
    text = write_text(secrets[0])
    accept("in lower case", secrets[0], text.lower())
    accept("without hyphens", secrets[0], text.replace("-", ""))
    accept("spaces and hyphens anywhere", secrets[0], " " + " ".join(text.replace("-", "- ")) + "--")
    zeros = write_text(bytes(32))
    accept("O is 0", bytes(32), zeros.replace("0", "O"))
    accept("o is 0", bytes(32), zeros.replace("0", "o"))
    accept("I, i, L and l are 1", bytes(32), replace_each(zeros, "1", "IiLl"))

    def refuse(name, why, typed, groups=()):
        file.refuse(name, why, typed=typed, groups=list(groups))

    mistyped = "recovery key: mistyped"
    for group in range(13):
        for place in range(5):
            at = 6 * group + place
            wrong = ALPHABET[(ALPHABET.index(text[at]) + 1 + group) % 32]
            if wrong != text[at]:
                refuse(f"group {group + 1}, character {place + 1} wrong", mistyped, replace(text, at, wrong), [group + 1])
    for at in range(len(text) - 1):
        other = at + 2 if text[at + 1] == "-" else at + 1
        if text[at] == "-" or text[at] == text[other]:
            continue
        group, next_group = at // 6 + 1, other // 6 + 1
        groups = sorted({group, next_group})
        refuse(f"neighbours swapped at {at}", mistyped, swap(text, at, other), groups)
    groups = text.split("-")
    for left, right in ((0, 1), (0, 12), (3, 4), (5, 11), (11, 12)):
        swapped = list(groups)
        swapped[left], swapped[right] = groups[right], groups[left]
        refuse(f"groups {left + 1} and {right + 1} swapped", mistyped, "-".join(swapped), [left + 1, right + 1])
    refuse("two groups wrong", mistyped, replace(replace(text, 0, next_letter(text[0])), 30, next_letter(text[30])), [1, 6])
    right = H("lockstep/recovery-checksum/1", secrets[0])[0] >> 4
    refuse("the checksum wrong, every group right", "recovery key: checksum does not match", by_hand(secrets[0], right ^ 1))
    refuse("U is not in the alphabet", "recovery key: not a character of the alphabet", replace(text, 13, "U"), [3])
    refuse("a dot", "recovery key: not a character of the alphabet", replace(text, 6, "."), [2])
    refuse(
        "a letter that only Unicode's upper case makes an S",
        "recovery key: not a character of the alphabet",
        replace(text, 67, "\u017f"),
        [12],
    )
    refuse("empty", "recovery key: wrong length", "")
    refuse("a character is missing", "recovery key: wrong length", text[:-1])
    refuse("a character too many", "recovery key: wrong length", text + "0")
    refuse("a group is missing", "recovery key: wrong length", text[:-6])
    return file


def next_letter(character):
    return ALPHABET[(ALPHABET.index(character) + 1) % 32]


def replace_each(text, character, replacements):
    out, count = [], 0
    for one in text:
        if one == character:
            one = replacements[count % len(replacements)]
            count += 1
        out.append(one)
    return "".join(out)
