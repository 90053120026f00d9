"""When a busy server is asked again, and how long it is left alone before."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

BUSY = (429, 502, 503, 504)
"""Statuses of a server that may answer later: the same request is sent again."""

PAUSES = (2.0, 4.0)
"""Seconds before the second and the third try, where the server does not say how many."""

ATTEMPTS = len(PAUSES) + 1
MAX_WAIT_SECONDS = 20.0
"""A server that asks to be left alone for longer is not asked again."""


def wait_before_retry(attempt: int, headers: Mapping[str, str]) -> float:
    """Return the seconds to leave a busy server alone after try number `attempt` (from 0): its own, or ours."""
    asked = retry_after(headers)
    return PAUSES[min(attempt, len(PAUSES) - 1)] if asked is None else asked


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to be left alone for, at least 0; None if it does not say.

    A time of day is read by the server's own clock, if the answer has its date.
    """
    said = headers.get("retry-after", "").strip()
    if said.isdecimal():
        return float(said)
    until, now = _seconds(said), _seconds(headers.get("date", ""))
    return None if until is None else max(0.0, until - (time.time() if now is None else now))


def _seconds(stamp: str) -> float | None:
    """Return an HTTP date in seconds since 1970, None if it is none."""
    try:
        return email.utils.parsedate_to_datetime(stamp).timestamp()
    except (ValueError, OverflowError):
        return None
