"""The common parts of all sources' answers: refusing statuses, JSON of any form, and sentences about both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

from core.errors import BadInput, without_middle
from core.files import json_of
from core.http.retries import retry_after
from core.http.statuses import REDIRECTS
from core.search.types import Headers, SearchFailure
from core.search_report import Reason
from core.types import is_web_address
from core.wording import readable_name

Json = dict[str, Any]

MAX_TEXT = 10_000
"""Characters of an address, a title or a claim; longer than any that is fetched or shown."""


def status_failure(title: str, status: int, headers: Headers) -> SearchFailure | None:
    """Return why a source's HTTP status means that there is no answer to read; None for 200."""
    if status == 200:
        return None
    if status in (401, 403):
        return SearchFailure(Reason.KEY, f"{title} refused access ({status}): check the key and its rights.")
    if status == 402:
        return SearchFailure(Reason.QUOTA, f"{title}: the quota is used up ({status}).")
    if status in (429, 503):
        wait = retry_after(headers)
        when = f"in {wait:.0f} seconds" if wait is not None else "later"
        return SearchFailure(Reason.RATE_LIMIT, f"{title} had too many requests ({status}); try again {when}.")
    if status in REDIRECTS:
        moved = readable_name(headers.get("location", ""))
        to = f", {without_middle(moved, 200)}" if is_web_address(moved) else ""
        return SearchFailure(Reason.CHANGED, f"{title} forwards to another address{to}; write that one.")
    if status in (404, 410):
        return SearchFailure(Reason.GONE, f"{title} has nothing at this address ({status}); check the address.")
    return SearchFailure(Reason.NO_ANSWER, f"{title} answered with status {status}; try again later.")


def json_object(title: str, status: int, headers: Headers, body: bytes) -> Json | SearchFailure:
    """Return the JSON object that a source answered, or why there is none."""
    if failure := status_failure(title, status, headers):
        return failure
    try:
        # strict=False: GDELT writes control characters into strings
        answer = json_of(body.decode("utf-8-sig", "replace"), strict=False)
    except ValueError:
        return changed(title, what_it_is(body))
    return answer if isinstance(answer, dict) else changed(title, "JSON that is no object")


def changed(title: str, what: str) -> SearchFailure:
    """Return the failure of a source with an answer that contradicts its documentation."""
    return SearchFailure(Reason.CHANGED, f"{title} answered with {what}, which cannot be read as its results.")


def what_it_is(body: bytes) -> str:
    """Describe a body that is not JSON in a few words."""
    start = body[:200].decode("utf-8", "replace").lstrip()
    if not start:
        return "nothing"
    if start.startswith("<"):
        return "a web page in place of JSON"
    if start[0] in "{[":
        return "broken JSON"
    return f"“{readable_name(start)[:80]}”"


def objects(value: object) -> Iterator[Json]:
    """Yield the JSON objects of a list; anything else in it, or in its place, is passed over."""
    yield from (item for item in (value if isinstance(value, list) else ()) if isinstance(item, dict))


def text(record: Json, name: str) -> str:
    """Return a text of a record on one line, cut where it has no end; "" where there is none."""
    value = record.get(name)
    return readable_name(value[:MAX_TEXT]) if isinstance(value, str) else ""


def with_query(base: str, **parameters: str | int) -> str:
    """Return an address with parameters, in their order."""
    return f"{base}?{urlencode(parameters)}"


def base_address(source: str, address: str) -> str:
    """Return the address of a source of one's own without its last slash. Raises BadInput for no address."""
    try:
        parts = urlsplit(address.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise BadInput(f"{source} needs the address of its server, such as {source}=http://localhost:8080.")
    return address.strip().rstrip("/")
