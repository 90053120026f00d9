"""The Wayback Machine: the last copy of a page from before the claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from core.dates import parse_date, shifted
from core.errors import BadInput
from core.files import json_of
from core.http.fetching import FetchedResponse
from core.http.public_addresses import Allowed, is_public
from core.http.statuses import REDIRECTS
from core.interfaces import Stop, never
from core.search.addresses import unwrapped
from core.search.consent import Consent
from core.search.sender import Sender
from core.search.sources.answers import changed, status_failure, what_it_is, with_query
from core.search.types import (
    Capabilities,
    GetRequest,
    Headers,
    Page,
    PageVersion,
    ResultPage,
    SearchFailure,
    SearchResult,
)
from core.search_report import Reason
from core.types import is_web_address

CDX = "https://web.archive.org/cdx/search/cdx"
WEB = "https://web.archive.org/web"


@dataclass(frozen=True)
class Wayback:
    """The captures of web.archive.org. It finds addresses, not words."""

    title: str = "Wayback Machine"
    name: str = "wayback"
    place: str = "web.archive.org"
    can = Capabilities(dated=True, longest_query=2000, page_size=1, pause=2.5, words=False)

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        return self.version_request(query, before)

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        version = self.parse_version("", status, headers, body)
        return (
            version
            if isinstance(version, SearchFailure)
            else ResultPage((SearchResult(version.url, published=version.day),))
        )

    def version_request(self, url: str, before: date | None) -> GetRequest:
        until = {"to": f"{shifted(before, -1):%Y%m%d}"} if before else {}
        wanted = {"url": unwrapped(url)[0], "filter": "statuscode:200", "output": "json", "limit": "-1"}
        return GetRequest(with_query(CDX, **wanted, **until))

    def parse_version(self, url: str, status: int, headers: Headers, body: bytes) -> PageVersion | SearchFailure:
        if failure := status_failure(self.title, status, headers):
            return failure
        try:
            rows = json_of(body.decode("utf-8-sig", "replace") or "[]")
        except ValueError:
            return changed(self.title, what_it_is(body))
        if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
            return changed(self.title, "JSON that is no table")
        if len(rows) < 2:
            return SearchFailure(Reason.EMPTY, f"{url}: {self.title} has no copy from before the claim.")
        capture = dict(zip(rows[0], rows[-1], strict=False))
        stamp, original = capture.get("timestamp", ""), capture.get("original", "")
        day = parse_date(f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}")
        if day is None or not is_web_address(original):
            return changed(self.title, "a capture without time or address")
        return PageVersion(GetRequest(f"{WEB}/{stamp}id_/{original}"), f"{WEB}/{stamp}/{original}", day, "capture")

    def parse_page(self, version: PageVersion, status: int, headers: Headers, body: bytes) -> Page | SearchFailure:
        if failure := status_failure(self.title, status, headers):
            return failure
        kind, _, charset = headers.get("content-type", "").partition(";")
        charset = charset.partition("charset=")[2].strip("\" '")
        return Page(version.url, body, kind.strip().lower(), charset, captured=version.day)


def _is_row(row: object) -> bool:
    return isinstance(row, list) and all(isinstance(cell, str) for cell in row)


SAVE = "https://web.archive.org/save"
SECONDS = 120.0
"""The Wayback Machine reads the page while we wait."""
_COPY = re.compile(r"/web/(\d{14})/(https?://\S+)")


def save_request(url: str) -> GetRequest:
    """Return the request that asks for a copy. Raises BadInput for an address that is not on the web."""
    original = unwrapped(url)[0]
    if not is_web_address(original):
        raise BadInput(f"{original[:200]}: the Wayback Machine keeps pages of the web only.")
    return GetRequest(f"{SAVE}/{original}", query=original)


def consent_to_save(url: str) -> Consent:
    """Return the consent that one copy needs. Raises as `save_request`."""
    request = save_request(url)
    return Consent({urlsplit(request.url).netloc: (request.query,)})


def save(url: str, given: str, contact: str, *, stop: Stop = never, allowed: Allowed = is_public) -> str:
    """Ask for a copy of a page, and return its address.

    `given` is the digest of the person's consent. Raises NotAgreed without it, BadInput where no copy was made, and
    Cancelled.
    """
    consent = consent_to_save(url)
    consent.check(given)
    answer = Sender(consent, contact, allowed, SECONDS, stop=stop).send(save_request(url), pause=Wayback.can.pause)
    if isinstance(answer, SearchFailure):
        raise BadInput(answer.message)
    return copy_in(answer)


def copy_in(answer: FetchedResponse) -> str:
    """Return the address of the copy that an answer names. Raises BadInput if it names none."""
    if answer.status not in REDIRECTS and (failure := status_failure(Wayback.title, answer.status, answer.headers)):
        raise BadInput(failure.message)
    named = _COPY.search(answer.headers.get("content-location", "") or answer.location)
    if not named:
        raise BadInput(f"The {Wayback.title} did not say where its copy is; look for it there in some minutes.")
    return f"https://{Wayback.place}{named[0]}"
