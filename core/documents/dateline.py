"""Find the publication date in a text's first lines: "Published: 12 January 2023", "Tarrow, 8 May 2023"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from core.dates import WRITTEN_DAY, dated, written_day
from core.types import Document

FIRST_LINES = 8
"""Number of first lines that may date a text; later dates belong to the story."""

WIDEST = 120
"""The most characters of a byline; longer lines are running text."""

TEXT = "text"
"""The source of a date found in the text (see `core.dates.dated`)."""

_WEEKDAY = r"(?:mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur|sun)(?:day)?"
_DAY = rf"(?:{_WEEKDAY}\.?,?\s+)?{WRITTEN_DAY}"
_TIME = r"(?:[T,]?\s*(?:at\s+)?\d{1,2}[:.]\d\d[\d:.]*\s*(?:[ap]\.?m\.?)?\s*(?:[A-Z]{1,4}|[+-]\d\d:?\d\d)?)?"
_CAPITAL = r"(?-i:[A-ZÀ-Þ])[\w.'’-]*"
_PLACE = rf"{_CAPITAL}(?:\s+(?:(?:de|du|la|le|upon|am)\s+)?{_CAPITAL}){{0,2}}"
_LABEL = r"(?:(?:first|originally)\s+)?(?:published|posted|publication date|date published|date|dated|issued|released)"
_LABELLED = re.compile(rf"""{_LABEL}(?:\s+on)?\s*:?\s*["']?{_DAY}{_TIME}["']?\.?""", re.IGNORECASE)
_BY = r"(?:(?:posted|written|published)\s+)?by\s+[^,]{1,80}"
_ALONE = re.compile(rf"(?:(?:{_BY}|{_PLACE})(?<!day),\s*)?{_DAY}{_TIME}\.?", re.IGNORECASE)
_BEGINS = re.compile(rf"(?:{_PLACE}(?<!day),\s*)?{_DAY}(?:\s*\([^()]{{1,30}}\))?\s*[—–-]{{1,2}}\s+\D", re.IGNORECASE)
_CHANGED = re.compile(r"(?:last\s+)?(?:updated|modified|revised|reviewed|changed|accessed|retrieved|printed)\b", re.I)
_SEPARATOR = re.compile(r"\s*[|·•]\s*|\s+[—–-]\s+")
_ANY_DAY = re.compile(WRITTEN_DAY, re.IGNORECASE)
_MARKS = str.maketrans("", "", "*_`")


def dated_by_text(document: Document, text: str) -> Document:
    """Return a document with the date stated in `text`, before lines are joined; unchanged without a date."""
    day = stated_date(text)
    return dated(document, day, TEXT) if day else document


def stated_date(text: str) -> date | None:
    """Return the publication day stated in a text, or None.

    Without such a statement, the only day in the bylines and datelines counts. Several days are a list of events.
    """
    lines = list(_first_lines(text))
    labelled = [day for line in lines for piece in _pieces(line) if (day := _day(_LABELLED.fullmatch(piece)))]
    alone = {day for line in lines if (day := _alone(line))}
    found = labelled[0] if labelled else alone.pop() if len(alone) == 1 else None
    return found if found and found <= date.today() else None


def _first_lines(text: str) -> Iterator[str]:
    """Yield the first lines with words, without Markdown's marks and headings."""
    lines = (line.translate(_MARKS).strip() for line in text[: FIRST_LINES * 1000].split("\n"))
    wordy = [line for line in lines if any(map(str.isalnum, line))][:FIRST_LINES]
    return (line for line in wordy if not line.startswith("#"))


def _pieces(line: str) -> list[str]:
    """Return the parts of a byline; return running text in one part."""
    return [line] if len(line) > WIDEST or line.endswith((".", "!", "?")) else _SEPARATOR.split(line)


def _alone(line: str) -> date | None:
    """Return the only day of a byline, or the day at the beginning of a text: "Tarrow, 8 May 2023 — The council …"."""
    pieces = [piece for piece in _pieces(line) if not _CHANGED.match(piece)]
    if sum(len(_ANY_DAY.findall(piece)) for piece in pieces) > 1:
        return None
    whole = next((day for piece in pieces if (day := _day(_ALONE.fullmatch(piece)))), None)
    return whole or _day(_BEGINS.match(line))


def _day(found: re.Match[str] | None) -> date | None:
    return written_day(found.group(0)) if found else None
