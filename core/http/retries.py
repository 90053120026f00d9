"""Decide whether and when to send a request to a busy server again."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

BUSY = (429, 502, 503, 504)
"""Statuses after which the same request is sent again."""

PAUSES = (2.0, 4.0)
"""Seconds before the second and third try, if the server names none."""

ATTEMPTS = len(PAUSES) + 1
MAX_WAIT_SECONDS = 20.0
"""The longest pause in seconds; a server that demands more gets no further request."""


def wait_before_retry(attempt: int, headers: Mapping[str, str]) -> float:
    """Return the seconds to pause after try `attempt` (from 0): the server's, else ours."""
    asked = retry_after(headers)
    return PAUSES[min(attempt, len(PAUSES) - 1)] if asked is None else asked


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the pause in seconds that a server demands, at least 0; None without one.

    A time of day is compared with the server's date, if the answer has one.
    """
    said = headers.get("retry-after", "").strip()
    if said.isdecimal():
        return float(said)
    until, now = _seconds(said), _seconds(headers.get("date", ""))
    return None if until is None else max(0.0, until - (time.time() if now is None else now))


def _seconds(stamp: str) -> float | None:
    """Return an HTTP date in seconds since 1970, or None for an invalid one."""
    try:
        return email.utils.parsedate_to_datetime(stamp).timestamp()
    except (ValueError, OverflowError):
        return None
