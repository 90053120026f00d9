"""The times that form exports write."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

YEAR_FIRST = "%Y/%m/%d %I:%M:%S %p"
MONTH_FIRST = ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", YEAR_FIRST)
DAY_FIRST = ("%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", YEAR_FIRST)
"""How spreadsheets write the time of a form's submission, where it is not ISO 8601."""


def time_formats(texts: Sequence[str]) -> Sequence[str]:
    """Return the formats of a file's times: those that read most of them, month first where both read as many."""
    return max(
        (MONTH_FIRST, DAY_FIRST), key=lambda formats: sum(read_time(text, formats) is not None for text in texts)
    )


def read_time(text: str, formats: Sequence[str] = MONTH_FIRST) -> float | None:
    """Return the seconds since 1970 of a written time (UTC where it names no zone), None if it cannot be read."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        moments = (_parsed(text.strip(), form) for form in formats)
        found = next((moment for moment in moments if moment), None)
        if found is None:
            return None
        moment = found
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None
