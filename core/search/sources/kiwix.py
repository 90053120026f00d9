"""kiwix-serve: the ZIM files of a server in one's own house, so all of Wikipedia without the internet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import unquote, urlsplit

from core.dates import parse_date
from core.search.addresses import joined
from core.search.sources.answers import MAX_TEXT, base_address, changed, status_failure, what_it_is, with_query
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
from core.wording import readable_name

PAGE_SIZE = 10
ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass(frozen=True)
class Kiwix:
    """The kiwix-serve at `base`, or one book of it. It wants every word of a query: short ones find more."""

    base: str
    book: str = ""
    title: str = "Kiwix"
    name: str = "kiwix"
    can = Capabilities(longest_query=200, page_size=PAGE_SIZE, pause=0.0, own=True)

    @property
    def place(self) -> str:
        return urlsplit(self.base).netloc

    def request(self, query: str, page: int, before: date | None) -> GetRequest:
        book = {"content": self.book} if self.book else {}
        window = {"start": page * PAGE_SIZE + 1, "pageLength": PAGE_SIZE}
        return GetRequest(with_query(f"{self.base}/search", pattern=query, format="xml", **book, **window))

    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure:
        if status == 400:
            return SearchFailure(Reason.REFUSED, f"{self.title} has no book “{self.book}”; its catalogue names them.")
        feed = _xml(self.title, status, headers, body)
        if isinstance(feed, SearchFailure):
            return feed
        if feed.find("channel") is None:
            return changed(self.title, "XML without results")
        results = tuple(
            SearchResult(
                joined(f"{self.base}/", item.findtext("link", "")),
                readable_name(item.findtext("title", "")[:MAX_TEXT]),
                snippet=readable_name("".join(item.xpath("description//text()"))[:MAX_TEXT]),
            )
            for item in feed.iter("item")
        )
        return ResultPage(tuple(r for r in results if self._is_own(r.url)), more=len(results) == PAGE_SIZE)

    def version_request(self, url: str, before: date | None) -> GetRequest:
        """Ask for the catalogue: it has the date of a book's texts."""
        return GetRequest(with_query(f"{self.base}/catalog/search", count=-1))

    def parse_version(self, url: str, status: int, headers: Headers, body: bytes) -> PageVersion | SearchFailure:
        feed = _xml(self.title, status, headers, body)
        if isinstance(feed, SearchFailure):
            return feed
        path = unquote(urlsplit(url).path)
        for entry in feed.iter(f"{ATOM}entry"):
            places = [unquote(link.get("href", "")) for link in entry.iter(f"{ATOM}link")]
            day = parse_date(entry.findtext(f"{ATOM}updated", ""))
            if day and any(len(place) > 1 and path.startswith(f"{place.rstrip('/')}/") for place in places):
                return PageVersion(GetRequest(url), url, day, "ZIM file")
        return changed(self.title, "a catalogue that does not name the book of this page")

    def parse_page(self, version: PageVersion, status: int, headers: Headers, body: bytes) -> Page | SearchFailure:
        if failure := status_failure(self.title, status, headers):
            return failure
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return Page(
            version.url,
            body,
            kind,
            no_later=version.day,
        )

    def _is_own(self, url: str) -> bool:
        """Say whether an address is of this server: only this server was configured by the person who runs ours."""
        return urlsplit(url)[:2] == urlsplit(self.base)[:2]


def kiwix(address: str) -> Kiwix:
    """Open the kiwix-serve at an address, which may name a book behind a #."""
    base, _, book = address.partition("#")
    return Kiwix(base_address("kiwix", base), book.strip())


def _xml(title: str, status: int, headers: Headers, body: bytes) -> Any:
    """Return the root of an XML answer, or why there is none. Entities are not resolved, nothing is loaded."""
    from lxml import etree

    if failure := status_failure(title, status, headers):
        return failure
    try:
        return etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))
    except etree.XMLSyntaxError:
        return changed(title, what_it_is(body).replace("a web page in place of JSON", "something that is not XML"))
