"""Read publication dates from records and web addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from core.types import Document

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})-(\d{1,2})-(\d{4})$")
# Year, month and day as whole path segments, or one segment that begins with 2020-10-31. Other digits (article numbers,
# queries, archives' time stamps) are mostly no date.
_IN_PATH = re.compile(
    r"/((?:19|20)\d\d)/(\d{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/(\d{1,2})(?=[/?#]|$)"
    r"|/((?:19|20)\d\d)-(\d\d)-(\d\d)(?=[/?#_-]|$)",
    re.IGNORECASE,
)


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WRITTEN_DAY = (
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s+{_MONTH}\b\.?,?\s+\d{{4}}\b"
    rf"|\b{_MONTH}\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,\s+\d{{4}}\b"
    r"|\b\d{4}-\d\d-\d\d(?!\d))"
)
"""A pattern for a day as English texts write it: "8 May 2023", "May 8th, 2023", "2023-05-08"; in any case."""


def written_day(text: str) -> date | None:
    """Return the first day in a text that matches WRITTEN_DAY; None without a match or for an impossible day."""
    found = re.search(WRITTEN_DAY, text, re.IGNORECASE)
    if not found:
        return None
    if iso := parse_date(found.group()):
        return iso
    numbers, month = re.findall(r"\d+", found.group()), re.search(r"[a-z]{3,}", found.group(), re.IGNORECASE)
    return _day(numbers[-1], month.group()[:3], numbers[0]) if month and len(numbers) == 2 else None


def parse_date(text: str) -> date | None:
    """Return the day of "2020-10-31", a time stamp that begins so, or AVeriTeC's "31-10-2020"; else None."""
    stripped = text.strip()
    if iso := _ISO.match(stripped):
        return _day(*iso.groups())
    if day_first := _DAY_FIRST.match(stripped):
        return _day(*reversed(day_first.groups()))
    return None


def shifted(day: date, days: int) -> date:
    """Return the day `days` later, at most the calendar's first or last day."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))


def date_in_url(url: str) -> date | None:
    """Return the day that the path of an address names (/2020/10/31/, /2020/oct/31/, /2020-10-31-…), or None.

    News sites write the publication day there; it is used if nothing better is known. Time stamps of web.archive.org
    are not used, because the page may be twenty years older.
    """
    if not (found := _IN_PATH.search(url)):
        return None
    if found.start() > min((at for mark in "?#" if (at := url.find(mark)) >= 0), default=len(url)):
        return None
    return _day(*(part for part in found.groups() if part))


def dated(document: Document, day: date | None, source: str) -> Document:
    """Return a document with this date and its source ("page", "address", "record", "you"); undated if None."""
    return replace(document, published=day, date_source=source if day else "")


def published_before(documents: Iterable[Document], claim_date: date | None) -> tuple[list[Document], int, int]:
    """Return the documents usable as evidence, the number left out, and the number kept without a date.

    Documents published after `claim_date` are left out, because AVeriTeC requires evidence from before the claim.
    Documents of the claim's own day are kept: dates have no hour, and that day's news answers most claims. Documents
    without a date are kept and counted. Without a claim date all are kept.
    """
    kept: list[Document] = []
    late = undated = 0
    for document in documents:
        if document.published is None:
            undated += 1
        elif claim_date is not None and document.published > claim_date:
            late += 1
            continue
        kept.append(document)
    return kept, late, undated


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), _MONTHS.get(month.lower()) or int(month), int(day))
    except ValueError:
        return None
