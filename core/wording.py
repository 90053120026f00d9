"""Words that every page and report writes: numbers with their nouns, and other people's text made safe to show."""

from __future__ import annotations

import re
import signal
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from itertools import count

from core.files import ASSETS

TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of the text around them: one can make "gpj.exe" look like "exe.jpg"."""

HIDDEN = TURNING | {chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"}


def readable(words: object) -> str:
    """Return words without invisible characters that change the visible ones: controls, turns, lone surrogates."""
    whole = str(words).encode("utf-8", "replace").decode("utf-8")
    return "".join(character for character in whole if character not in HIDDEN)


def readable_name(name: str) -> str:
    """Return the name of a file or system on one line, as `readable`."""
    return " ".join(readable(name).split())


def place_in_words(place: str) -> str:
    """Return the name of a country where a place is its code of two letters, as AVeriTeC writes places."""
    return countries().get(place, place)


@cache
def countries() -> dict[str, str]:
    """The English names of countries by their code, as the time zone database has them (in the public domain)."""
    lines = (ASSETS / "iso3166.tab").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if not line.startswith("#"))


THOUSANDS = re.compile(r"(?<=\d)[,.'’\s](?=\d{3}(?!\d))")
DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")


def searchable(words: str) -> str:
    """Return words as a search compares them: "1.200", "1 200" and "1,200" are one number, and "3,5" is "3.5"."""
    plain = unicodedata.normalize("NFKC", words).casefold()
    return DECIMAL_COMMA.sub(".", THOUSANDS.sub("", plain))


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural where it is not one: "1 document", "1,200 passages"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


NUMBERS = ("no", *"one two three four five six seven eight nine ten eleven twelve".split())


def number_words(number: int) -> str:
    """Return a small number as a word, and a larger one in figures."""
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def listed(parts: Sequence[str]) -> str:
    """Return parts as a list in a sentence: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def on_one_line(words: str, longest: int = 1000) -> str:
    """Return words on one line, cut where they are longer than `longest` characters."""
    line = " ".join(readable(words).split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"


def day(published: date | None) -> str:
    """Return a date in words, "" if there is none."""
    return f"{published.day} {published:%B %Y}" if published else ""


def time_words(seconds: float) -> str:
    """Return a length of time as a person says it."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"


def clock_words(seconds: float) -> str:
    """Return a time in a recording as hours, minutes and seconds: "0:01:05"."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def size_words(size: int) -> str:
    """Return a size in powers of 1000, as hubs and disks state it: "98.4 MB", "9.05 GB"."""
    if size < 1000:
        return f"{size} bytes"
    for power, unit in ((1, "kB"), (2, "MB"), (3, "GB")):
        amount = size / 1000**power
        if amount < 999.5 or unit == "GB":
            break
    decimals = 0 if amount >= 100 else 2 if unit == "GB" else 1
    return f"{amount:.{decimals}f} {unit}"


def ending_words(code: int) -> str:
    """Return how a process ended, by its return code: "signal 4, SIGILL", "exit status 1"."""
    return f"signal {-code}, {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def numbered_names(names: Iterable[str]) -> list[str]:
    """Return the names made unique: a repeated name gets a number, from 2."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        found.append(name if name not in found else next(one for one in numbered if one not in found))
    return found
