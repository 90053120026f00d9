"""One policy for every server: when to ask again, the meaning of a status, the packings of an answer."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass

BUSY = (429, 502, 503, 504)
"""Statuses of a server that may answer later: the same request is sent again."""

REDIRECTS = (301, 302, 303, 307, 308)
"""Statuses of an answer that names another address."""

PAUSES = (2.0, 4.0)
"""Seconds before the second and the third try, where the server does not say how many."""

ATTEMPTS = len(PAUSES) + 1
MAX_WAIT_SECONDS = 20.0
"""A server that asks to be left alone for longer is not asked again."""

PACKINGS = ("identity", "gzip", "x-gzip", "deflate")
"""How an answer may be packed: once. Packed twice, a few bytes unpack to more memory than there is."""


@dataclass(frozen=True)
class StatusMeaning:
    """Words for a status: why a page cannot be read, and how to help a service that programs ask."""

    page: str
    service: str = "The server's own log says more."


STATUSES = {
    401: StatusMeaning("it wants a password", "Check the key."),
    402: StatusMeaning("it wants to be paid", "The quota is used up."),
    403: StatusMeaning("it does not let programs read this page", "Check the key."),
    404: StatusMeaning("there is no such page", "Check the address, which usually ends in /v1, and the model's name."),
    407: StatusMeaning("it wants a password"),
    410: StatusMeaning("the page was taken down"),
    429: StatusMeaning("it had too many requests", "The server is busy: try again later."),
    451: StatusMeaning("the page is withheld for legal reasons"),
    503: StatusMeaning("it is too busy", "The server is busy or still loading the model: try again later."),
}
OTHER_STATUS = StatusMeaning("try again later")
"""The meaning of every other status."""


def is_packed_oddly(headers: Mapping[str, str]) -> bool:
    """Tell whether an answer is packed twice, or as we did not ask for; `headers` are named in lower case."""
    return headers.get("content-encoding", "identity").strip().lower() not in PACKINGS


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
