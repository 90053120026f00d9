"""Times as organisers write them: a day, a clock time with seconds, and a zone. Inside they are seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from core.actions.fields import FromText
from core.errors import BadInput

AOE = timezone(timedelta(hours=-12), "AoE")
"""Anywhere on Earth: the last zone in which a day ends."""
NAMED = {"z": UTC, "utc": UTC, "gmt": UTC, "aoe": AOE}
WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)\s*(\S*)")
OFFSET = re.compile(r"[+-]\d\d:?\d\d")
FORM = "write it such as 2026-11-20 23:59:59 +01:00; UTC, AoE and Europe/Berlin are zones too"


def moment(text: str) -> float:
    """Return the seconds since 1970 of a written time. Raises BadInput for another text, and without a zone."""
    found = WRITTEN.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"{text[:40]!r} is no time: {FORM}.")
    day, clock, zone = found.groups()
    if not zone:
        raise BadInput(f"{text[:40]!r} has no time zone: {FORM}.")
    try:
        at = datetime.fromisoformat(f"{day} {clock}").replace(tzinfo=_zone(zone)).timestamp()
        for day in (-86_400, 86_400):  # a reader's zone may be behind or before this one
            datetime.fromtimestamp(at + day, UTC)
        return at
    except (ValueError, KeyError, OSError, OverflowError) as error:  # no such day or clock time, or no such zone
        raise BadInput(f"{text[:40]!r} is no time that there is: {FORM}.") from error


def _zone(name: str) -> tzinfo:
    if OFFSET.fullmatch(name):
        zone = datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo
        assert zone
        return zone
    return NAMED.get(name.lower()) or ZoneInfo(name)


def written_moment(seconds: float, zone: tzinfo = UTC) -> str:
    """Return a time that `moment` reads: "2026-11-20 23:59:59 +01:00"."""
    written = datetime.fromtimestamp(seconds, zone).isoformat(" ", "seconds")
    return f"{written[:19]} {written[19:]}"


def utc(seconds: float) -> str:
    """Return a time for a sentence: "24 November 2026, 02:44:01 UTC"."""
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at.day} {at:%B %Y, %H:%M:%S} UTC"


A_TIME = FromText(moment, written_moment, "TIME")
"""The note of a request's field with a time."""
