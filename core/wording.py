"""Words that every page and report writes: numbers with their nouns, and other people's text made safe to show."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the direction of the text around them: with one, "gpj.exe" can be made to look like "exe.jpg"."""

HIDDEN = TURNING | {chr(code) for code in (*range(32), 127)} - {"\n", "\t"}


def readable(words: object) -> str:
    """Return words without what cannot be seen but changes what is: control characters, turns, lone surrogates."""
    whole = str(words).encode("utf-8", "replace").decode("utf-8")
    return "".join(sign for sign in whole if sign not in HIDDEN)


def readable_name(name: str) -> str:
    """Return the name of a file or system on one line, as `readable`."""
    return " ".join(readable(name).split())


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural where it is not one: "1 document", "1,200 passages"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def numbered_names(names: Iterable[str]) -> list[str]:
    """Return the names with a number, from 2, after every one that an earlier one has: no two are then the same."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        found.append(name if name not in found else next(one for one in numbered if one not in found))
    return found
