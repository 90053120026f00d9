"""The vocabulary of searching: requests, sources, results and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol, runtime_checkable

from core.search_report import PublishedReview, Reason

Headers = Mapping[str, str]
"""HTTP headers, names in lower case."""


@dataclass(frozen=True)
class SearchFailure:
    """Why something was not found or read; `message` is a sentence."""

    reason: Reason
    message: str


@dataclass(frozen=True)
class GetRequest:
    """A GET request. `headers` may hold a source's key, so no part of it is ever logged or stored.

    Each request has one purpose: it sends the `query`, or it reads the `page` that a source named.
    """

    url: str
    headers: Sequence[tuple[str, str]] = field(default=(), repr=False)
    query: str = ""
    page: str = ""


@dataclass(frozen=True)
class HttpExchange:
    """One request and its answer as an archive keeps them: headers in order, the `body` unpacked, and the time.

    `sent` is empty where the request is not known.
    """

    url: str
    at: datetime
    status: int
    sent: tuple[tuple[str, str], ...]
    received: tuple[tuple[str, str], ...]
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Page:
    """The page read at `url`. `published` and `date_source` are set where the source knows them for certain.

    `captured` is the day on which this very text is known to have existed: an archive's capture or a revision.
    `no_later` is the last day on which it can have been written, such as that of a ZIM file.
    `exchange` brought the page; None where it came from this machine. A wiki's exchange is that of its API.
    """

    url: str
    body: bytes = field(repr=False)
    kind: str = "text/html"
    charset: str = ""
    published: date | None = None
    date_source: str = ""
    captured: date | None = None
    exchange: HttpExchange | None = field(default=None, repr=False, compare=False)
    no_later: date | None = None

    @property
    def existed(self) -> date | None:
        """The first day on which this text is known to have existed."""
        return self.captured or self.no_later


@dataclass(frozen=True)
class SearchResult:
    """One address that a source names. Sources on this machine also give its page.

    `snippet` is an excerpt by the source. `size` counts the characters of the page's text, None if unknown.
    """

    url: str
    title: str = ""
    published: date | None = None
    page: Page | None = None
    snippet: str = ""
    size: int | None = None


@dataclass(frozen=True)
class ResultPage:
    """The results of one question, best first; `more` says whether another page of them can be asked for."""

    results: tuple[SearchResult, ...]
    more: bool = False


@dataclass(frozen=True)
class PageVersion:
    """A page's version on a day: how to read it, its permanent address, and the day."""

    request: GetRequest
    url: str
    day: date
    date_source: str


@dataclass(frozen=True)
class Capabilities:
    """The abilities of a source. `key` names the environment variable that holds its key, "" if it needs none.

    `dated` says that the source itself leaves out results later than the claim. `longest_query` is in
    characters, `pause` in seconds between two requests. `words` says whether it finds words, or only addresses.
    `own` says that this program's operator configured its address, which may then be a private one.
    """

    key: str = ""
    dated: bool = False
    longest_query: int = 300
    page_size: int = 10
    pause: float = 1.0
    cost: str = ""
    words: bool = True
    own: bool = False


class Source(Protocol):
    """Somewhere to search. `place` is its host or its file, shown to the person who must agree first."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def can(self) -> Capabilities: ...


def described(source: Source) -> str:
    """Return a source's name and place, as a person reads it."""
    return f"{source.title} ({source.place})" if source.place else source.title


def lane_of(source: Source) -> str:
    """Return the name of a source's waiting lane: a Retry-After of another source on its host is in another lane."""
    return f"{source.name}={getattr(source, 'base', source.place)}"


@runtime_checkable
class WebSource(Source, Protocol):
    """A source on a server, as two pure functions around an HTTP request.

    `before` is the first day that is too late; `page` counts from 0.
    """

    def request(self, query: str, page: int, before: date | None) -> GetRequest: ...
    def parse(self, status: int, headers: Headers, body: bytes) -> ResultPage | SearchFailure: ...


@runtime_checkable
class LocalSource(Source, Protocol):
    """A source on this machine: nothing leaves it."""

    def search(self, query: str, page: int, before: date | None) -> ResultPage | SearchFailure: ...


@runtime_checkable
class Versioned(Source, Protocol):
    """A source that keeps old versions of its pages and returns them itself."""

    def version_request(self, url: str, before: date | None) -> GetRequest: ...
    def parse_version(self, url: str, status: int, headers: Headers, body: bytes) -> PageVersion | SearchFailure: ...
    def parse_page(self, version: PageVersion, status: int, headers: Headers, body: bytes) -> Page | SearchFailure: ...


class ReviewSource(Source, Protocol):
    """A source of published fact-checks on a server."""

    def request(self, query: str, page: int, before: date | None) -> GetRequest: ...
    def parse(self, status: int, headers: Headers, body: bytes) -> tuple[PublishedReview, ...] | SearchFailure: ...
