"""The Wayback Machine: the last copy of a page from before the claim."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.dates import parse_date, shifted
from core.files import json_of
from core.search.addresses import unwrapped
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
